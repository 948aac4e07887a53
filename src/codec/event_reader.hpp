// Reads a line of docs/events.md, for `petrel events` and for decisions from before a restart of the agent. Accepts
// unknown names: a newer agent may write names that this version does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "watchdog/event.hpp"

namespace petrel::codec {

struct EventLine {
    std::uint64_t seq{};  // 0 = none
    std::int64_t time_us{};
    std::string event;  // as written, known to this version or not
    std::string device;
    std::string port;  // empty = the whole device
    std::optional<Priority> priority{};
    std::string queue;  // "Ethernet4:3", "Ethernet4"; empty = the whole device
    std::string policy;
    std::string action;
    // The data for the description of the event: number, kind, reason, priority, evidence without its looks, name of
    // the operator. None if this version does not have the event.
    std::optional<watchdog::Event> known;
};

Result<EventLine> read_event(std::string_view line);

}  // namespace petrel::codec
