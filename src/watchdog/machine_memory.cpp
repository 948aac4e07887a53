// State that is kept: across a restart (save, load, adopt) and across a change of policy or inventory (inherit).
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "watchdog/machine.hpp"

namespace petrel::watchdog {

using std::chrono::microseconds;

namespace {

// Bounds the memory of a device whose ports change their names again and again.
constexpr std::size_t kMostDeparted = 4096;

std::uint32_t clock_us(Duration d)
{
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole_us(d), 0, kClockMost));
}

// In a checkpoint, the instants of statistics hold ages.
QueueStats with_ages(QueueStats stats, Instant now)
{
    for (auto* at : {&stats.last_detected, &stats.last_restored}) {
        if (*at) {
            *at = Instant{now - **at};
        }
    }
    return stats;
}

QueueStats with_instants(QueueStats stats, Instant now)
{
    for (auto* at : {&stats.last_detected, &stats.last_restored}) {
        if (*at) {
            *at = now - (*at)->time_since_epoch();
        }
    }
    return stats;
}

}  // namespace

Checkpoint Machine::save(Instant now) const
{
    Checkpoint saved;
    saved.next_seq = next_seq_;
    saved.red_switch = red_by_order_;
    for (const auto r : map_.rows()) {
        auto row = save_row(r, now);
        Checkpoint::Row nothing;
        nothing.target = row.target;
        nothing.phase = row.phase == Phase::off ? Phase::off : Phase::watching;
        if (!(row == nothing)) {
            saved.rows.push_back(std::move(row));
        }
    }
    for (const auto& [name, stats] : departed_) {
        saved.departed.push_back({name, with_ages(stats, now)});
    }
    return saved;
}

Checkpoint::Row Machine::save_row(Slot r, Instant now) const
{
    const Row& row = rows_[r];
    Checkpoint::Row saved;
    saved.target = map_.target(r);
    // The big red switch is saved once, not row by row: load() turns it on again.
    const bool by_itself = row.origin != Origin::red_switch;
    saved.phase = by_itself ? phase(r) : Phase::watching;
    if (by_itself) {
        saved.treatment = row.treatment;
        saved.ordered = row.origin == Origin::operator_;
        saved.held = row.decision == Decision::latched && row.held;
        saved.proven = microseconds{clocks_.proven_us[r]};
        saved.in_phase = at_work(r) ? now - row.since : Duration{};
        saved.storm_age = at_work(r) ? now - row.began : Duration{};
        saved.unclear = row.decision == Decision::stormed ? row.without_proof : Duration{};
        saved.recovery = row.decision == Decision::stormed && row.origin == Origin::device ? row.recovery : Duration{};
        saved.probe_looks = row.decision == Decision::probing ? row.probe_looks : 0;
        const bool alerted = row.decision == Decision::alerted || row.decision == Decision::withheld;
        saved.storm_proven = microseconds{alerted ? row.end_proven_us : 0};
        saved.storm_limit = microseconds{alerted ? row.end_limit_us : 0};
        saved.paused = alerted ? row.paused : Duration{};
        saved.cause = row.cause;
    }
    saved.backoff = row.backoff;
    if (row.restored_at != Instant::min()) {
        saved.restored_ago = now - row.restored_at;
    }
    for (const auto at : storms_of(r)) {
        if (at != Instant::min()) {
            saved.storms_ago.push_back(now - at);
        }
    }
    saved.stats = with_ages(stats(r, now), now);
    return saved;
}

