// What a manager remembers of the times a port went down: one entry per event, by sequence number. Never by time, which
// may jump, nor by the port's state, which may have changed and changed back between two looks. All that a manager must
// not forget when it restarts is here.
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
    WallTime event_at{};     // by the port
    WallTime observed_at{};  // by the manager
    std::optional<std::uint8_t>
        correlated_cause;  // the neighbour's reason, come by another way; no register ever held it
    std::uint32_t suppressed{};
    bool protocol_violation{};
    bool operator==(const DownEvent&) const = default;
};

// A neighbour's reason that has come before the event it explains was logged.
struct AwaitedCause {
    std::uint64_t seq{};  // of that event
    std::uint8_t cause{};
    bool operator==(const AwaitedCause&) const = default;
};

class PortHistory {
public:
    static constexpr std::size_t kShown = 8;  // as Omni-Path tools do
    static constexpr std::size_t kKept = 64;

    PortHistory() = default;
    explicit PortHistory(std::uint64_t forgotten) : forgotten_(forgotten) {}

    // False: this event is known, or older than what has been forgotten. Of a known one, what is told now and was not
    // before is kept.
    bool add(const DownEvent&);

    // The neighbour's reason for this event has come by another way. The first one counts; it waits for an event that
    // is still to be logged. One is enough: a port has a next number only when the event before is logged, or will
    // never be.
    void correlate(std::uint64_t seq, std::uint8_t cause);

    // nullptr: no such event is kept.
    DownEvent* find(std::uint64_t seq);

    std::span<const DownEvent> events() const { return events_; }   // oldest first
    std::vector<DownEvent> shown(bool newest_first = false) const;  // the last kShown of them
    std::uint64_t forgotten() const { return forgotten_; }          // up to this number
    const std::optional<AwaitedCause>& awaited() const { return awaited_; }

    bool operator==(const PortHistory&) const = default;

private:
    std::uint64_t newest() const { return events_.empty() ? forgotten_ : events_.back().seq; }

    std::vector<DownEvent> events_;
    std::uint64_t forgotten_{};
    std::optional<AwaitedCause> awaited_;  // newer than all events
};

}  // namespace petrel::link
