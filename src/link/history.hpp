// The manager's log of a port's link-down events, one entry per event, identified by sequence number. Times cannot
// identify an event, because clocks jump. Nor can the port's state, because it may change and change back between two
// reads. This is the state that a manager must keep across a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "link/raw_code.hpp"

namespace petrel::link {

struct DownEvent {
    std::uint64_t seq{};
    std::uint8_t ldr{};
    std::uint8_t nldr{};
    WallTime event_at{};     // the port's time
    WallTime observed_at{};  // the manager's time
    std::optional<std::uint8_t>
        correlated_cause;  // the neighbour's reason, received by another path than the registers
    std::uint32_t suppressed{};
    bool protocol_violation{};
    std::optional<RawCode> raw{};     // the code of the device, if it has another vocabulary than the registers
    std::optional<WallTime> up_at{};  // when the link came up again; none = not yet, or not known
    bool acknowledged{};              // an operator or a manager has cleared it
    bool operator==(const DownEvent&) const = default;
};

// A neighbour's reason that arrived before the event that it explains was logged.
struct AwaitedCause {
    std::uint64_t seq{};  // number of the event
    std::uint8_t cause{};
    bool operator==(const AwaitedCause&) const = default;
};

class PortHistory {
public:
    static constexpr std::size_t kShown = 8;  // as Omni-Path tools do
    static constexpr std::size_t kKept = 64;

    PortHistory() = default;
    explicit PortHistory(std::uint64_t forgotten) : forgotten_(forgotten) {}

    // Returns false if the event is known, or not newer than the last dropped event. A known event is completed with a
    // correlated cause, a higher suppressed count, its end and its acknowledgement.
    bool add(const DownEvent&);

    // The link is up again. Ends the newest event, unless it has ended.
    void came_up(WallTime);

    // Acknowledges this event and all before it. False, without an effect: there is no such event, or it is
    // acknowledged already.
    bool acknowledge(std::uint64_t seq);

    // Adds a neighbour's reason that arrived by another path. The first reason for an event is kept. If the event is
    // not logged yet, the reason waits for it. One waiting reason is enough: a port uses the next number only after the
    // event before is logged, or will never be logged.
    void correlate(std::uint64_t seq, std::uint8_t cause);

    // nullptr if the history has no such event.
    DownEvent* find(std::uint64_t seq);
    // The oldest event that is not acknowledged: the registers show it. nullptr if there is none.
    const DownEvent* first_unacknowledged() const;

    std::span<const DownEvent> events() const { return events_; }   // oldest first
    std::vector<DownEvent> shown(bool newest_first = false) const;  // the last kShown of them
    std::uint64_t forgotten() const { return forgotten_; }          // events up to this number were dropped
    const std::optional<AwaitedCause>& awaited() const { return awaited_; }
    std::uint64_t newest() const { return events_.empty() ? forgotten_ : events_.back().seq; }

    bool operator==(const PortHistory&) const = default;

private:
    std::vector<DownEvent> events_;
    std::uint64_t forgotten_{};
    std::optional<AwaitedCause> awaited_;  // newer than all events
};

using NamedHistories = std::map<std::string, PortHistory>;  // by port name

}  // namespace petrel::link