void Machine::load(const Checkpoint& saved, Instant now)
{
    next_seq_ = std::max(next_seq_, saved.next_seq);
    std::set<std::uint64_t> announced;
    for (const auto& from : saved.rows) {
        map_.for_rows_of(from.target, [&](Slot r) {
            if (map_.target(r) == from.target) {
                // Rows with the same event share a storm; those of an order do not.
                rows_[r].shared = from.cause != 0 && !from.ordered && !announced.insert(from.cause).second;
                load_row(r, from, now);
                if (saved.rebooted && rows_[r].ending == Reason::reconciled &&
                    criterion(r) == Criterion::receive_stall) {
                    rows_[r].ending = Reason::reboot;
                }
            }
        });
    }
    for (const auto& [name, stats] : saved.departed) {
        keep_departed(name, with_instants(stats, now));
    }
    take_back_departed();
    red_by_order_ = saved.red_switch;
    if (red_ || red_by_order_) {
        red_switch(true, now);  // also for rows whose storm was just loaded
    }
}

void Machine::load_row(Slot r, const Checkpoint::Row& from, Instant now)
{
    Row& row = rows_[r];
    auto& stats = stats_[r];
    stats = with_instants(from.stats, now);
    if (from.restored_ago) {
        row.restored_at = now - *from.restored_ago;
    }
    for (std::size_t i = 0; i < std::min(latch_depth_, from.storms_ago.size()); ++i) {
        storms_of(r)[i] = now - from.storms_ago[i];
    }
    row.backoff = static_cast<std::uint8_t>(std::min(from.backoff, 20U));
    const bool at_rest = from.phase == Phase::watching || from.phase == Phase::off;
    if (!watched(r) && at_rest) {
        return;
    }
    if (!at_rest) {
        // The storm goes on: close_storm() adds its time.
        stats.in_storm -= from.ordered ? Duration::zero() : std::min(stats.in_storm, from.storm_age);
        row.cause = from.cause;
        row.since = now - from.in_phase;
        row.began = now - from.storm_age;
        row.origin = from.ordered                        ? Origin::operator_
                     : criterion(r) == Criterion::device ? Origin::device
                                                         : Origin::evidence;
        row.by_device = effective(r).action;
        row.recovery = from.recovery;
        apply(r, from.treatment);
    }
    switch (watched(r) ? from.phase : Phase::restoring) {
    case Phase::off:
    case Phase::watching:
    case Phase::count_: break;
    case Phase::alerted:
        row.goes_on = false;
        row.end_proven_us = clock_us(from.storm_proven);
        row.end_limit_us = clock_us(from.storm_limit);
        row.paused = from.paused;
        decide(r, may_act_now(r) ? Decision::withheld : Decision::alerted, now);
        wait_for_quiet(r);
        break;
    case Phase::mitigating:
    case Phase::mitigated:
        if (row.origin == Origin::evidence && effective(r).action == Treatment::none) {
            row.ending = Reason::reconfigured;  // the policy only alerts now
            decide(r, Decision::restoring, now);
            stop_clock(r);
            break;
        }
        decide(r, Decision::stormed, now);
        wait_for_quiet(r);
        row.without_proof = from.unclear;
        break;
    case Phase::latched:
        row.held = from.held;
        decide(r, Decision::latched, now);
        wait_for_quiet(r);
        break;
    case Phase::probing:
        decide(r, Decision::probing, now);
        watch(r, probe_time(r));
        row.probe_looks = static_cast<std::uint8_t>(std::min<std::uint32_t>(from.probe_looks, kProbeLooks));
        break;
    case Phase::restoring:
        row.ending = watched(r) ? Reason::reconciled : Reason::reconfigured;
        decide(r, Decision::restoring, now);
        stop_clock(r);
        break;
    }
    clocks_.proven_us[r] = clock_us(from.proven);
    if (row.treatment != Treatment::none) {
        sites_.change(row.site, [&](Site& site) { site.assume(std::nullopt, now); });
    }
}

// Whether an alerted row may be mitigated under the current policy. Such a row is withheld, and mitigated when
// max_mitigated allows it and its storm goes on. An order that the device refused is not a storm.
bool Machine::may_act_now(Slot r) const
{
    return rows_[r].origin == Origin::evidence && watched(r) && effective(r).action != Treatment::none;
}

