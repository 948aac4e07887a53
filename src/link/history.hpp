// The manager's log of a port's link-down events, one entry per event, identified by sequence number. Times cannot
// identify an event, because clocks jump. Nor can the port's state, because it may change and change back between two
// reads. This is the state that a manager must keep across a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"

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
    // correlated cause and a higher suppressed count.
    bool add(const DownEvent&);

    // Adds a neighbour's reason that arrived by another path. The first reason for an event is kept. If the event is
    // not logged yet, the reason waits for it. One waiting reason is enough: a port uses the next number only after the
    // event before is logged, or will never be logged.
    void correlate(std::uint64_t seq, std::uint8_t cause);

    // nullptr if the history has no such event.
    DownEvent* find(std::uint64_t seq);

    std::span<const DownEvent> events() const { return events_; }   // oldest first
    std::vector<DownEvent> shown(bool newest_first = false) const;  // the last kShown of them
    std::uint64_t forgotten() const { return forgotten_; }          // events up to this number were dropped
    const std::optional<AwaitedCause>& awaited() const { return awaited_; }

    bool operator==(const PortHistory&) const = default;

private:
    std::uint64_t newest() const { return events_.empty() ? forgotten_ : events_.back().seq; }

    std::vector<DownEvent> events_;
    std::uint64_t forgotten_{};
    std::optional<AwaitedCause> awaited_;  // newer than all events
};

}  // namespace petrel::link
