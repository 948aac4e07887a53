// A storm begins, is treated, and ends.
#include <algorithm>
#include <utility>

#include "watchdog/machine.hpp"

namespace petrel::watchdog {

namespace {

using std::chrono::microseconds;

constexpr std::uint8_t kMostBackoff = 20;

}  // namespace

bool Machine::under_treatment(Slot r) const
{
    return rows_[r].decision == Decision::stormed || rows_[r].decision == Decision::latched;
}

bool Machine::at_work(Slot r) const
{
    return rows_[r].decision != Decision::off && rows_[r].decision != Decision::watching;
}

bool Machine::counts_as_mitigated(const Row& row)
{
    const bool held = row.decision == Decision::stormed || row.decision == Decision::latched ||
                      row.decision == Decision::probing || row.decision == Decision::restoring;
    return held && row.origin == Origin::evidence && !row.shared;
}

// --- clocks

// Limits round up. A limit of zero ("at once") still needs one look that proves the storm or quiet.
std::uint32_t Machine::limit_us(Duration d)
{
    const auto us = std::chrono::ceil<microseconds>(d).count();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(us, kAtOnce, kClockMost));
}

void Machine::watch(Slot r, Duration limit)
{
    clocks_.wants_quiet[r] = 0;
    clocks_.proven_us[r] = 0;
    clocks_.limit_us[r] = full_at(limit);
}

void Machine::stop_clock(Slot r)
{
    clocks_.proven_us[r] = 0;
    clocks_.limit_us[r] = kNoLimit;
}

void Machine::wait_for_quiet(Slot r)
{
    // Without a treatment every signal counts, otherwise only the signals that survive the treatment.
    const bool by_device = rows_[r].origin == Origin::device;
    clocks_.wants_quiet[r] = rows_[r].treatment == Treatment::none && !by_device ? kQuiet : kQuietStill;
    clocks_.proven_us[r] = 0;
    clocks_.limit_us[r] = ends_by_quiet(r) ? full_at(by_device ? notice_overdue(r) : restore_time(r)) : kNoLimit;
    rows_[r].without_proof = Duration::zero();
}

// The time between two stamps may be too short by their uncertainty, so a clock is full that much earlier. Otherwise
// two polls of 199.99 ms would not make 400 ms, and every other storm would be found one poll late.
std::uint32_t Machine::full_at(Duration limit) const
{
    return limit_us(limit - std::min(list_.capabilities.stamp_uncertainty, limit / kMostForgiven));
}

bool Machine::ends_by_quiet(Slot r) const
{
    const Row& row = rows_[r];
    if (row.decision == Decision::alerted || row.decision == Decision::withheld) {
        return true;
    }
    return row.decision == Decision::stormed && rule_of(r).quiet_survives &&
           (row.origin == Origin::device || (row.origin == Origin::evidence && policy(r).release == Release::quiet));
}

Duration Machine::restore_time(Slot r) const
{
    const auto& p = policy(r);
    if (p.backoff_max == Duration::zero()) {
        return p.restore;
    }
    return std::min(p.restore * (std::int64_t{1} << std::min(rows_[r].backoff, kMostBackoff)), p.backoff_max);
}

Duration Machine::notice_overdue(Slot r) const
{
    const auto recovery = rows_[r].recovery;
    return kNoticeOverdue * (recovery != Duration::zero() ? recovery : restore_time(r));
}

// How long a mitigated queue may show neither pause nor quiet before it is probed: T1, and twice as long after each
// probe that met the storm again.
Duration Machine::probe_wait(Slot r) const
{
    constexpr std::uint8_t kMostDoubled = 5;
    const auto& p = policy(r);
    if (p.backoff_max != Duration::zero()) {
        return std::max(restore_time(r), list_.poll);
    }
    return std::max(p.restore * (std::int64_t{1} << std::min(rows_[r].backoff, kMostDoubled)), list_.poll);
}

Duration Machine::probe_time(Slot r) const
{
    const auto& p = policy(r);
    return p.probe > Duration::zero() ? p.probe : p.detect / 4;
}

// --- start of a storm

void Machine::decide(Slot r, Decision decision, Instant now)
{
    Row& row = rows_[r];
    row.decision = decision;
    row.held = row.held && decision == Decision::latched;
    mitigated_ -= row.counted ? 1U : 0U;
    row.counted = counts_as_mitigated(row);
    mitigated_ += row.counted ? 1U : 0U;
    if (at_work(r) && !row.active) {
        row.active = true;
        active_.push_back(r);
    }
    update_want(row.site, now);
}

