// The poll pass and timers.
#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "watchdog/machine.hpp"

namespace petrel::watchdog {

namespace {

using std::chrono::microseconds;

constexpr std::uint32_t kBlock =
    1024;  // rows that are swept together, and visited while still in cache if one is near its limit

bool measures_pause(const Rule& rule)
{
    return rule.criterion == Criterion::continuous || rule.criterion == Criterion::stalled ||
           rule.criterion == Criterion::progress;
}

bool has_pause_signals(const Observations& seen, const Rule& rule, Slot r)
{
    return !measures_pause(rule) || (seen.known[r] & kPauseSignals) != 0;
}

// A look at a NIC's storm shows nothing against it.
bool shows_storm(const Observations& seen, const Rule& rule, Slot r)
{
    if (rule.criterion == Criterion::pause_timeout) {
        return has(seen.known[r], Field::pause_timeout) && seen.column(Field::pause_timeout)[r] != 0;
    }
    return !measures_pause(rule) || (seen.pause[r] & kPausedNow) != 0 || (seen.known[r] & kPauseSeen) != 0;
}

}  // namespace

Machine::Machine(Watchlist list)
    : list_(std::move(list)),
      map_(list_.inventory),
      recorder_(list_.rows.size()),
      rows_(list_.rows.size()),
      stats_(list_.rows.size()),
      sites_(map_)
{
    const auto n = list_.rows.size();
    storage_ =
        AlignedColumns{3 * AlignedColumns::bytes_for<std::uint32_t>(n) + AlignedColumns::bytes_for<std::uint8_t>(n)};
    clocks_.proven_us = storage_.take<std::uint32_t>(n);
    clocks_.limit_us = storage_.take<std::uint32_t>(n);
    clocks_.longest_us = storage_.take<std::uint32_t>(n);
    clocks_.wants_quiet = storage_.take<std::uint8_t>(n);
    active_.reserve(n);
    for (const auto& p : list_.policies) {
        latch_depth_ = std::max<std::size_t>(latch_depth_, p.latch_count);
    }
    storms_.resize(n * latch_depth_, Instant::min());
    for (const auto r : map_.rows()) {
        rows_[r].site = site_for(r, Treatment::none);
        if (watched(r)) {
            rows_[r].decision = Decision::watching;
            watch(r, policy(r).detect);
        } else {
            stop_clock(r);
        }
    }
}

void Machine::look(const Observations& seen, Instant now, Outbox& out)
{
    if (held()) {
        return;
    }
    if (seen.all || seen.touched.size() * 16 > rows_.size()) {
        alignas(kCacheLine) std::array<std::uint32_t, kBlock> block;
        for (const auto& run : list_.runs) {
            for (std::uint32_t done = 0; done < run.count; done += kBlock) {
                const Slot first{run.first.value + done};
                const auto left = std::span{block}.first(std::min(kBlock, run.count - done));
                if (worth_visiting(advance(seen, run.rule, clocks_, first, left), run.rule, out)) {
                    visit(run, first, left, seen, now, out);
                }
            }
        }
    } else {
        for (const auto r : seen.touched) {
            if (const Run* run = run_of(r)) {
                const auto left = advance_row(seen, run->rule, clocks_, r);
                if (worth_visiting(left, run->rule, out)) {
                    visit_row(r, left, run->rule, seen, now, out);
                }
            }
        }
    }
    for (const auto r : active_) {
        if (seen.dt_us[r] != 0) {
            account(r, seen, now);
        }
    }
    tick(now, out);
}

// Visit a row whose clock is full or will be full before the next poll. Rows further from their limit also request a
// look, in case the next poll is late, while less than half of the room for looks is used.
bool Machine::worth_visiting(std::uint32_t left, const Rule& rule, const Outbox& out)
{
    return left <= rule.near_us || (left != kNoLimit && out.looks.size() < out.looks.capacity() / 2);
}

// Few rows of a block need a visit. Rows whose clock does not run (all ones) are skipped in groups.
void Machine::visit(const Run& run, Slot first, std::span<const std::uint32_t> left, const Observations& seen,
                    Instant now, Outbox& out)
{
    constexpr std::size_t kGroup = 16;
    const auto visit_rows = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (worth_visiting(left[i], run.rule, out)) {
                visit_row(Slot{first.value + static_cast<std::uint32_t>(i)}, left[i], run.rule, seen, now, out);
            }
        }
    };
    std::size_t begin = 0;
    for (; begin + kGroup <= left.size(); begin += kGroup) {
        std::uint32_t all = kNoLimit;
        for (std::size_t i = 0; i < kGroup; ++i) {
            all &= left[begin + i];
        }
        if (all != kNoLimit) {
            visit_rows(begin, begin + kGroup);
        }
    }
    visit_rows(begin, left.size());
}

