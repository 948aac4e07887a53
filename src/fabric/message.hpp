// A message about a device of the fabric, as the manager receives it from an agent or from a log.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "link/taxonomy.hpp"
#include "watchdog/event.hpp"

namespace petrel::fabric {

// agent: an agent reports the events of its device. log: the manager reads the log of the device. manager: the manager
// finds an error that the agent does not have any more.
enum class Channel : std::uint8_t { agent, log, manager };
std::string_view name(Channel);
std::optional<Channel> channel_from_name(std::string_view);

struct Source {
    std::string device;
    Channel channel{};
    auto operator<=>(const Source&) const = default;
};

// Identifies a message of a source, and gives its place in the order of the source.
//   agent    epoch: how often the agent has begun to count again; number: its count, without gaps
//   log      epoch: the time of the line in microseconds; number: a checksum of the line
//   manager  the position of the agent's message that reported the error last: an error ends once without the agent
struct Position {
    std::uint64_t epoch{};
    std::uint64_t number{};
    auto operator<=>(const Position&) const = default;
};

struct Message {
    // other: changes no port, but shows that the device reports and that no message is missing.
    enum class Kind : std::uint8_t { error_opened, error_closed, link_down, link_up, other };

    Source source;
    Position position;
    Kind kind{};
    std::string port;                            // empty: the whole device
    std::optional<Priority> priority;            // none: the whole port
    link::Canonical cause{};                     // of the error, or why the link went down
    WallTime at{};                               // by the clock of the source
    WallTime observed_at{};                      // by the manager's clock
    std::string text;                            // of the source, for display
    std::optional<watchdog::LinkReason> link{};  // of link_down and link_up; none: the source has it only as text
    auto operator<=>(const Message&) const = default;
};

}  // namespace petrel::fabric