void Machine::adopt(const Target& target, Treatment found, bool keep, Instant now, Outbox& out)
{
    bool held = false;
    std::uint64_t announced = 0;  // a treatment of a whole port is one storm, although all its rows wait for its end
    map_.for_rows_of(target, [&](Slot r) { held = held || under_treatment(r); });
    map_.for_rows_of(target, [&](Slot r) {
        const auto site = target.priority ? map_.queue_site(r) : map_.port_site(r);
        // If the device shows a treatment that it does not offer, or of a port one that it offers for queues only, an
        // earlier treatment was interrupted halfway: complete it.
        const bool half =
            found != Treatment::none && (!has(list_.capabilities.treatments, found) || site_for(r, found) != site);
        const auto kept = half ? effective(r).action : found;
        if (keep && watched(r) && !held && (!half || (kept != Treatment::none && site_for(r, kept) == site))) {
            const bool goes_on = at_work(r);  // a storm from the checkpoint is not announced again
            if (!goes_on && announced == 0) {
                begin(r, Origin::evidence, now);
            } else if (!goes_on) {
                begin_uncounted(r, Origin::evidence, now);
            }
            apply(r, kept);
            rows_[r].site = site;
            if (!goes_on) {
                rows_[r].shared = announced != 0;
                announced = announced == 0 ? emit(out, begin_kind(r, false), Reason::reconciled, r, now) : announced;
                rows_[r].cause = announced;
            }
            decide(r, Decision::stormed, now);
            wait_for_quiet(r);
        } else if (!keep && at_work(r) && (rows_[r].site == site || target.priority)) {
            const auto treated_at = rows_[r].site;
            release(r, rows_[r].ending == Reason::reboot ? Reason::reboot : Reason::reconciled, now);
            sites_.change(treated_at, [&](Site& s) { s.assume(std::nullopt, now); });
        }
        update_want(site, now);
        // Mark the state as not known, so that the wanted treatment is commanded again. This also renews or closes the
        // journal entry.
        sites_.change(site, [&](Site& s) {
            s.assume(found, now);
            s.assume(std::nullopt, now);
            if (found == Treatment::none) {
                s.expect_late_treatment();  // a write of the process before may still take effect
            }
        });
    });
}

void Machine::keep_departed(const std::string& name, const QueueStats& stats)
{
    if (stats != QueueStats{} && departed_.size() < kMostDeparted) {
        departed_.insert_or_assign(name, stats);
    }
}

void Machine::take_back_departed()
{
    for (const auto r : map_.rows()) {
        if (const auto at = departed_.find(to_string(list_.inventory, map_.target(r))); at != departed_.end()) {
            stats_[r] = at->second;
            departed_.erase(at);
        }
    }
}

void Machine::inherit(const Machine& old, Instant now)
{
    next_seq_ = old.next_seq_;
    stopping_ = old.stopping_;
    sites_.number_after(old.sites_);
    std::map<std::string, Slot> place;
    for (const auto r : map_.rows()) {
        place[to_string(list_.inventory, map_.target(r))] = r;
    }
    const auto each_common_row = [&](auto what) {
        for (const auto from : old.map_.rows()) {
            const auto at = place.find(to_string(old.list_.inventory, old.map_.target(from)));
            if (at != place.end()) {
                what(at->second, from);
            }
        }
    };
    // All sites before any row: rows of one port share a site.
    each_common_row([&](Slot r, Slot from) {
        take_site(map_.queue_site(r), old, old.map_.queue_site(from), now);
        take_site(map_.port_site(r), old, old.map_.port_site(from), now);
    });
    each_common_row([&](Slot r, Slot from) { inherit_row(r, old, from, now); });
    departed_ = old.departed_;
    take_back_departed();
    for (const auto from : old.map_.rows()) {
        const auto name = to_string(old.list_.inventory, old.map_.target(from));
        if (!place.contains(name)) {
            keep_departed(name, old.stats(from, now));
        }
    }
    for (const auto r : map_.rows()) {
        if (stopping_ && !at_work(r)) {
            decide(r, Decision::off, now);
            stop_clock(r);
        }
    }
    for (std::uint32_t site = 0; site < map_.sites(); ++site) {
        update_want(SiteId{site}, now);
    }
    red_by_order_ = old.red_by_order_;
    if (const bool on = red_by_order_ || list_.big_red_switch; on || old.red_) {
        red_switch(on, now);  // the new configuration may have turned it off
    }
    red_unreported_ = list_.big_red_switch && (old.red_unreported_ || !old.list_.big_red_switch);
}

