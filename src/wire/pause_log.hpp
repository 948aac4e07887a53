// The five messages that a Slingshot switch writes to its log when a node pauses it for too long and when that ends, to
// text and back. The wording is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::wire {

// "[ 9943.791452] rossw rossw0: pm 19: pause too long detected, chan timeouts 0x0", written by the kernel.
struct PauseDetected {
    std::chrono::microseconds since_boot{};
    std::string device;  // "rossw rossw0"
    std::uint32_t port{};
    std::uint32_t channel_timeouts{};  // one bit for each channel
    bool operator==(const PauseDetected&) const = default;
};

// The other four are written by the fabric's agent on the switch and begin with a blank.
enum class PauseStep : std::uint8_t { asserted, entered_error, stopped, left_error };

struct PauseReport {
    PauseStep step{};
    std::uint32_t port{};
    std::string port_name;  // the xname of a jack's port; neither name nor number can be derived from the other
    std::string reason;     // for entered_error: "ERROR_STATE_..." or any other value
    bool operator==(const PauseReport&) const = default;
};

using PauseMessage = std::variant<PauseDetected, PauseReport>;

// Where and when a message was written.
struct LogOrigin {
    WallTime at{};
    std::string host;         // the xname of a switch
    std::uint32_t process{};  // process id of the fabric's agent; the kernel has none
};

LogLine pause_line(const PauseMessage&, const LogOrigin&);

// None if the line is another message, or does not name a switch or a port of one.
std::optional<PauseMessage> pause_message(const LogLine&);

}  // namespace petrel::wire
