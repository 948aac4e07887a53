// The state machine behind Watchdog (its table is in watchdog.hpp), in four files: machine_look.cpp is the poll pass
// and the timers, machine_storm.cpp begins and ends storms, machine_input.cpp takes outcomes, notices and orders,
// machine_memory.cpp saves and loads checkpoints and carries state over to a new watchlist.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/indexed.hpp"
#include "watchdog/recorder.hpp"
#include "watchdog/row_map.hpp"
#include "watchdog/sites.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::watchdog {

class Machine {
public:
    explicit Machine(Watchlist);
    Machine(const Machine&) = delete;  // its sites refer to its map
    Machine& operator=(const Machine&) = delete;

    void look(const Observations&, Instant now, Outbox&);
    void tick(Instant now, Outbox&);
    void settle(const Outcome&, Instant now, Outbox&);
    void receive(const Notice&, Instant now, Outbox&);
    void report(const LinkEvent&, Instant now, Outbox&);
    void order(const Order&, Instant now, Outbox&);

    Checkpoint save(Instant now) const;
    void load(const Checkpoint&, Instant now);
    void adopt(const Target&, Treatment found, bool keep, Instant now, Outbox&);
    void inherit(const Machine& old, Instant now);
    void leave(std::span<const Slot> rows, Instant now, Outbox&);
    void apply_big_red_switch(Instant now);

    Instant next_timer() const;
    bool idle() const { return sites_.idle(); }
    bool held() const { return sites_.frozen(); }  // after stop_and_hold: nothing changes until the next start
    bool held_by_order(Slot row) const { return rows_[row].held; }
    Phase phase(Slot row) const;
    Treatment in_effect(Slot row) const;
    QueueStats stats(Slot row, Instant now) const;
    Duration proven(Slot row) const { return std::chrono::microseconds{clocks_.proven_us[row]}; }
    const Watchlist& watchlist() const { return list_; }
    const RowMap& row_map() const { return map_; }

private:
    // A device that treats a storm by itself sends a notice when it is over. If the queue is quiet for so many T1 of
    // the device, or shows no signal for so long, the notice is lost: the storm is closed without it.
    static constexpr int kNoticeOverdue = 2;

    // A NIC that refused every treatment is tried again after this time, and after twice the time with each refusal.
    static constexpr Duration kTryAgainAfter = std::chrono::seconds{1};
    static constexpr std::uint8_t kMostDoubledTries = 6;

    // A probe takes at least this many looks: the interval of the first one began before the probe.
    static constexpr std::uint8_t kProbeLooks = 2;

    enum class Decision : std::uint8_t { off, watching, alerted, withheld, stormed, probing, restoring, latched };
    enum class Origin : std::uint8_t { evidence, operator_, red_switch, device };

    struct WaitingOrder {
        Origin origin{};
        std::uint64_t cause{};
    };

    struct Row {
        Decision decision{};
        Origin origin{};
        Treatment treatment{};  // wanted while stormed or latched
        Treatment by_device{};  // what the device applies by itself, in a storm that it has detected
        Duration recovery{};    // ... and for how long; zero = for T1
        Reason ending{};        // why it is restoring
        std::uint8_t backoff{};
        bool active{};       // listed in active_
        bool counted{};      // counted in mitigated_
        bool goes_on{true};  // false after a load, until a look shows that the storm goes on
        bool shared{};       // another row of its port announces and closes its storm
        bool held{};         // latched by an order
        SiteId site;         // where its treatment is applied
        Instant since;       // when the decision was made
        Instant began;       // when the storm began
        Duration paused{};   // length of the current pause without a break, while in a storm
        Instant restored_at{Instant::min()};
        std::uint64_t cause{};
        std::optional<WaitingOrder> next;  // waits until the current storm is closed
        std::uint32_t end_proven_us{};     // its clock when the storm began, or when restoring was decided
        std::uint32_t end_limit_us{};
        std::uint8_t probe_looks{};    // so far, while probing; up to kProbeLooks
        Duration without_proof{};      // while mitigated: time since the last pause that proved neither pause nor quiet
        Instant try_again_at{kNever};  // while alerted: a device that refused every treatment is tried again
        std::uint8_t refusals{};       // how often it refused every treatment in this storm
        bool tries_again{};            // a treatment is tried again; an event announces it if it takes effect
    };

    // Rows.
    const Effective& effective(Slot r) const { return list_.rows[r.value]; }
    bool watched(Slot r) const { return effective(r).policy != kUnwatched; }
    const Policy& policy(Slot r) const { return list_.policies[effective(r).policy]; }
    Criterion criterion(Slot r) const { return watched(r) ? policy(r).criterion : Criterion::continuous; }
    bool under_treatment(Slot r) const;
    bool at_work(Slot r) const;
    // It stays latched until it is repaired.
    bool is_latched_nic(Slot r) const
    {
        return rows_[r].decision == Decision::latched && criterion(r) == Criterion::receive_stall;
    }
    bool in_storm(Slot r) const { return at_work(r) && rows_[r].origin != Origin::red_switch; }
    // What an operator or the big red switch mitigates is no storm.
    static bool by_order(const Row& row) { return row.origin == Origin::operator_ || row.origin == Origin::red_switch; }
    static bool counts_as_mitigated(const Row&);
    const Run* run_of(Slot r) const;
    const Rule& rule_of(Slot r) const;

