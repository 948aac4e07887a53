// The exec protocol with one helper, from hello to close: sends a request, waits for its answer, and collects the lines
// that the helper sends by itself. A line that is neither ends the conversation, and so does a helper that ends or is
// silent: the helper is killed, and every later request fails with the same error. A wrong answer to the right request
// does not end it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/exec/exec_message.hpp"
#include "device/device.hpp"
#include "device/exec/helper.hpp"

namespace petrel::device::exec {

// A helper has this much time from its start to its hello.
inline constexpr Duration kHelloWithin = std::chrono::seconds{10};
// After close and the end of its input, if its hello does not declare less.
inline constexpr Duration kEndWithin = std::chrono::seconds{1};

// More notices and notes than this between two answers end the conversation.
inline constexpr std::size_t kMostUnasked = 4096;

class Conversation {
public:
    // The clock must outlive it.
    Conversation(std::unique_ptr<Helper> helper, DeviceId device, const TimeSource& clock)
        : helper_(std::move(helper)), device_(device), clock_(clock)
    {}

    // The first request: `make` makes it and `read` reads its answer, as in ask(). `within`: for the start of the
    // program and its answer. Later requests have the time that the helper declares (`answer_within` of the answer).
    template <class Make, class Read>
    auto hello(Make make, Read read, Duration within) -> decltype(read(std::declval<const codec::ExecMessage&>()))
    {
        const auto id = next_id_++;
        auto hello = ask(id, make(id), within).and_then(read);
        if (!hello) {
            return tl::unexpected(end_ ? *end_ : end_with(hello.error()));
        }
        answer_within_ = hello->answer_within;
        return hello;
    }
    Result<codec::ExecHello> hello();  // of the exec protocol

    // Calls `make` with the number of the request, sends the line that it returns, and waits for the answer.
    template <class Make>
    Result<codec::ExecMessage> ask(Make make)
    {
        const auto id = next_id_++;
        return ask(id, make(id), answer_within_);
    }
    Result<void> close();    // the last request; then hang_up()
    Result<void> hang_up();  // ends the helper's input and waits for the end of the helper

    // Takes the lines that have arrived, without waiting. Returns the file descriptor at which more arrive; -1 = the
    // conversation has ended.
    int receive_unasked();

    // What the helper has sent by itself since it was last taken, oldest first. Notices that follow an inventory use
    // its names: they wait until the inventory is taken.
    std::vector<codec::ExecNotice> take_notices() { return std::exchange(notices_, {}); }
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
    bool has_inventory() const { return inventory_.has_value(); }
    watchdog::Inventory take_inventory();

    Error end_with(const Error&);
    bool ended() const { return end_.has_value(); }

private:
    Result<codec::ExecMessage> ask(std::uint64_t id, const std::string& line, Duration within);
    Result<void> keep_unasked(const codec::ExecMessage&);

    std::unique_ptr<Helper> helper_;
    DeviceId device_;
    const TimeSource& clock_;
    Duration answer_within_{};
    std::uint64_t next_id_{1};
    std::size_t unasked_{};  // since the last answer
    std::vector<codec::ExecNotice> notices_;
    std::vector<codec::ExecNotice> later_notices_;  // after inventory_
    std::vector<std::string> notes_;
    std::optional<watchdog::Inventory> inventory_;
    std::optional<Error> end_;
};

}  // namespace petrel::device::exec
