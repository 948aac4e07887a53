// Which ports of a fabric are in error although their links are up: paused for too long, or in a storm. Events may
// arrive in any order and repeatedly: the result depends only on the set of events.
//
//   event      error not open             error open
//   opened     opens, if the link is up   counted again
//   closed     -                          closes
//   link_down  the link is down           closes: there is no pause on a link that is down
//   link_up    the link is up             -
//   forgotten  -                          closes: the source does not have the error any more
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "link/taxonomy.hpp"
#include "watchdog/event.hpp"

namespace petrel::fabric {

struct PortEvent {
    // forgotten has the position of the last event that opened the error: it comes directly after it.
    enum class Kind : std::uint8_t { opened, closed, link_down, link_up, forgotten };

    std::uint64_t boot{};  // number of restarts of the source; (boot, seq) is the true order of its events
    std::uint64_t seq{};
    Kind kind{};
    link::Canonical cause{};           // for Kind opened and closed: the cause of the error
    std::optional<Priority> priority;  // none: the whole port
    WallTime at{};
    std::string raw;  // the source's own name of the cause
    auto operator<=>(const PortEvent&) const = default;
};

// The error of a port that a watchdog's event opens or closes; none if it does neither. Each storm is closed once, by
// an event that need not repeat the cause.
std::optional<PortEvent> port_event(const watchdog::Event&, std::uint64_t boot, WallTime at);

struct PortErrorRecord {
    enum class Closed : std::uint8_t { not_yet, by_event, by_link_down, forgotten };

    link::Canonical cause{};
    std::optional<Priority> priority;
    std::string raw;
    std::uint32_t times{};  // number of reports while open
    WallTime opened_at{};
    WallTime closed_at{};
    Closed closed{};
    std::uint64_t boot{};  // of the event that opened it
    std::uint64_t seq{};
    std::uint64_t last_boot{};  // of the event that reported it last
    std::uint64_t last_seq{};
    bool operator==(const PortErrorRecord&) const = default;
};

class PortErrors {
public:
    // Per port; beyond that, the oldest are dropped that do not matter any more: the opening of an error that is open
    // stays.
    static constexpr std::size_t kEventsKept = 256;

    void put(const std::string& port, PortEvent);

    // The port's errors, oldest first, including closed ones.
    std::vector<PortErrorRecord> errors(const std::string& port) const;
    bool in_error(const std::string& port) const;
    std::vector<std::string> ports() const;  // ports with events

private:
    std::map<std::string, std::set<PortEvent>> events_;
};

}  // namespace petrel::fabric