void Machine::begin_uncounted(Slot r, Origin origin, Instant now)
{
    Row& row = rows_[r];
    row.origin = origin;
    row.since = now;
    row.began = now;
    row.try_again_at = kNever;
    row.refusals = 0;
    row.tries_again = false;
    row.paused = microseconds{clocks_.wants_quiet[r] != 0 ? 0 : clocks_.proven_us[r]};
    row.cause = 0;
    auto& stats = stats_[r];
    stats.tx_ok_last = stats.tx_drop_last = stats.rx_ok_last = stats.rx_drop_last = 0;
}

void Machine::begin(Slot r, Origin origin, Instant now)
{
    begin_uncounted(r, origin, now);
    auto& stats = stats_[r];
    if (origin == Origin::evidence || origin == Origin::device) {
        ++stats.detected;
        stats.last_detected = now;
    } else if (origin == Origin::red_switch && stats.red_switched == stats.red_released) {
        ++stats.red_switched;  // turned on again after a restart: counted once
    }
}

void Machine::storm(Slot r, Instant now, Outbox& out)
{
    if (!out.room_for(2, 0)) {
        full_clocks_wait_ = true;
        return;
    }
    Row& row = rows_[r];
    if (row.decision == Decision::probing) {
        row.backoff = static_cast<std::uint8_t>(std::min<unsigned>(row.backoff + 1U, kMostBackoff));
        row.since = now;
        apply(r, effective(r).action);
        emit(out, EventKind::probe_failed, Reason::probe, r, now);
        const bool latch = latches(r, now);
        if (latch) {
            emit(out, EventKind::storm_latched, Reason::repeated, r, now);
        }
        decide(r, latch ? Decision::latched : Decision::stormed, now);
    } else {
        begin_storm(r, Reason::proven, now, out);
    }
    wait_for_quiet(r);
}

void Machine::begin_storm(Slot r, Reason why, Instant now, Outbox& out)
{
    Row& row = rows_[r];
    begin(r, Origin::evidence, now);
    adjust_backoff(r, now);
    row.end_proven_us = clocks_.proven_us[r];
    row.end_limit_us = clocks_.limit_us[r];
    if (effective(r).action == Treatment::none) {
        const bool status = policy(r).criterion == Criterion::pause_timeout;
        row.cause = emit(out, status ? EventKind::pause_too_long : EventKind::storm_alert, why, r, now);
        decide(r, Decision::alerted, now);
    } else if (over_budget()) {
        row.cause = emit(out, EventKind::storm_alert, Reason::blast_radius, r, now);
        emit(out, EventKind::storm_escalated, Reason::blast_radius, r, now);
        decide(r, Decision::withheld, now);
    } else {
        mitigate(r, why, now, out);
    }
}

void Machine::mitigate(Slot r, Reason why, Instant now, Outbox& out)
{
    Row& row = rows_[r];
    apply(r, effective(r).action);
    row.since = now;
    if (row.treatment == Treatment::none) {
        if (row.decision != Decision::withheld) {  // else the storm is announced already
            row.cause = emit(out, EventKind::storm_alert, Reason::refused, r, now);
            emit(out, EventKind::storm_escalated, Reason::refused, r, now);
        }
        decide(r, Decision::alerted, now);
        plan_next_try(r, now);
        return;
    }
    announce(r, why, now, out);
}

void Machine::announce(Slot r, Reason why, Instant now, Outbox& out)
{
    Row& row = rows_[r];
    const bool latch = latches(r, now);
    const auto kind = begin_kind(r, latch);
    row.cause = emit(out, kind, why, r, now);
    if (latch && kind != EventKind::nic_latched) {
        emit(out, EventKind::storm_latched, Reason::repeated, r, now);
    }
    row.tries_again = false;
    decide(r, latch ? Decision::latched : Decision::stormed, now);
}

// A NIC refuses its treatment while its firmware manages PFC or a privilege is missing. An operator may change that
// while the storm goes on.
void Machine::plan_next_try(Slot r, Instant now)
{
    Row& row = rows_[r];
    row.tries_again = false;
    if (criterion(r) != Criterion::receive_stall || effective(r).action == Treatment::none) {
        return;
    }
    row.try_again_at = now + kTryAgainAfter * (1 << row.refusals);
    row.refusals = std::min<std::uint8_t>(row.refusals + 1, kMostDoubledTries);
}

// Tries all treatments again, from the first. The storm is announced already, and so is the refusal: only a treatment
// that takes effect is an event.
void Machine::try_again(Slot r, Instant now)
{
    if (over_budget()) {
        plan_next_try(r, now);
        return;
    }
    for (const auto site : {map_.queue_site(r), map_.port_site(r)}) {
        sites_.change(site, [](Site& s) { s.forget_refusals(); });
    }
    rows_[r].tries_again = true;
    rows_[r].since = now;
    apply(r, effective(r).action);
    decide(r, policy(r).latch_count == 1 ? Decision::latched : Decision::stormed, now);
    wait_for_quiet(r);
}