void Machine::visit_row(Slot r, std::uint32_t left, const Rule& rule, const Observations& seen, Instant now,
                        Outbox& out)
{
    // Record only rows with time on their clock: other paused rows need no evidence.
    if (seen.dt_us[r] != 0 && clocks_.proven_us[r] != 0) {
        recorder_.note(r, seen, now);
    }
    // With a limit of kAtOnce there is no time to measure: while the clock is empty, wait for the next poll. Otherwise
    // each look would request another one at once.
    const bool at_once = clocks_.limit_us[r] == kAtOnce && clocks_.proven_us[r] == 0;
    if (left == 0) {
        // A look without new counters decides no storm: after a change to a shorter T0 there would be no evidence.
        if (seen.dt_us[r] != 0 || at_work(r)) {
            clock_full(r, now, out);
        }
    } else if (!at_once && out.looks.size() < out.looks.capacity()) {
        out.looks.push_back({r, now + microseconds{std::min(left, rule.near_us)}});
    }
}

void Machine::clock_full(Slot r, Instant now, Outbox& out)
{
    switch (rows_[r].decision) {
    case Decision::watching:
    case Decision::probing: storm(r, now, out); break;
    case Decision::alerted:
    case Decision::withheld: release(r, Reason::quiet, now); break;
    case Decision::stormed:
        if (whole_site_quiet(r) && !red_) {
            const auto site = rows_[r].site;
            for (const auto other : map_.rows_at(site)) {
                if (rows_[other].site == site && rows_[other].decision == Decision::stormed) {
                    release(other, Reason::quiet, now);
                }
            }
        }
        break;
    case Decision::off:
    case Decision::restoring:
    case Decision::latched: break;
    }
}

// Evaluates a look at an active row: its link, its packets, and whether its treatment has an effect.
void Machine::account(Slot r, const Observations& seen, Instant now)
{
    rows_[r].goes_on = rows_[r].goes_on || shows_storm(seen, rule_of(r), r);
    if ((seen.pause[r] & kLinkDown) != 0) {
        link_down(r, now);
        return;
    }
    const auto known = [&](Field f) { return has(seen.known[r], f); };
    const auto value = [&](Field f) { return known(f) ? seen.column(f)[r] : 0U; };
    auto& s = stats_[r];
    // The look that led to the decision covers the time before it.
    const bool was_treated = under_treatment(r) && rows_[r].since < now;
    if (was_treated) {
        const auto count = [&](std::uint64_t& total, std::uint64_t& last, Field f) {
            total += value(f);
            last += value(f);
        };
        count(s.tx_ok, s.tx_ok_last, Field::tx_packets);
        count(s.tx_drop, s.tx_drop_last, Field::tx_drops);
        count(s.rx_ok, s.rx_ok_last, Field::rx_packets);
        count(s.rx_drop, s.rx_drop_last, Field::rx_drops);
        if (watched(r) && known(Field::occupancy) && known(Field::tx_packets)) {
            const bool moves = value(Field::tx_packets) > 0 || value(Field::tx_drops) > 0;
            const bool stuck = value(Field::occupancy) > 0 && !moves;
            sites_.change(rows_[r].site, [&](Site& site) {
                site.watch_effect(stuck, seen.dt_us[r], std::max(policy(r).detect, 2 * list_.poll), list_.poll, now);
            });
        }
    }
    if (was_treated) {
        count_time_without_proof(r, seen, now);
        hold_back_retries(r);
    }
    Row& row = rows_[r];
    if (row.decision == Decision::probing && row.since < now && has_pause_signals(seen, rule_of(r), r)) {
        row.probe_looks = std::min<std::uint8_t>(row.probe_looks + 1, kProbeLooks);
    }
    const bool at_begin = row.began == now;  // the clock of the storm has counted this look
    if (!paused_throughout(seen, rule_of(r), r)) {
        row.paused = Duration::zero();
    } else if (!at_begin) {
        row.paused += microseconds{seen.dt_us[r]};
        s.longest_pause = std::max(s.longest_pause, row.paused);
    }
}