    // The poll pass and timers.
    static bool worth_visiting(std::uint32_t left, const Rule&, const Outbox&);
    void visit(const Run&, Slot first, std::span<const std::uint32_t> left, const Observations&, Instant now, Outbox&);
    void visit_row(Slot r, std::uint32_t left, const Rule&, const Observations&, Instant now, Outbox&);
    void clock_full(Slot r, Instant now, Outbox&);
    void account(Slot r, const Observations&, Instant now);
    void count_time_without_proof(Slot r, const Observations&, Instant now);
    void hold_back_retries(Slot r);
    Instant deadline(Slot r) const;
    void serve(Slot r, Instant now, Outbox&);
    void report_red_switch(Instant now, Outbox&);
    void begin_waiting_storms(Instant now, Outbox&);
    bool proven_again(Slot r) const;
    void use_budget(Instant now, Outbox&);

    // Clocks.
    void watch(Slot r, Duration limit);
    void stop_clock(Slot r);
    void wait_for_quiet(Slot r);
    bool ends_by_quiet(Slot r) const;
    Duration restore_time(Slot r) const;
    Duration notice_overdue(Slot r) const;
    Duration probe_time(Slot r) const;
    Duration probe_wait(Slot r) const;
    static std::uint32_t limit_us(Duration);
    std::uint32_t full_at(Duration limit) const;

    // A storm begins and ends.
    void decide(Slot r, Decision, Instant now);
    void begin(Slot r, Origin, Instant now);
    void begin_uncounted(Slot r, Origin, Instant now);
    void storm(Slot r, Instant now, Outbox&);
    void begin_storm(Slot r, Reason why, Instant now, Outbox&);
    void mitigate(Slot r, Reason why, Instant now, Outbox&);
    void announce(Slot r, Reason why, Instant now, Outbox&);
    void plan_next_try(Slot r, Instant now);
    void try_again(Slot r, Instant now);
    void apply(Slot r, Treatment);
    bool over_budget() const { return list_.max_mitigated != 0 && mitigated_ >= list_.max_mitigated; }
    void adjust_backoff(Slot r, Instant now);
    EventKind begin_kind(Slot r, bool latch) const;  // the event that announces its storms
    bool latches(Slot r, Instant now);
    std::span<Instant> storms_of(Slot r) { return std::span{storms_}.subspan(r.value * latch_depth_, latch_depth_); }
    std::span<const Instant> storms_of(Slot r) const
    {
        return std::span{storms_}.subspan(r.value * latch_depth_, latch_depth_);
    }
    bool whole_site_quiet(Slot r) const;
    void release(Slot r, Reason why, Instant now);
    void finish(Slot r, Instant now, Outbox&);
    bool status_goes_on(Slot r, Reason ending) const;
    void stay_in_error(Slot r, Instant now);
    void close_storm(Slot r, Reason why, Instant now, Outbox&);
    void link_down(Slot r, Instant now);
    void update_want(SiteId site, Instant now);
    SiteId site_for(Slot r, Treatment) const;
    std::uint64_t emit(Outbox&, EventKind, Reason why, Slot r, Instant now);

    // Outcomes and orders.
    void storm_of_nic(Slot r, Instant now, Outbox&);
    void step_down(SiteId site, Instant now);
    bool report_failure(SiteId site, const Failure&, Instant now, Outbox&);
    void give_up(SiteId site, Instant now);
    Event order_event(const Order&, Instant now);
    void mitigate_by_order(Slot r, Origin, std::uint64_t cause, Instant now);
    Treatment treatment_by_order(Slot r, Origin) const;
    void take_over(Slot r, Instant now, Outbox&);
    void release_by_order(Slot r, Reason why, Instant now);
    void red_switch(bool on, Instant now);
    void stop(Instant now);
    void hold(Instant now);

    // Memory.
    Checkpoint::Row save_row(Slot r, Instant now) const;
    void load_row(Slot r, const Checkpoint::Row&, Instant now);
    bool may_act_now(Slot r) const;
    void take_site(SiteId mine, const Machine& old, SiteId theirs, Instant now);
    void inherit_row(Slot r, const Machine& old, Slot from, Instant now);
    void keep_departed(const std::string& name, const QueueStats&);
    void take_back_departed();

    Watchlist list_;
    RowMap map_;
    AlignedColumns storage_;
    Clocks clocks_;
    Recorder recorder_;
    IndexedVector<Slot, Row> rows_;
    IndexedVector<Slot, QueueStats> stats_;
    std::map<std::string, QueueStats> departed_;  // of rows that have left the inventory, by name, until they come back
    std::size_t latch_depth_{};
    std::vector<Instant> storms_;  // start of the last latch_depth_ storms of each row, newest first
    std::vector<Slot> active_;     // rows that are neither off nor just watching
    Sites sites_;
    std::uint64_t next_seq_{1};
    bool full_clocks_wait_{};    // a storm found no room in the outbox
    std::uint32_t mitigated_{};  // rows mitigated by evidence; limited by max_mitigated
    bool red_{};                 // the big red switch is on
    bool red_by_order_{};        // an operator turned it on, not the configuration
    bool red_unreported_{};      // the configuration turned it on, and the event is not emitted yet
    bool stopping_{};
};

}  // namespace petrel::watchdog
