// The step machine around the watchdog. It calls nothing and waits for nothing: looks wanted, commands, events and the
// next wake-up come out; time, observations, outcomes, notices and orders go in. A thread, a simulated clock or a test
// drives it.
//
// One look is under way at a time. An overdue look is counted and still used when it arrives, since reading a
// continuous pause state consumes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "device/journal.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::agent {

struct Tick {};
struct LookDone {
    std::uint64_t look{};
    const watchdog::Observations* seen{};  // null: the device could not be read at all
};
struct Overdue {
    std::uint64_t look{};
};

// What is known at start: what we remember, what the journal says is in force, what the device shows.
struct Start {
    std::optional<watchdog::Checkpoint> remembered;
    std::vector<device::Active> journaled;
    std::vector<std::pair<Target, watchdog::Treatment>> found;
};

// A Start that comes later is about rows that were not there before.
using Input = std::variant<Tick, LookDone, Overdue, watchdog::Outcome, watchdog::Notice, watchdog::Order,
                           watchdog::Watchlist, Start>;

struct LookRequest {
    std::uint64_t look{};
    std::span<const Slot> rows;  // empty = all; valid until the next step
    Instant deadline;
};

// What one step wants done. The runner does it, then clear()s.
struct Output {
    std::optional<LookRequest> look;
    watchdog::Outbox box;  // commands and events; its looks are the agent's own business
    Instant wake{kNever};

    void clear();
};

struct Counters {
    std::uint64_t looks{};
    std::uint64_t polls_missed{};  // whole poll periods in which no look began
    std::uint64_t looks_overdue{};
    std::uint64_t looks_failed{};
};

class Agent {
public:
    Agent(watchdog::Watchlist, const Start&, Now, Output&);  // reconciles the three; what has no reason is undone

    void step(const Input&, Now, Output&);

    watchdog::Checkpoint save(Instant now) const { return watchdog_.save(now); }
    const watchdog::Watchdog& watchdog() const { return watchdog_; }
    const Counters& counters() const { return counters_; }
    bool stopped() const;  // a stop was ordered and nothing is left to do

private:
    void adopt(const Start&, Now, Output&);
    void ask(Now, Output&);
    void finish_look(const LookDone&, Now, Output&);
    void remember_looks(Output&);

    watchdog::Watchdog watchdog_;
    Duration poll_;
    Instant next_poll_;
    std::vector<watchdog::LookAgain> again_;  // soonest first
    std::vector<Slot> asked_;                 // rows of the look under way; empty = all
    std::optional<LookRequest> under_way_;
    std::uint64_t next_look_{1};
    Counters counters_;
    bool stopping_{};
};

}  // namespace petrel::agent