// A mitigated queue may show neither pause nor quiet: frames of unknown kind arrive, and the mitigation may have
// stopped the pause signals. Then only a probe can show whether the storm goes on. Any sign of pause restarts the wait
// for the probe.
void Machine::count_time_without_proof(Slot r, const Observations& seen, Instant now)
{
    Row& row = rows_[r];
    const bool waits = row.decision == Decision::stormed && ends_by_quiet(r) && measures_pause(rule_of(r));
    const bool quiet = (seen.pause[r] & clocks_.wants_quiet[r]) != 0;  // counted by its clock
    if (!waits || quiet || !has_pause_signals(seen, rule_of(r), r)) {
        return;
    }
    if ((seen.known[r] & kPauseSeen) != 0) {
        row.without_proof = Duration::zero();
        return;
    }
    row.without_proof += microseconds{seen.dt_us[r]};
    if (!red_ && row.without_proof >= probe_wait(r)) {
        release(r, Reason::probe, now);
    }
}

// A treatment that could not be applied is not tried again while its queues are quiet: the storm may be over, and T1
// ends it. If only an operator ends it, the treatment is still wanted.
void Machine::hold_back_retries(Slot r)
{
    const auto s = rows_[r].site;
    if (sites_[s].settled()) {
        return;
    }
    const auto rows = map_.rows_at(s);
    const bool quiet = std::ranges::all_of(rows, [&](Slot other) {
        const bool by_storm = rows_[other].decision == Decision::stormed && rows_[other].origin == Origin::evidence &&
                              policy(other).release != Release::manual;
        return rows_[other].site != s || !under_treatment(other) || (by_storm && clocks_.proven_us[other] != 0);
    });
    sites_.change(s, [&](Site& site) { site.hold_back(quiet); });
}

void Machine::tick(Instant now, Outbox& out)
{
    report_red_switch(now, out);
    if (!held()) {
        begin_waiting_storms(now, out);
        for (std::size_t i = 0; i < active_.size(); ++i) {
            serve(active_[i], now, out);
        }
        use_budget(now, out);
    }
    sites_.serve(now, list_.poll, out,
                 [&](SiteId s, const Failure& failure) { return report_failure(s, failure, now, out); });
    std::erase_if(active_, [&](Slot r) {
        rows_[r].active = at_work(r);
        return !rows_[r].active;
    });
}

// When the timer of this row expires.
Instant Machine::deadline(Slot r) const
{
    const Row& row = rows_[r];
    if (!watched(r)) {
        return kNever;
    }
    switch (row.decision) {
    case Decision::stormed:
        if (ends_by_quiet(r) || red_) {
            return kNever;
        }
        if (row.origin == Origin::device) {
            return row.since + std::max(notice_overdue(r), list_.poll);
        }
        if (row.origin != Origin::evidence || policy(r).release == Release::manual) {
            return kNever;
        }
        return row.since + std::max(restore_time(r), list_.poll);  // even with T1 = 0 the treatment lasts one poll
    case Decision::probing: return row.probe_looks < kProbeLooks ? kNever : row.since + policy(r).detect + list_.poll;
    case Decision::alerted: return row.try_again_at;
    case Decision::off:
    case Decision::watching:
    case Decision::withheld:
    case Decision::restoring:
    case Decision::latched: break;
    }
    return kNever;
}

void Machine::serve(Slot r, Instant now, Outbox& out)
{
    const Row& row = rows_[r];
    const bool due = now >= deadline(r);
    if (row.next) {
        take_over(r, now, out);
    } else if (row.decision == Decision::restoring) {
        finish(r, now, out);
    } else if (row.tries_again) {
        if (sites_[row.site].settled() && out.room_for(2, 0)) {
            announce(r, Reason::proven, now, out);
            wait_for_quiet(r);
        }
    } else if (row.decision == Decision::alerted) {
        if (due) {
            try_again(r, now);
        }
    } else if (row.decision == Decision::probing) {
        if (due && out.room_for(1, 0)) {
            const auto proven = clocks_.proven_us[r];
            close_storm(r, Reason::probe, now, out);
            clocks_.proven_us[r] = proven;  // the time proven during the probe still counts towards T0
        }
    } else if (due) {
        release(r, policy(r).release == Release::forced ? Reason::forced : Reason::probe, now);
    }
}

