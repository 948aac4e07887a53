// The state machine behind Watchdog (its table is in watchdog.hpp), in four files: machine_look.cpp is the poll pass
// and the timers, machine_storm.cpp begins and ends storms, machine_input.cpp takes outcomes, notices and orders,
// machine_memory.cpp saves and loads checkpoints and carries state over to a new watchlist.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
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
    void hear(const Notice&, Instant now, Outbox&);
    void order(const Order&, Instant now, Outbox&);

    Checkpoint save(Instant now) const;
    void load(const Checkpoint&, Instant now);
    void adopt(const Target&, Treatment found, bool keep, Instant now, Outbox&);
    void inherit(const Machine& old, Instant now);
    void throw_configured_switch(Instant now);

    Instant next_timer() const;
    bool idle() const { return sites_.idle(); }
    bool held() const { return sites_.frozen(); }  // after stop_and_hold: nothing changes until the next start
    Phase phase(std::uint32_t row) const;
    Treatment in_effect(std::uint32_t row) const;
    QueueStats stats(std::uint32_t row, Instant now) const;
    Duration proven(std::uint32_t row) const { return std::chrono::microseconds{clocks_.proven_us[row]}; }
    const Watchlist& watchlist() const { return list_; }
    const RowMap& row_map() const { return map_; }

private:
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
        Reason ending{};        // why it is restoring
        std::uint8_t backoff{};
        bool active{};         // listed in active_
        bool counted{};        // counted in mitigated_
        std::uint32_t site{};  // where its treatment is applied
        Instant since;         // when the decision was made
        Instant began;         // when the storm began
        Instant paused_from;   // start of the current pause without a break, while in a storm
        Instant restored_at{Instant::min()};
        std::uint64_t cause{};
        std::optional<WaitingOrder> next;  // waits until the current storm is closed
        std::uint32_t end_proven_us{};     // its clock when restoring or withholding was decided
        std::uint32_t end_limit_us{};
        std::uint8_t probe_looks{};  // so far, while probing; up to kProbeLooks
        Duration without_proof{};    // while mitigated: time since the last pause that proved neither pause nor quiet
    };

    // Rows.
    bool watched(std::uint32_t r) const { return list_.rows[r].policy != kUnwatched; }
    const Policy& policy(std::uint32_t r) const { return list_.policies[list_.rows[r].policy]; }
    Criterion criterion(std::uint32_t r) const { return watched(r) ? policy(r).criterion : Criterion::continuous; }
    bool under_treatment(std::uint32_t r) const;
    bool at_work(std::uint32_t r) const;
    bool in_storm(std::uint32_t r) const { return at_work(r) && rows_[r].origin != Origin::red_switch; }
    static bool counts_as_mitigated(const Row&);
    const Run* run_of(std::uint32_t r) const;
    const Rule& rule_of(std::uint32_t r) const;

    // The poll pass and timers.
    static bool worth_visiting(std::uint32_t left, const Rule&, const Outbox&);
    void visit(const Run&, std::uint32_t first, std::span<const std::uint32_t> left, const Observations&, Instant now,
               Outbox&);
    void visit_row(std::uint32_t r, std::uint32_t left, const Rule&, const Observations&, Instant now, Outbox&);
    void clock_full(std::uint32_t r, Instant now, Outbox&);
    void account(std::uint32_t r, const Observations&, Instant now);
    void count_time_without_proof(std::uint32_t r, const Observations&, Instant now);
    Instant deadline(std::uint32_t r) const;
    void serve(std::uint32_t r, Instant now, Outbox&);
    void tell_red_switch(Instant now, Outbox&);
    void begin_waiting_storms(Instant now, Outbox&);
    void use_budget(Instant now, Outbox&);

    // Clocks.
    void watch(std::uint32_t r, Duration limit);
    void stop_clock(std::uint32_t r);
    void wait_for_quiet(std::uint32_t r);
    bool ends_by_quiet(std::uint32_t r) const;
    Duration restore_time(std::uint32_t r) const;
    Duration probe_time(std::uint32_t r) const;
    Duration probe_wait(std::uint32_t r) const;
    std::uint32_t full_at(Duration limit) const;

    // A storm begins and ends.
    void decide(std::uint32_t r, Decision, Instant now);
    void begin(std::uint32_t r, Origin, Instant now);
    void storm(std::uint32_t r, Instant now, Outbox&);
    void mitigate(std::uint32_t r, Instant now, Outbox&);
    void apply(std::uint32_t r, Treatment);
    bool over_budget() const { return list_.max_mitigated != 0 && mitigated_ >= list_.max_mitigated; }
    void adjust_backoff(std::uint32_t r, Instant now);
    EventKind begin_kind(std::uint32_t r, bool latch) const;  // the event that announces its storms
    bool latches(std::uint32_t r, Instant now);
    bool whole_site_quiet(std::uint32_t r) const;
    void release(std::uint32_t r, Reason why, Instant now);
    void finish(std::uint32_t r, Instant now, Outbox&);
    void close_storm(std::uint32_t r, Reason why, Instant now, Outbox&);
    void link_down(std::uint32_t r, Instant now);
    void wish(std::uint32_t site, Instant now);
    std::uint32_t site_for(std::uint32_t r, Treatment) const;
    std::uint64_t emit(Outbox&, EventKind, Reason why, std::uint32_t r, Instant now);

    // Outcomes and orders.
    void step_down(std::uint32_t site, Instant now);
    bool tell_failure(std::uint32_t site, const Failure&, Instant now, Outbox&);
    void give_up(std::uint32_t site, Instant now);
    Event order_event(const Order&, Instant now);
    void mitigate_by_order(std::uint32_t r, Origin, std::uint64_t cause, Instant now);
    Treatment treatment_by_order(std::uint32_t r, Origin) const;
    void take_over(std::uint32_t r, Instant now, Outbox&);
    void release_by_order(std::uint32_t r, Reason why, Instant now);
    void red_switch(bool on, Instant now);
    void stop(Instant now);
    void hold(Instant now);

    // Memory.
    Checkpoint::Row save_row(std::uint32_t r, Instant now) const;
    void load_row(std::uint32_t r, const Checkpoint::Row&, Instant now);
    bool may_act_now(std::uint32_t r) const;
    void take_site(std::uint32_t mine, const Machine& old, std::uint32_t theirs, Instant now);
    void inherit_row(std::uint32_t r, const Machine& old, std::uint32_t from, Instant now);

    Watchlist list_;
    RowMap map_;
    AlignedColumns storage_;
    Clocks clocks_;
    Recorder recorder_;
    std::vector<Row> rows_;
    std::vector<QueueStats> stats_;
    std::size_t latch_depth_{};
    std::vector<Instant> storms_;        // start of the last latch_depth_ storms of each row, newest first
    std::vector<std::uint32_t> active_;  // rows that are neither off nor just watching
    Sites sites_;
    std::uint64_t next_seq_{1};
    bool full_clocks_wait_{};    // a storm found no room in the outbox
    std::uint32_t mitigated_{};  // rows mitigated by evidence; limited by max_mitigated
    bool red_{};                 // the big red switch is on
    bool red_by_order_{};        // an operator turned it on, not the configuration
    bool red_untold_{};          // the configuration turned it on, and the event is not emitted yet
    bool stopping_{};
};

}  // namespace petrel::watchdog