void Machine::leave(std::span<const Slot> rows, Instant now, Outbox& out)
{
    for (const auto r : rows) {
        if (in_storm(r) && !held()) {
            close_storm(r, Reason::reconfigured, now, out);
        }
    }
}

void Machine::take_site(SiteId mine, const Machine& old, SiteId theirs, Instant now)
{
    sites_.change(mine, [&](Site& site) {
        site = old.sites_[theirs];
        site.lose_track(now);  // its command's outcome names a site of the old machine
    });
}

void Machine::inherit_row(Slot r, const Machine& old, Slot from, Instant now)
{
    stats_[r] = old.stats_[from];
    clocks_.longest_us[r] = old.clocks_.longest_us[from];
    std::ranges::copy(old.storms_of(from).first(std::min(latch_depth_, old.latch_depth_)), storms_of(r).begin());
    const Row& before = old.rows_[from];
    Row& row = rows_[r];
    row.backoff = before.backoff;
    row.restored_at = before.restored_at;
    if (!old.at_work(from)) {
        const bool same_proof = watched(r) && old.watched(from) && policy(r).criterion == old.policy(from).criterion;
        clocks_.proven_us[r] = same_proof ? old.clocks_.proven_us[from] : 0;
        update_want(row.site, now);
        return;
    }
    row.origin = before.origin;
    row.next = before.next;
    row.ending = before.ending;
    row.since = before.since;
    row.began = before.began;
    row.paused = before.paused;
    row.cause = before.cause;
    row.by_device = before.by_device;
    row.recovery = before.recovery;
    row.shared = before.shared;
    row.held = before.held;
    row.goes_on = before.goes_on;
    row.try_again_at = before.try_again_at;
    row.refusals = before.refusals;
    row.tries_again = before.tries_again;
    row.end_proven_us = before.end_proven_us;
    row.end_limit_us = before.end_limit_us;
    apply(r, before.treatment);
    const bool may_act = before.decision == Decision::alerted && may_act_now(r);
    decide(r, may_act ? Decision::withheld : before.decision, now);
    clocks_.wants_quiet[r] = old.clocks_.wants_quiet[from];
    clocks_.proven_us[r] = old.clocks_.proven_us[from];
    clocks_.limit_us[r] = kNoLimit;
    if (before.decision == Decision::restoring) {
        return;
    }
    const bool by_evidence = before.origin == Origin::evidence;
    const bool device_no_more = before.origin == Origin::device && criterion(r) != Criterion::device;
    if (!watched(r) || device_no_more ||
        (by_evidence && under_treatment(r) && effective(r).action == Treatment::none)) {
        release(r, Reason::reconfigured, now);
        return;
    }
    // A NIC that is down because it refused to be muted stays down: to try again would take its interface up.
    const bool down = row.treatment == Treatment::port_down &&
                      next_rung(policy(r), list_.capabilities.treatments, effective(r).action) == Treatment::port_down;
    if (by_evidence && under_treatment(r) && row.treatment != effective(r).action && !down) {
        const auto left = row.site;
        apply(r, effective(r).action);
        update_want(left, now);
        update_want(row.site, now);
    }
    if (before.decision == Decision::probing) {
        clocks_.limit_us[r] = old.clocks_.limit_us[from];
    } else {
        const auto quiet = clocks_.proven_us[r];
        wait_for_quiet(r);
        clocks_.proven_us[r] = quiet;
        row.without_proof = before.without_proof;
    }
}

}  // namespace petrel::watchdog
