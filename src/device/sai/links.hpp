// The links of a library's ports: how often each went down, and why. A notification counts a link that goes down even
// if it is up again before the next read. A library that loses notifications, or sends none, is followed by reading.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/sai/library.hpp"
#include "device/sai/objects.hpp"
#include "link/link_sample.hpp"

namespace petrel::device::sai {

class Links {
public:
    // All references outlive this object; ports do not change.
    Links(const Library&, std::span<const PortObjects>);

    // A notification of the library. May be called in any thread.
    void receive(std::size_t port, const abi::PortStateNotice&) noexcept;

    // Ports whose state is not known are left out.
    std::vector<link::LinkSample> read();

private:
    enum class State : std::uint8_t { unknown, up, down };
    struct Port {
        std::atomic<State> state{State::unknown};    // as last read or reported
        std::atomic<std::uint32_t> downs{};          // since the last read
        std::atomic<std::uint32_t> reported_bits{};  // why it last went down, of a library that reports it at once
        std::atomic<std::uint32_t> notices{};
        link::LinkSample shown;
    };

    static State state_of(std::int32_t oper_status);
    static void enter(Port&, State) noexcept;
    State read_state(std::size_t port) const;
    void show(std::size_t port);
    std::optional<link::RawCode> read_code(std::size_t port) const;

    const Library& library_;
    std::span<const PortObjects> objects_;
    std::vector<Port> ports_;
    bool has_errors_;  // in attributes and notifications
    std::uint8_t code_list_;
};

}  // namespace petrel::device::sai