// Sets the row's treatment: `treatment`, or the first rung below it that the device has not refused at its site.
void Machine::apply(Slot r, Treatment treatment)
{
    while (treatment != Treatment::none && sites_[site_for(r, treatment)].refused(treatment)) {
        treatment = watched(r) ? next_rung(policy(r), list_.capabilities.treatments, treatment) : weaker(treatment);
    }
    rows_[r].treatment = treatment;
    rows_[r].site = site_for(r, treatment);
}

// The port's own row and port-wide treatments belong to the site of the port. Other treatments belong to the site of
// the queue.
SiteId Machine::site_for(Slot r, Treatment treatment) const
{
    const bool whole_port = has(list_.capabilities.port_wide, treatment) || !map_.target(r).priority;
    return whole_port ? map_.port_site(r) : map_.queue_site(r);
}

// Sets the treatment of the site: the strongest of those that its rows need.
void Machine::update_want(SiteId s, Instant now)
{
    if (held()) {
        return;
    }
    Treatment most = Treatment::none;
    std::uint64_t cause = sites_[s].cause();
    for (const auto r : map_.rows_at(s)) {
        if (rows_[r].site == s && under_treatment(r) && rows_[r].treatment > most) {
            most = rows_[r].treatment;
            cause = rows_[r].cause;
        }
    }
    sites_.change(s, [&](Site& site) { site.set_want(most, cause, now); });
}

// A storm that returns soon after a release doubles T1. Time without a storm reduces it again step by step. A policy
// without back-off only doubles the wait for the next probe, if the storm returns soon after a probe.
void Machine::adjust_backoff(Slot r, Instant now)
{
    Row& row = rows_[r];
    const bool backs_off = policy(r).backoff_max != Duration::zero() || row.ending == Reason::probe;
    if (!backs_off || row.restored_at == Instant::min()) {
        row.backoff = 0;
        return;
    }
    Duration healthy = now - row.restored_at;
    if (healthy < 2 * restore_time(r)) {
        row.backoff = static_cast<std::uint8_t>(std::min<unsigned>(row.backoff + 1U, kMostBackoff));
        return;
    }
    while (row.backoff > 0 && healthy >= restore_time(r)) {
        healthy -= restore_time(r);
        --row.backoff;
    }
}

EventKind Machine::begin_kind(Slot r, bool latch) const
{
    switch (criterion(r)) {
    case Criterion::pause_timeout: return EventKind::pause_too_long;
    case Criterion::receive_stall: return latch ? EventKind::nic_latched : EventKind::storm_detected;
    case Criterion::continuous:
    case Criterion::stalled:
    case Criterion::progress:
    case Criterion::device: break;
    }
    return EventKind::storm_detected;
}

bool Machine::latches(Slot r, Instant now)
{
    const auto& p = policy(r);
    if (p.latch_count == 0) {
        return false;
    }
    const auto mine = storms_of(r);
    std::shift_right(mine.begin(), mine.end(), 1);
    mine.front() = now;
    const auto earliest = mine[p.latch_count - 1];
    return earliest != Instant::min() && now - earliest <= p.latch_window;
}

// --- end of a storm

// A port stays treated while one of its queues needs the treatment. Its queues are released together.
bool Machine::whole_site_quiet(Slot r) const
{
    const auto s = rows_[r].site;
    const auto rows = map_.rows_at(s);
    return std::none_of(rows.begin(), rows.end(), [&](Slot other) {
        return under_treatment(other) && rows_[other].site == s && clocks_.proven_us[other] < clocks_.limit_us[other];
    });
}

void Machine::release(Slot r, Reason why, Instant now)
{
    Row& row = rows_[r];
    const bool treated_by_device = row.origin == Origin::device && row.treatment == Treatment::none;
    if (treated_by_device && why != Reason::device && why != Reason::link_down) {
        // The device would keep its treatment: record it as in effect, so that the site commands the restore.
        sites_.change(row.site, [&](Site& site) { site.assume(row.by_device, now); });
    }
    row.ending = why;
    row.since = now;
    row.end_proven_us = clocks_.proven_us[r];
    row.end_limit_us = clocks_.limit_us[r];
    clocks_.limit_us[r] = kNoLimit;
    decide(r, Decision::restoring, now);
}

