// Which ports of a fabric are in error although their links are up: paused for too long, or in a storm. Events may come
// in any order and any number of times; what is shown depends only on which events have come, never on how.
//
//   event      error not open             error open
//   opened     opens, if the link is up   counted again
//   closed     -                          closes
//   link_down  the link is down           closes: nothing is paused on a dead link
//   link_up    the link is up             -
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
    enum class Kind : std::uint8_t { opened, closed, link_down, link_up };

    std::uint64_t boot{};  // the source's restarts, and its events since: their order is the truth's
    std::uint64_t seq{};
    Kind kind{};
    link::Canonical cause{};           // of opened and closed
    std::optional<Priority> priority;  // none: the whole port
    WallTime at{};
    std::string raw;  // the source's own word for the cause
    auto operator<=>(const PortEvent&) const = default;
};

// What a watchdog's event says about errors of its port; none if it says nothing about them. Each storm is closed once,
// by an event that need not repeat what it was.
std::optional<PortEvent> port_event(const watchdog::Event&, std::uint64_t boot, WallTime at);

struct PortErrorRecord {
    enum class Closed : std::uint8_t { not_yet, by_event, by_link_down };

    link::Canonical cause{};
    std::optional<Priority> priority;
    std::string raw;
    std::uint32_t times{};  // that it was reported while open
    WallTime opened_at{};
    WallTime closed_at{};
    Closed closed{};
    bool operator==(const PortErrorRecord&) const = default;
};

class PortErrors {
public:
    static constexpr std::size_t kEventsKept = 256;  // of a port; beyond, the oldest are forgotten

    void put(const std::string& port, PortEvent);

    // The port's errors, oldest first; those that are over are among them.
    std::vector<PortErrorRecord> errors(const std::string& port) const;
    bool in_error(const std::string& port) const;
    std::vector<std::string> ports() const;  // that have been heard of

private:
    std::map<std::string, std::set<PortEvent>> events_;
};

}  // namespace petrel::fabric
