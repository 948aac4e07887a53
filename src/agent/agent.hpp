// The step machine around the watchdog. It calls nothing and waits for nothing. Its inputs are time, observations,
// outcomes, notices and orders. Its outputs are requests for looks, commands, events and the time of the next wake-up.
// A thread, a simulated clock or a test drives it.
//
// One look is under way at a time. An overdue look is counted, and its result is still used when it arrives: reading a
// continuous pause state resets it, so a second read could not get it back.
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
    const watchdog::Observations* seen{};  // null: the device could not be read
};
struct Overdue {
    std::uint64_t look{};
};

// The state at start: from the checkpoint, from the journal (treatments in force) and from the device.
struct Start {
    std::optional<watchdog::Checkpoint> remembered;
    std::vector<device::Active> journaled;
    std::vector<std::pair<Target, watchdog::Treatment>> found;
};

// These rows leave the inventory. The next input is the watchlist without them.
struct Leaving {
    std::vector<Slot> rows;
};

// A later Start covers rows that were not in the inventory before.
using Input = std::variant<Tick, LookDone, Overdue, watchdog::Outcome, watchdog::Notice, watchdog::LinkEvent,
                           watchdog::Order, watchdog::Watchlist, Start, Leaving>;

struct LookRequest {
    std::uint64_t look{};
    std::span<const Slot> rows;  // empty = all; valid until the next step
    Instant deadline;
};

// The results of one step. The runner carries them out and then calls clear().
struct Output {
    std::optional<LookRequest> look;
    watchdog::Outbox box;  // commands and events; only the agent uses its looks
    Instant wake{kNever};

    void clear();
};

struct Counters {
    std::uint64_t looks{};
    std::uint64_t polls_missed{};  // poll periods in which no look began
    std::uint64_t looks_overdue{};
    std::uint64_t looks_failed{};
};

class Agent {
public:
    // Reconciles the three sources of Start. A treatment without a reason is restored.
    Agent(watchdog::Watchlist, const Start&, Now, Output&);

    void step(const Input&, Now, Output&);

    watchdog::Checkpoint save(Instant now) const { return watchdog_.save(now); }
    const watchdog::Watchdog& watchdog() const { return watchdog_; }
    const Counters& counters() const { return counters_; }
    bool stopped() const;  // a stop was ordered and no command is outstanding

private:
    void adopt(const Start&, Now, Output&);
    void request_look(Now, Output&);
    void finish_look(const LookDone&, Now, Output&);
    void remember_looks(Output&);

    watchdog::Watchdog watchdog_;
    Duration poll_;
    Instant next_poll_;
    std::vector<watchdog::LookAgain> again_;  // soonest first
    std::vector<Slot> look_rows_;             // rows of the look under way; empty = all
    std::optional<LookRequest> under_way_;
    std::uint64_t next_look_{1};
    Counters counters_;
    bool stopping_{};
};

}  // namespace petrel::agent