void Machine::finish(Slot r, Instant now, Outbox& out)
{
    Row& row = rows_[r];
    const bool treated = row.treatment != Treatment::none;
    // A port may still be treated for another of its queues. Only an operator may release a single queue of it.
    const Site& site = sites_[row.site];
    const bool free = site.settled() && (site.want() == Treatment::none || row.ending == Reason::operator_);
    if ((treated && !free) || !out.room_for(1, 0)) {
        return;
    }
    const bool wants_probe = row.ending == Reason::probe ||
                             (row.ending == Reason::quiet && watched(r) && policy(r).probe > Duration::zero());
    if (treated && wants_probe && watched(r) && !stopping_) {
        row.since = now;
        row.probe_looks = 0;
        decide(r, Decision::probing, now);
        watch(r, probe_time(r));
        return;
    }
    if (status_goes_on(r, row.ending)) {
        stay_in_error(r, now);
        return;
    }
    close_storm(r, row.ending, now, out);
}

// A port is in error while its status is set, also if a stop or a start has undone the treatment. Only a look that
// shows the status clear ends the error; after a stop, a look of the next agent.
bool Machine::status_goes_on(Slot r, Reason ending) const
{
    const bool undone = ending == Reason::stop || ending == Reason::reconciled;
    return undone && criterion(r) == Criterion::pause_timeout && rows_[r].origin == Origin::evidence;
}

void Machine::stay_in_error(Slot r, Instant now)
{
    apply(r, Treatment::none);
    rows_[r].goes_on = false;
    decide(r, may_act_now(r) && !stopping_ ? Decision::withheld : Decision::alerted, now);
    wait_for_quiet(r);
}

void Machine::close_storm(Slot r, Reason why, Instant now, Outbox& out)
{
    Row& row = rows_[r];
    const bool ordered = by_order(row);
    const bool released = why == Reason::operator_ || why == Reason::red_switch || ordered;
    const auto kind =
        criterion(r) == Criterion::pause_timeout ? EventKind::pause_too_long_cleared : EventKind::storm_restored;
    const bool shared = std::exchange(row.shared, false);
    auto& stats = stats_[r];
    if (!shared) {
        emit(out, released ? EventKind::storm_released : kind, why, r, now);
    }
    if (!ordered && !shared) {
        ++stats.restored;
        stats.last_restored = now;
    }
    stats.in_storm += ordered ? Duration::zero() : now - row.began;
    stats.red_released += row.origin == Origin::red_switch ? 1U : 0U;
    row.restored_at = now;
    if (why == Reason::operator_) {
        row.backoff = 0;
    }
    for (const auto site : {map_.queue_site(r), map_.port_site(r)}) {
        sites_.change(site, [](Site& s) { s.forget_refusals(); });
    }
    const bool goes_on = watched(r) && !stopping_;
    decide(r, goes_on ? Decision::watching : Decision::off, now);
    row.origin = Origin::evidence;
    row.cause = 0;
    apply(r, Treatment::none);
    if (goes_on) {
        watch(r, policy(r).detect);
    } else {
        stop_clock(r);
    }
}

void Machine::link_down(Slot r, Instant now)
{
    const Row& row = rows_[r];
    const bool by_evidence = row.origin == Origin::evidence || row.origin == Origin::device;
    const bool storm = row.decision == Decision::stormed || row.decision == Decision::alerted ||
                       row.decision == Decision::withheld || row.decision == Decision::probing;
    if (by_evidence && storm && !red_) {
        release(r, Reason::link_down, now);
    }
}

std::uint64_t Machine::emit(Outbox& out, EventKind kind, Reason why, Slot r, Instant now)
{
    Event& event = out.events.emplace_back();
    event.seq = next_seq_++;
    event.cause = rows_[r].cause;
    event.at = now;
    event.kind = kind;
    event.reason = why;
    event.target = map_.target(r);
    event.policy = effective(r).policy;
    event.action = rows_[r].origin == Origin::device ? rows_[r].by_device : rows_[r].treatment;
    event.evidence.rule = rule_of(r);
    // A restore is reported when it is done, and a withheld or refused storm when it is mitigated. Their evidence is
    // the clock at the time of the decision.
    const bool ending =
        rows_[r].decision == Decision::restoring || rows_[r].decision == Decision::withheld || rows_[r].tries_again;
    const auto limit = ending ? rows_[r].end_limit_us : clocks_.limit_us[r];
    event.evidence.proven = microseconds{ending ? rows_[r].end_proven_us : clocks_.proven_us[r]};
    event.evidence.limit = microseconds{limit == kNoLimit ? 0 : limit};
    recorder_.fill(event.evidence, r);
    return event.seq;
}

}  // namespace petrel::watchdog