// Begins storms for which the outbox had no room. This is rare, so a walk over all rows is cheaper than a list.
void Machine::begin_waiting_storms(Instant now, Outbox& out)
{
    if (!std::exchange(full_clocks_wait_, false)) {
        return;
    }
    for (const auto r : map_.rows()) {
        const auto decision = rows_[r].decision;
        const bool watches = decision == Decision::watching || decision == Decision::probing;
        if (watches && clocks_.proven_us[r] >= clocks_.limit_us[r]) {
            storm(r, now, out);
        }
    }
}

// Whether a withheld storm may be mitigated now. A treatment of the whole port may have ended its pause or hidden it,
// so a queue that is judged by an unbroken pause must have been paused for all of T0 again.
bool Machine::proven_again(Slot r) const
{
    const bool unbroken = criterion(r) == Criterion::continuous || criterion(r) == Criterion::stalled;
    return rows_[r].goes_on &&
           (unbroken ? rows_[r].paused >= microseconds{full_at(policy(r).detect)} : clocks_.proven_us[r] == 0);
}

// While fewer than max_mitigated rows are mitigated, mitigates withheld rows whose storm goes on, the longest waiting
// first.
void Machine::use_budget(Instant now, Outbox& out)
{
    while (!over_budget()) {
        const auto waits = [&](Slot r) { return rows_[r].decision == Decision::withheld && proven_again(r); };
        const auto longer = [&](Slot a, Slot b) {
            return std::tuple{!waits(a), rows_[a].since, a} < std::tuple{!waits(b), rows_[b].since, b};
        };
        const auto next = std::min_element(active_.begin(), active_.end(), longer);
        if (next == active_.end() || !waits(*next) || !out.room_for(2, 0)) {
            return;
        }
        const auto r = *next;
        mitigate(r, Reason::proven, now, out);
        wait_for_quiet(r);
    }
}

Instant Machine::next_timer() const
{
    Instant next = sites_.next_retry();
    if (held()) {
        return next;
    }
    for (const auto r : active_) {
        next = std::min(next, deadline(r));
    }
    return next;
}

const Run* Machine::run_of(Slot r) const
{
    const auto after = std::upper_bound(list_.runs.begin(), list_.runs.end(), r,
                                        [](Slot row, const Run& run) { return row < run.first; });
    if (after == list_.runs.begin()) {
        return nullptr;
    }
    const auto& run = *std::prev(after);
    return r.value < run.first.value + run.count ? &run : nullptr;
}

const Rule& Machine::rule_of(Slot r) const
{
    static const Rule none{};
    const Run* run = run_of(r);
    return run == nullptr ? none : run->rule;
}

Phase Machine::phase(Slot r) const
{
    switch (rows_[r].decision) {
    case Decision::off: return Phase::off;
    case Decision::watching: return Phase::watching;
    case Decision::alerted:
    case Decision::withheld: return Phase::alerted;
    case Decision::probing: return Phase::probing;
    case Decision::restoring: return Phase::restoring;
    case Decision::latched: return Phase::latched;
    case Decision::stormed: break;
    }
    return sites_[rows_[r].site].settled() ? Phase::mitigated : Phase::mitigating;
}

Treatment Machine::in_effect(Slot r) const
{
    if (rows_[r].origin == Origin::device && rows_[r].decision == Decision::stormed) {
        return rows_[r].by_device;  // the device treats it and sends a notice at the end
    }
    const auto own = map_.target(r).priority ? sites_[map_.queue_site(r)].assumed() : Treatment::none;
    return std::max(own, sites_[map_.port_site(r)].assumed());
}

QueueStats Machine::stats(Slot r, Instant now) const
{
    QueueStats s = stats_[r];
    if (at_work(r) && !by_order(rows_[r])) {
        s.in_storm += now - rows_[r].began;
    }
    s.longest_pause = std::max<Duration>(s.longest_pause, microseconds{clocks_.longest_us[r]});
    return s;
}

}  // namespace petrel::watchdog
