// A manager answers reports with any bytes, each line one answer; "-" is a refusal. The agent never counts an event as
// stored that it has not sent, and an honest manager without any memory gets every event afterwards. The same bytes as
// the agent's own record are read or refused.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "codec/uplink_json.hpp"
#include "uplink/uplink.hpp"

namespace {

using namespace petrel;
using uplink::Acknowledged;

constexpr std::uint64_t kForgotten = 3;  // events that the memory of each device does not have any more
constexpr std::uint64_t kLast = 9;

class Memory final : public uplink::Spool {
public:
    std::vector<std::string> devices() const override { return {"s0", "s1"}; }
    std::uint64_t last_seq(const std::string&) const override { return kLast; }
    std::optional<Event> at_or_after(const std::string&, std::uint64_t seq) const override
    {
        return seq > kLast ? std::nullopt : std::optional{Event{std::max(seq, kForgotten + 1), "{}"}};
    }
};

class Conversation {
public:
    // The next report; `known`: the last event of each device that any report has had.
    bool send()
    {
        now_ = std::max(now_, uplink_.wake() == kNever ? now_ : uplink_.wake());
        const auto batch = uplink_.next(memory_, true, now_);
        if (!batch) {
            return false;
        }
        for (const auto& [device, seq] : batch->upto) {
            sent_[device] = std::max(sent_[device], seq);
        }
        return true;
    }
    void answer(std::string_view body)
    {
        const auto stored = codec::read_stored(body);
        if (body.starts_with('-') || !stored) {
            static_cast<void>(codec::problem_text(body));
            uplink_.failed(body.size() % 2 == 0, std::nullopt, now_);
        } else {
            uplink_.stored(*stored, now_);
        }
        for (const auto& [device, seq] : uplink_.acknowledged()) {
            PETREL_ASSERT(seq <= std::max(sent_[device], kForgotten), "{} of {} counts as stored, {} were sent", seq,
                          device, sent_[device]);
        }
    }
    void end_honestly()
    {
        Acknowledged has{{"s0", 0}, {"s1", 0}};
        for (int report = 0; report < 64 && uplink_.waiting(memory_) + (has == all() ? 0U : 1U) != 0; ++report) {
            sent_.clear();
            if (!send()) {
                continue;
            }
            for (const auto& [device, seq] : sent_) {
                has[device] = std::max(has[device], seq);
            }
            uplink_.stored({"honest", has}, now_);
        }
        PETREL_ASSERT(has == all(), "an honest manager has {} and {}", has["s0"], has["s1"]);
    }

private:
    static Acknowledged all() { return {{"s0", kLast}, {"s1", kLast}}; }

    Memory memory_;
    uplink::Uplink uplink_{{}, memory_, 1};
    Instant now_{};
    Acknowledged sent_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    Conversation conversation;
    for (auto left = text; !left.empty();) {
        const auto line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        if (conversation.send()) {
            conversation.answer(line);
        }
    }
    conversation.end_honestly();

    constexpr std::string_view kUrl = "https://manager:7650";
    if (const auto record = codec::read_acknowledged(text, kUrl)) {
        const auto again = codec::read_acknowledged(codec::acknowledged_json(kUrl, *record), kUrl);
        PETREL_ASSERT(again && *again == *record, "not the same after writing and reading");
    } else {
        PETREL_ASSERT(!record.error().what.empty(), "refused without a reason");
    }
    return 0;
}
