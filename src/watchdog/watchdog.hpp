// The sparse half of the watchdog: it decides what a full clock means. A pure state machine over rows and sites. Its
// inputs are time and observations, its outputs are commands, events and requests for looks.
//
// clang-format off
// A row decides from evidence:                                   A site (a queue, or a port for all its queues) commands:
//   watching  --T0 of storm-->        stormed, alerted, withheld    it wants the strongest treatment that its rows want
//   stormed   --T1 of quiet-->        restoring                     and commands it until the device shows it:
//   stormed   --N storms in M-->      latched                       again, with back-off, after a failure or no answer;
//   latched   --release-->            restoring                     the next weaker treatment after a refusal;
//   withheld  --budget free-->        stormed                       an escalation when no treatment is left
//   restoring --site shows none-->    probing, or watching
//   probing   --storm-->              stormed, with a longer T1
//   probing   --T0 + T2 without-->    watching
//   any       --link down-->          restoring (a latch stays)
// clang-format on
//
// If the outbox has no room for the results of a decision, the whole decision waits for the next pass. look() and
// tick() do not allocate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "watchdog/checkpoint.hpp"
#include "watchdog/event.hpp"
#include "watchdog/row_map.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::watchdog {

struct LookAgain {
    Slot slot;
    Instant at;
};

// The results of a pass. Its room is bounded and allocated once. The caller takes the results and calls clear() between
// passes.
struct Outbox {
    explicit Outbox(std::size_t room = 256);
    void clear();

    std::vector<Command> commands;
    std::vector<Event> events;
    std::vector<LookAgain> looks;
    bool overflowed{};  // a decision waits for the next pass

    bool room_for(std::size_t events_wanted, std::size_t commands_wanted);

private:
    std::size_t room_;
};

class Machine;

class Watchdog {
public:
    Watchdog(Watchlist, Instant now);
    ~Watchdog();
    Watchdog(Watchdog&&) noexcept;
    Watchdog& operator=(Watchdog&&) noexcept;

    void look(const Observations&, Instant now, Outbox&);  // the poll pass
    void tick(Instant now, Outbox&);                       // timers alone: retries, forced releases, probes
    void settle(const Outcome&, Instant now, Outbox&);
    void receive(const Notice&, Instant now, Outbox&);
    void report(const LinkEvent&, Instant now, Outbox&);
    void order(const Order&, Instant now, Outbox&);

    // Changes the policies or the inventory. State is carried over by the target's name, and treatments that are no
    // longer wanted are restored. After stop_and_hold this does nothing: the change takes effect at the next start.
    void change(Watchlist, Instant now, Outbox&);
    // Closes the storms of rows that the next watchlist does not have: no later event could name them. Their treatments
    // stay in force and in the journal.
    void leave(std::span<const Slot> rows, Instant now, Outbox&);

    Checkpoint save(Instant now) const;
    void load(const Checkpoint&, Instant now);

    // Called at start for each target that the device shows treated or that should be treated; keep = there is a reason
    // for the treatment. Commands wait for the tick() after the last adopt(), because until then the state from the
    // checkpoint is not yet compared with the device for all targets.
    void adopt(const Target&, Treatment found, bool keep, Instant now, Outbox&);

    Instant next_timer() const;  // when tick() is due; kNever if it is not
    bool idle() const;           // no command outstanding and none wanted
    Phase phase(Slot) const;
    bool held(Slot) const;  // in phase latched by an operator's hold
    Treatment in_effect(Slot) const;
    QueueStats stats(Slot, Instant now) const;
    Duration proven(Slot) const;  // time proven of storm while watching, of quiet while mitigated
    const Watchlist& watchlist() const;
    const RowMap& row_map() const;

private:
    std::unique_ptr<Machine> machine_;
};

}  // namespace petrel::watchdog
