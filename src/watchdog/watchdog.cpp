#include "watchdog/watchdog.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/aligned.hpp"
#include "watchdog/recorder.hpp"
#include "watchdog/site.hpp"

namespace petrel::watchdog {

namespace {

using std::chrono::microseconds;

constexpr Duration kCommandTime = std::chrono::seconds{1};
constexpr std::uint32_t kBlock =
    1024;  // rows swept and, if one is near its limit, visited while they are still in cache

enum class Decision : std::uint8_t { off, watching, alerted, withheld, stormed, probing, restoring, latched };
enum class Origin : std::uint8_t { evidence, operator_, red_switch, device };

// Limits round up, and "at once" still needs one look that says so.
std::uint32_t limit_us(Duration d)
{
    const auto us = std::chrono::ceil<microseconds>(d).count();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(us, 1, kClockMost));
}

EventKind storm_kind(Criterion c)
{
    switch (c) {
    case Criterion::pause_timeout: return EventKind::pause_too_long;
    case Criterion::receive_stall: return EventKind::nic_latched;
    default: return EventKind::storm_detected;
    }
}

EventKind end_kind(Criterion c, Reason why, Origin origin)
{
    if (why == Reason::operator_ || origin == Origin::operator_ || origin == Origin::red_switch) {
        return EventKind::storm_released;
    }
    return c == Criterion::pause_timeout ? EventKind::pause_too_long_cleared : EventKind::storm_restored;
}

}  // namespace

Outbox::Outbox(std::size_t room) : room_(room)
{
    commands.reserve(room);
    events.reserve(room);
    looks.reserve(room);
}

void Outbox::clear()
{
    commands.clear();
    events.clear();
    looks.clear();
    overflowed = false;
}

bool Outbox::room_for(std::size_t events_wanted, std::size_t commands_wanted)
{
    const bool fits = events.size() + events_wanted <= room_ && commands.size() + commands_wanted <= room_;
    overflowed = overflowed || !fits;
    return fits;
}

class Watchdog::Impl {
public:
    Impl(Watchlist list, Instant now) : list_(std::move(list)), recorder_(list_.rows.size())
    {
        const auto n = list_.rows.size();
        storage_ = AlignedColumns{3 * AlignedColumns::bytes_for<std::uint32_t>(n) +
                                  AlignedColumns::bytes_for<std::uint8_t>(n)};
        clocks_.proven_us = storage_.take<std::uint32_t>(n);
        clocks_.limit_us = storage_.take<std::uint32_t>(n);
        clocks_.longest_us = storage_.take<std::uint32_t>(n);
        clocks_.wants_quiet = storage_.take<std::uint8_t>(n);
        rows_.resize(n);
        stats_.resize(n);
        index_ports();
        sites_.resize(n + first_of_port_.size());
        site_busy_.resize(sites_.size());
        active_.reserve(n);
        busy_.reserve(sites_.size());
        for (const auto& policy : list_.policies) {
            latch_depth_ = std::max<std::size_t>(latch_depth_, policy.latch_count);
        }
        storms_.resize(n * latch_depth_, Instant::min());
        for (std::uint32_t r = 0; r < n; ++r) {
            if (watched(r)) {
                rows_[r].decision = Decision::watching;
            }
            watch(r, watched(r) ? limit_us(policy(r).detect) : kNoLimit);
        }
        if (list_.big_red_switch) {
            red_switch(true, now);
        }
    }

    // --- the poll pass
    // ------------------------------------------------------------------------------------------------------

    void look(const Observations& seen, Instant now, Outbox& out)
    {
        if (seen.all || seen.touched.size() * 16 > rows_.size()) {
            for (const auto& run : list_.runs) {
                for (std::uint32_t done = 0; done < run.count; done += kBlock) {
                    const auto first = run.first + done;
                    const auto count = std::min(kBlock, run.count - done);
                    const auto least = advance(seen, run.rule, clocks_, first, count);
                    if (worth_visiting(least, run.rule, out)) {
                        visit(first, count, run.rule, seen, now, out);
                    }
                }
            }
        } else {
            for (const auto r : seen.touched) {
                const Run* run = run_of(r);
                if (run == nullptr) {
                    continue;
                }
                const auto left = advance_row(seen, run->rule, clocks_, r);
                if (worth_visiting(left, run->rule, out)) {
                    visit_row(r, left, run->rule, seen, now, out);
                }
            }
        }
        for (std::size_t i = 0; i < active_.size(); ++i) {
            if (seen.dt_us[active_[i]] != 0) {
                account(active_[i], seen, now);
            }
        }
        tick(now, out);
    }

    void tick(Instant now, Outbox& out)
    {
        for (std::size_t i = 0; i < active_.size(); ++i) {
            serve(active_[i], now, out);
        }
        for (std::size_t i = 0; i < busy_.size(); ++i) {
            serve_site(busy_[i], now, out);
        }
        // A site that settled just now may end a restoration: no need to wait for the next pass.
        std::erase_if(active_, [&](std::uint32_t r) {
            if (rows_[r].decision == Decision::restoring) {
                serve(r, now, out);
            }
            rows_[r].active = at_work(r);
            return !rows_[r].active;
        });
        std::erase_if(busy_, [&](std::uint32_t s) {
            site_busy_[s] = !sites_[s].settled();
            return !site_busy_[s];
        });
    }

    // --- what comes back
    // ----------------------------------------------------------------------------------------------------

    void settle(const Outcome& outcome, Instant now, Outbox& out)
    {
        const auto s = static_cast<std::uint32_t>(outcome.command & 0xffff'ffffU);
        if (s >= sites_.size() || !sites_[s].settle(outcome, list_.poll, now)) {
            return;
        }
        if (sites_[s].failure() && !outcome.detail.empty()) {
            details_[s] = outcome.detail;
        }
        wish(s, now);
        tick(now, out);
    }

    void hear(const Notice& notice, Instant now, Outbox& out)
    {
        for_rows_of(notice.target, [&](std::uint32_t r) {
            switch (notice.kind) {
            case Notice::Kind::link_down: link_down(r, now); break;
            case Notice::Kind::link_up: break;
            case Notice::Kind::detected:
                if (watched(r) && policy(r).criterion == Criterion::device && rows_[r].decision == Decision::watching &&
                    out.room_for(1, 0)) {
                    begin(r, now, Origin::device);
                    rows_[r].cause = emit(out, EventKind::storm_detected, Reason::device, r, now);
                    decide(r, Decision::stormed);
                }
                break;
            case Notice::Kind::recovered:
                if (rows_[r].origin == Origin::device && rows_[r].decision == Decision::stormed) {
                    release(r, Reason::device, now);
                }
                break;
            }
        });
        tick(now, out);
    }

    void order(const Order& order, Instant now, Outbox& out)
    {
        Event& told = out.events.emplace_back();  // orders are few: they may stretch the room
        told.seq = next_seq_++;
        told.at = now;
        told.kind = EventKind::order_taken;
        told.reason = Reason::operator_;
        told.policy = kUnwatched;
        told.target = order.target.value_or(Target{});
        told.by = std::string{name(order.kind)} + (order.by.empty() ? "" : " by " + order.by);
        const auto each = [&](auto what) {
            if (order.target) {
                for_rows_of(*order.target, what);
            } else {
                for (std::uint32_t r = 0; r < rows_.size(); ++r) {
                    what(r);
                }
            }
        };
        switch (order.kind) {
        case Order::Kind::mitigate:
            each([&](std::uint32_t r) { mitigate_by_order(r, Origin::operator_, told.seq, now); });
            break;
        case Order::Kind::release:
            each([&](std::uint32_t r) {
                if (under_treatment(r) || rows_[r].decision == Decision::alerted ||
                    rows_[r].decision == Decision::withheld) {
                    release(r, Reason::operator_, now);
                }
            });
            break;
        case Order::Kind::red_switch_on: red_switch(true, now); break;
        case Order::Kind::red_switch_off: red_switch(false, now); break;
        case Order::Kind::stop: stop(now); break;
        case Order::Kind::stop_and_hold:
            hold_ = true;
            for (std::uint32_t r = 0; r < rows_.size(); ++r) {
                decide(r, Decision::off);
                watch(r, kNoLimit);
            }
            break;
        }
        tick(now, out);
    }

    // --- memory
    // -------------------------------------------------------------------------------------------------------------

    Checkpoint save(Instant now) const
    {
        Checkpoint saved;
        saved.next_seq = next_seq_;
        saved.red_switch = red_;
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            const Row& row = rows_[r];
            Checkpoint::Row out;
            out.target = list_.inventory.rows[r].target;
            out.phase = phase(r);
            out.treatment = row.treatment;
            out.ordered = row.origin != Origin::evidence;
            out.proven = microseconds{clocks_.proven_us[r]};
            out.backoff = row.backoff;
            out.cause = row.cause;
            if (row.restored_at != Instant::min()) {
                out.restored_ago = now - row.restored_at;
            }
            for (std::size_t i = 0; i < latch_depth_; ++i) {
                const auto at = storms_[r * latch_depth_ + i];
                if (at != Instant::min()) {
                    out.storms_ago.push_back(now - at);
                }
            }
            out.stats = stats(r, now);
            const auto age = [&](std::optional<Instant>& at) {
                if (at) {
                    at = Instant{now - *at};
                }
            };
            age(out.stats.last_detected);
            age(out.stats.last_restored);
            Checkpoint::Row nothing;
            nothing.target = out.target;
            nothing.phase = watched(r) ? Phase::watching : Phase::off;
            if (!(out == nothing)) {
                out.in_phase = row.decision == Decision::watching ? Duration{} : now - row.began;
                saved.rows.push_back(std::move(out));
            }
        }
        return saved;
    }

    void load(const Checkpoint& saved, Instant now)
    {
        next_seq_ = std::max(next_seq_, saved.next_seq);
        for (const auto& from : saved.rows) {
            for_exactly(from.target, [&](std::uint32_t r) { load_row(r, from, now); });
        }
        if (saved.red_switch) {
            red_switch(true, now);
        }
    }

    void adopt(const Target& target, Treatment found, bool keep, Instant now, Outbox& out)
    {
        bool any = false;
        const auto take = [&](std::uint32_t r, std::uint32_t s) {
            any = true;
            sites_[s].believe(found, now);
            mark_busy(s);
            if (keep && !under_treatment(r) && watched(r)) {
                begin(r, now, Origin::evidence);
                rows_[r].treatment = found;
                decide(r, Decision::stormed);
                wait_for_quiet(r);
            } else if (!keep && (under_treatment(r) || rows_[r].decision == Decision::restoring)) {
                release(r, Reason::reconciled, now);
            }
        };
        for_rows_of(target, [&](std::uint32_t r) {
            const bool whole_port = !target.priority;
            take(r, whole_port && list_.inventory.rows[r].target.priority ? port_site(r) : own_or_port_site(r, found));
        });
        if (any) {
            // Nothing is assumed: the device is told once more what shall hold, which also closes or renews the
            // journal.
            for_rows_of(target, [&](std::uint32_t r) {
                const auto s = target.priority ? own_or_port_site(r, found) : port_site(r);
                wish(s, now);
                sites_[s].believe(std::nullopt, now);
                mark_busy(s);
            });
            tick(now, out);
        }
    }

    void inherit(const Impl& old, Instant now)
    {
        next_seq_ = old.next_seq_;
        details_.clear();
        std::map<std::string, std::uint32_t> place;
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            place[to_string(list_.inventory, list_.inventory.rows[r].target)] = r;
        }
        for (std::uint32_t from = 0; from < old.rows_.size(); ++from) {
            const auto at = place.find(to_string(old.list_.inventory, old.list_.inventory.rows[from].target));
            if (at != place.end()) {
                inherit_row(at->second, old, from, now);
            }
        }
        if (old.red_ && !red_) {
            red_switch(true, now);
        }
        stopping_ = old.stopping_;
        for (std::uint32_t s = 0; s < sites_.size(); ++s) {
            wish(s, now);
        }
    }

    // --- what can be asked
    // --------------------------------------------------------------------------------------------------

    Instant next_timer() const
    {
        Instant next = kNever;
        for (const auto s : busy_) {
            if (!sites_[s].in_flight()) {
                next = std::min(next, sites_[s].retry_at());
            }
        }
        for (const auto r : active_) {
            next = std::min(next, deadline(r));
        }
        return next;
    }

    bool idle() const
    {
        return std::all_of(busy_.begin(), busy_.end(), [&](std::uint32_t s) { return sites_[s].settled(); });
    }

    Phase phase(std::uint32_t r) const
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
        return rows_[r].origin == Origin::device || sites_[site_of(r)].settled() ? Phase::mitigated : Phase::mitigating;
    }

    Treatment in_effect(std::uint32_t r) const
    {
        return std::max(sites_[r].believed(), sites_[port_site(r)].believed());
    }

    QueueStats stats(std::uint32_t r, Instant now) const
    {
        QueueStats s = stats_[r];
        if (in_storm(r)) {
            s.in_storm += now - rows_[r].began;
        }
        s.longest_pause = std::max<Duration>(s.longest_pause, microseconds{clocks_.longest_us[r]});
        return s;
    }

    const Watchlist& watchlist() const { return list_; }

private:
    struct Row {
        Decision decision{};
        Origin origin{};
        Treatment treatment{};  // wanted while stormed or latched
        Reason ending{};        // why it is restoring
        std::uint8_t backoff{};
        bool active{};  // stands in active_
        Instant since;  // of the decision
        Instant began;  // of the storm
        Instant restored_at{Instant::min()};
        std::uint64_t cause{};
    };

    // --- rows
    // ---------------------------------------------------------------------------------------------------------------

    bool watched(std::uint32_t r) const { return list_.rows[r].policy != kUnwatched; }
    const Policy& policy(std::uint32_t r) const { return list_.policies[list_.rows[r].policy]; }
    Criterion criterion(std::uint32_t r) const { return watched(r) ? policy(r).criterion : Criterion::continuous; }

    bool under_treatment(std::uint32_t r) const
    {
        return rows_[r].decision == Decision::stormed || rows_[r].decision == Decision::latched;
    }

    bool in_storm(std::uint32_t r) const { return at_work(r) && rows_[r].origin != Origin::red_switch; }
    bool at_work(std::uint32_t r) const
    {
        return rows_[r].decision != Decision::off && rows_[r].decision != Decision::watching;
    }

    static bool counts(const Row& row)
    {
        const bool held = row.decision == Decision::stormed || row.decision == Decision::latched ||
                          row.decision == Decision::probing || row.decision == Decision::restoring;
        return held && row.origin == Origin::evidence;
    }

    void decide(std::uint32_t r, Decision decision)
    {
        Row& row = rows_[r];
        mitigated_ -= counts(row) ? 1U : 0U;
        row.decision = decision;
        mitigated_ += counts(row) ? 1U : 0U;
        if (at_work(r) && !row.active) {
            row.active = true;
            active_.push_back(r);
        }
        if (watched(r) || row.treatment != Treatment::none) {
            touch_site(r);
        }
    }

    void begin(std::uint32_t r, Instant now, Origin origin)
    {
        Row& row = rows_[r];
        row.origin = origin;
        row.since = now;
        row.began = now;
        row.treatment = Treatment::none;
        row.cause = 0;
        auto& stats = stats_[r];
        stats.tx_ok_last = stats.tx_drop_last = stats.rx_ok_last = stats.rx_drop_last = 0;
        if (origin == Origin::evidence || origin == Origin::device) {
            ++stats.detected;
            stats.last_detected = now;
        }
    }

    // --- clocks
    // -------------------------------------------------------------------------------------------------------------

    void watch(std::uint32_t r, std::uint32_t limit)
    {
        clocks_.wants_quiet[r] = 0;
        clocks_.proven_us[r] = 0;
        clocks_.limit_us[r] = limit;
    }

    Duration restore_time(std::uint32_t r) const
    {
        const auto& p = policy(r);
        if (p.backoff_max == Duration::zero()) {
            return p.restore;
        }
        return std::min(p.restore * (std::int64_t{1} << std::min<unsigned>(rows_[r].backoff, 20)), p.backoff_max);
    }

    bool ends_by_quiet(std::uint32_t r) const
    {
        const Row& row = rows_[r];
        const bool shown = rule_of(r).quiet_bit != 0;
        if (row.decision == Decision::alerted || row.decision == Decision::withheld) {
            return shown;
        }
        return row.decision == Decision::stormed && row.origin == Origin::evidence && shown &&
               policy(r).release == Release::quiet;
    }

    void wait_for_quiet(std::uint32_t r)
    {
        clocks_.wants_quiet[r] = 0xff;
        clocks_.proven_us[r] = 0;
        clocks_.limit_us[r] = ends_by_quiet(r) ? limit_us(restore_time(r)) : kNoLimit;
    }

    const Run* run_of(std::uint32_t r) const
    {
        const auto after = std::upper_bound(list_.runs.begin(), list_.runs.end(), r,
                                            [](std::uint32_t row, const Run& run) { return row < run.first; });
        if (after == list_.runs.begin() || r >= std::prev(after)->first + std::prev(after)->count) {
            return nullptr;
        }
        return &*std::prev(after);
    }

    const Rule& rule_of(std::uint32_t r) const
    {
        static const Rule none{};
        const Run* run = run_of(r);
        return run == nullptr ? none : run->rule;
    }

    // A clock that is full is visited now, one that will be before the next poll is looked at again in time. Clocks
    // further off ask for a look as well, in case the next poll is late, as long as half of the room for looks is free.
    static bool worth_visiting(std::uint32_t left, const Rule& rule, const Outbox& out)
    {
        return left <= rule.near_us || (left != kNoLimit && out.looks.size() < out.looks.capacity() / 2);
    }

    void visit(std::uint32_t first, std::uint32_t count, const Rule& rule, const Observations& seen, Instant now,
               Outbox& out)
    {
        for (std::uint32_t r = first; r < first + count; ++r) {
            const auto left = time_left(seen, rule, clocks_, r);
            if (worth_visiting(left, rule, out)) {
                visit_row(r, left, rule, seen, now, out);
            }
        }
    }

    void visit_row(std::uint32_t r, std::uint32_t left, const Rule& rule, const Observations& seen, Instant now,
                   Outbox& out)
    {
        if (seen.dt_us[r] != 0) {
            recorder_.note(r, seen, now);
        }
        if (left != 0) {
            if (out.looks.size() < out.looks.capacity()) {
                out.looks.push_back({Slot{r}, now + microseconds{std::min(left, rule.near_us)}});
            }
            return;
        }
        switch (rows_[r].decision) {
        case Decision::watching:
        case Decision::probing: storm(r, now, out); break;
        case Decision::alerted:
        case Decision::withheld: release(r, Reason::quiet, now); break;
        case Decision::stormed:
            if (whole_site_quiet(r)) {
                release(r, Reason::quiet, now);
            }
            break;
        case Decision::off:
        case Decision::restoring:
        case Decision::latched: break;
        }
    }

    // --- a storm begins
    // -----------------------------------------------------------------------------------------------------

    void storm(std::uint32_t r, Instant now, Outbox& out)
    {
        if (!out.room_for(2, 0)) {
            return;  // the clock stays full: the next pass sees it again
        }
        Row& row = rows_[r];
        if (row.decision == Decision::probing) {
            row.backoff = static_cast<std::uint8_t>(std::min(row.backoff + 1, 20));
            row.since = now;
            emit(out, EventKind::probe_failed, Reason::probe, r, now);
            row.treatment = list_.rows[r].action;
            decide(r, Decision::stormed);
        } else {
            begin(r, now, Origin::evidence);
            adjust_backoff(r, now);
            if (list_.rows[r].action == Treatment::none) {
                row.cause = emit(out, EventKind::storm_alert, Reason::proven, r, now);
                decide(r, Decision::alerted);
            } else if (over_budget()) {
                row.cause = emit(out, EventKind::storm_alert, Reason::blast_radius, r, now);
                emit(out, EventKind::storm_escalated, Reason::blast_radius, r, now);
                decide(r, Decision::withheld);
            } else {
                mitigate(r, now, out);
            }
        }
        wait_for_quiet(r);
    }

    void mitigate(std::uint32_t r, Instant now, Outbox& out)
    {
        Row& row = rows_[r];
        row.treatment = list_.rows[r].action;
        row.since = now;
        const auto kind = storm_kind(policy(r).criterion);
        row.cause = emit(out, kind, Reason::proven, r, now);
        const bool latch = latches(r, now);
        if (latch && kind != EventKind::nic_latched) {
            emit(out, EventKind::storm_latched, Reason::repeated, r, now);
        }
        decide(r, latch ? Decision::latched : Decision::stormed);
    }

    bool over_budget() const { return list_.max_mitigated != 0 && mitigated_ >= list_.max_mitigated; }

    // Storms that return soon after a release double the wait; healthy time takes it back step by step.
    void adjust_backoff(std::uint32_t r, Instant now)
    {
        Row& row = rows_[r];
        if (policy(r).backoff_max == Duration::zero() || row.restored_at == Instant::min()) {
            row.backoff = 0;
            return;
        }
        Duration healthy = now - row.restored_at;
        if (healthy < 2 * restore_time(r)) {
            row.backoff = static_cast<std::uint8_t>(std::min(row.backoff + 1, 20));
            return;
        }
        while (row.backoff > 0 && healthy >= restore_time(r)) {
            healthy -= restore_time(r);
            --row.backoff;
        }
    }

    bool latches(std::uint32_t r, Instant now)
    {
        const auto& p = policy(r);
        if (p.latch_count == 0) {
            return false;
        }
        const auto mine = std::span{storms_}.subspan(r * latch_depth_, latch_depth_);
        std::shift_right(mine.begin(), mine.end(), 1);
        mine.front() = now;
        const auto earliest = mine[p.latch_count - 1];
        return earliest != Instant::min() && now - earliest <= p.latch_window;
    }

    // --- a storm ends
    // -------------------------------------------------------------------------------------------------------

    // A port stays treated while any of its queues asks for it: they are released together.
    bool whole_site_quiet(std::uint32_t r) const
    {
        const auto s = site_of(r);
        if (s < rows_.size()) {
            return true;
        }
        return std::none_of(port_rows(r).begin(), port_rows(r).end(), [&](std::uint32_t other) {
            return under_treatment(other) && site_of(other) == s && clocks_.proven_us[other] < clocks_.limit_us[other];
        });
    }

    void release(std::uint32_t r, Reason why, Instant now)
    {
        Row& row = rows_[r];
        row.ending = why;
        row.since = now;
        clocks_.limit_us[r] = kNoLimit;
        const auto s = site_of(r);
        decide(r, Decision::restoring);
        wish(s, now);
    }

    void finish(std::uint32_t r, Instant now, Outbox& out)
    {
        Row& row = rows_[r];
        const auto s = site_of(r);
        if (row.treatment != Treatment::none && !sites_[s].settled()) {
            return;
        }
        if (!out.room_for(1, 0)) {
            return;
        }
        const bool half_open =
            row.origin == Origin::evidence && watched(r) && !stopping_ && row.treatment != Treatment::none &&
            (row.ending == Reason::probe || (row.ending == Reason::quiet && policy(r).probe > Duration::zero()));
        if (half_open) {
            row.since = now;
            decide(r, Decision::probing);
            watch(r, limit_us(policy(r).probe > Duration::zero() ? policy(r).probe : policy(r).detect / 4));
            return;
        }
        close_storm(r, row.ending, now, out);
        watch(r, watched(r) && !stopping_ ? limit_us(policy(r).detect) : kNoLimit);
    }

    void close_storm(std::uint32_t r, Reason why, Instant now, Outbox& out)
    {
        Row& row = rows_[r];
        emit(out, end_kind(criterion(r), why, row.origin), why, r, now);
        auto& stats = stats_[r];
        if (row.origin == Origin::evidence || row.origin == Origin::device) {
            ++stats.restored;
            stats.last_restored = now;
        }
        if (row.origin != Origin::red_switch) {
            stats.in_storm += now - row.began;
        }
        row.restored_at = now;
        if (why == Reason::operator_) {
            row.backoff = 0;
        }
        const auto s = site_of(r);
        row.origin = Origin::evidence;
        row.treatment = Treatment::none;
        row.cause = 0;
        decide(r, watched(r) && !stopping_ ? Decision::watching : Decision::off);
        sites_[s].forget_refusals();
    }

    void link_down(std::uint32_t r, Instant now)
    {
        Row& row = rows_[r];
        const bool by_evidence = row.origin == Origin::evidence || row.origin == Origin::device;
        const bool storm = row.decision == Decision::stormed || row.decision == Decision::alerted ||
                           row.decision == Decision::withheld || row.decision == Decision::probing;
        if (by_evidence && storm) {
            release(r, Reason::link_down, now);
        }
    }

    // --- time passes
    // --------------------------------------------------------------------------------------------------------

    // When time alone changes something for this row.
    Instant deadline(std::uint32_t r) const
    {
        const Row& row = rows_[r];
        if (!watched(r)) {
            return kNever;
        }
        const auto& p = policy(r);
        switch (row.decision) {
        case Decision::stormed:
            if (row.origin == Origin::evidence && p.release != Release::manual && !ends_by_quiet(r)) {
                return row.since + restore_time(r);
            }
            return kNever;
        case Decision::alerted:
        case Decision::withheld: return ends_by_quiet(r) ? kNever : row.since + restore_time(r);
        case Decision::probing: return row.since + p.detect + list_.poll;
        default: return kNever;
        }
    }

    void serve(std::uint32_t r, Instant now, Outbox& out)
    {
        Row& row = rows_[r];
        switch (row.decision) {
        case Decision::restoring: finish(r, now, out); return;
        case Decision::withheld:
            // Still stormed (no quiet is proven) and there is room again.
            if (!over_budget() && clocks_.proven_us[r] == 0 && out.room_for(2, 0)) {
                mitigate(r, now, out);
                wait_for_quiet(r);
                return;
            }
            break;
        case Decision::probing:
            if (now >= deadline(r) && out.room_for(1, 0)) {
                close_storm(r, Reason::probe, now, out);
                clocks_.limit_us[r] = limit_us(policy(r).detect);
            }
            return;
        default: break;
        }
        if (now >= deadline(r)) {
            release(r, policy(r).release == Release::forced ? Reason::forced : Reason::probe, now);
        }
    }

    // What a look says about a row that is being treated: its packets, its link, whether the treatment shows.
    void account(std::uint32_t r, const Observations& seen, Instant now)
    {
        if ((seen.pause[r] & kLinkDown) != 0) {
            link_down(r, now);
            return;
        }
        const auto known = [&](Field f) { return has(seen.known[r], f); };
        const auto value = [&](Field f) { return known(f) ? seen.column(f)[r] : 0U; };
        auto& s = stats_[r];
        if (under_treatment(r)) {
            const auto count = [&](std::uint64_t& total, std::uint64_t& last, Field f) {
                total += value(f);
                last += value(f);
            };
            count(s.tx_ok, s.tx_ok_last, Field::tx_packets);
            count(s.tx_drop, s.tx_drop_last, Field::tx_drops);
            count(s.rx_ok, s.rx_ok_last, Field::rx_packets);
            count(s.rx_drop, s.rx_drop_last, Field::rx_drops);
            const bool told = known(Field::occupancy) && known(Field::tx_packets);
            const bool stuck =
                told && value(Field::occupancy) > 0 && value(Field::tx_packets) == 0 && value(Field::tx_drops) == 0;
            if (told && watched(r)) {
                const auto at = site_of(r);
                sites_[at].watch_effect(stuck, seen.dt_us[r], policy(r).detect, list_.poll, now);
                if (!sites_[at].settled()) {
                    mark_busy(at);
                }
            }
        }
        if (in_storm(r) && (seen.pause[r] & kIs) != 0 && watched(r) && rows_[r].origin == Origin::evidence) {
            s.longest_pause = std::max(s.longest_pause, now - rows_[r].began + policy(r).detect);
        }
    }

    // --- sites
    // --------------------------------------------------------------------------------------------------------------

    void index_ports()
    {
        std::uint16_t most = 0;
        for (const auto& info : list_.inventory.rows) {
            most = std::max(most, info.target.port.index);
        }
        const auto ports = list_.inventory.rows.empty() ? 0U : most + 1U;
        std::vector<std::uint32_t> count(ports + 1U);
        for (const auto& info : list_.inventory.rows) {
            ++count[info.target.port.index + 1U];
        }
        for (std::size_t p = 1; p < count.size(); ++p) {
            count[p] += count[p - 1];
        }
        first_of_port_ = count;
        rows_by_port_.resize(list_.inventory.rows.size());
        for (std::uint32_t r = 0; r < list_.inventory.rows.size(); ++r) {
            rows_by_port_[count[list_.inventory.rows[r].target.port.index]++] = r;
        }
    }

    std::span<const std::uint32_t> rows_of_port(std::size_t port) const
    {
        if (port + 1 >= first_of_port_.size()) {
            return {};
        }
        return std::span{rows_by_port_}.subspan(first_of_port_[port], first_of_port_[port + 1] - first_of_port_[port]);
    }

    std::span<const std::uint32_t> port_rows(std::uint32_t r) const
    {
        return rows_of_port(list_.inventory.rows[r].target.port.index);
    }

    std::uint32_t port_site(std::uint32_t r) const
    {
        return static_cast<std::uint32_t>(rows_.size()) + list_.inventory.rows[r].target.port.index;
    }

    // A port's own row and a treatment that hits the whole port are both commanded as the port.
    std::uint32_t own_or_port_site(std::uint32_t r, Treatment t) const
    {
        const bool whole_port = has(list_.capabilities.port_wide, t) || !list_.inventory.rows[r].target.priority;
        return whole_port ? port_site(r) : r;
    }

    std::uint32_t site_of(std::uint32_t r) const { return own_or_port_site(r, rows_[r].treatment); }

    Target site_target(std::uint32_t s) const
    {
        if (s < rows_.size()) {
            return list_.inventory.rows[s].target;
        }
        const auto rows = rows_of_port(s - rows_.size());
        return {list_.inventory.rows[rows.front()].target.port, std::nullopt};
    }

    template <class Do>
    void for_rows_of_site(std::uint32_t s, Do what) const
    {
        if (s < rows_.size()) {
            what(s);
            return;
        }
        for (const auto r : rows_of_port(s - rows_.size())) {
            if (site_of(r) == s) {
                what(r);
            }
        }
    }

    template <class Do>
    void for_exactly(const Target& target, Do what) const
    {
        for (const auto r : rows_of_port(target.port.index)) {
            if (list_.inventory.rows[r].target == target) {
                what(r);
            }
        }
    }

    // The queue, or for a whole port all of its rows.
    template <class Do>
    void for_rows_of(const Target& target, Do what) const
    {
        for (const auto r : rows_of_port(target.port.index)) {
            if (!target.priority || list_.inventory.rows[r].target == target) {
                what(r);
            }
        }
    }

    void mark_busy(std::uint32_t s)
    {
        if (!site_busy_[s]) {
            site_busy_[s] = true;
            busy_.push_back(s);
        }
    }

    void touch_site(std::uint32_t r)
    {
        const auto s = site_of(r);
        wish(s, rows_[r].since);
    }

    // What the rows of a site want together.
    void wish(std::uint32_t s, Instant now)
    {
        if (hold_) {
            return;  // everything stays as it is
        }
        Treatment most = Treatment::none;
        std::uint64_t cause = sites_[s].cause();
        for_rows_of_site(s, [&](std::uint32_t r) {
            if (under_treatment(r) && rows_[r].treatment > most) {
                most = rows_[r].treatment;
                cause = rows_[r].cause;
            }
        });
        sites_[s].set_want(most, cause, now);
        if (!sites_[s].settled()) {
            mark_busy(s);
        }
    }

    void serve_site(std::uint32_t s, Instant now, Outbox& out)
    {
        Site& site = sites_[s];
        if (site.failure() && !tell_failure(s, now, out)) {
            return;
        }
        if (!site.due(now) || !out.room_for(0, 1)) {
            return;
        }
        const std::uint64_t id = (next_command_++ << 32U) | s;
        out.commands.push_back({id, site.cause(), site_target(s), site.want(), now + kCommandTime});
        site.sent(id);
    }

    bool tell_failure(std::uint32_t s, Instant now, Outbox& out)
    {
        if (!out.room_for(2, 0)) {
            return false;
        }
        Site& site = sites_[s];
        const auto failure = *site.failure();
        site.failure_told();
        const bool restoring = failure.wanted == Treatment::none;
        std::optional<std::uint32_t> holder;
        for_rows_of_site(s, [&](std::uint32_t r) {
            if (!holder || under_treatment(r)) {
                holder = r;
            }
        });
        const auto r = holder.value_or(s < rows_.size() ? s : rows_of_port(s - rows_.size()).front());
        emit(out, restoring ? EventKind::restore_failed : EventKind::mitigation_failed, failure.why, r, now);
        auto& told = out.events.back();
        told.target = site_target(s);
        told.action = failure.wanted;
        if (const auto detail = details_.find(s); detail != details_.end()) {
            told.by = std::move(detail->second);
            details_.erase(detail);
        }
        if (!restoring && failure.why == Reason::refused && site.want() == Treatment::none) {
            // The device has refused everything we know: all that is left is to say so.
            emit(out, EventKind::storm_escalated, Reason::refused, r, now);
            for_rows_of_site(s, [&](std::uint32_t row) {
                if (rows_[row].decision == Decision::stormed) {
                    rows_[row].treatment = Treatment::none;
                    decide(row, Decision::alerted);
                    wait_for_quiet(row);
                }
            });
        }
        return true;
    }

    // --- orders
    // -------------------------------------------------------------------------------------------------------------

    void mitigate_by_order(std::uint32_t r, Origin origin, std::uint64_t cause, Instant now)
    {
        if (!watched(r) || under_treatment(r)) {
            return;
        }
        auto action = list_.rows[r].action;
        if (action == Treatment::none || origin == Origin::red_switch) {
            action = strongest_queue_treatment(r, action);
        }
        if (action == Treatment::none) {
            return;
        }
        begin(r, now, origin);
        rows_[r].treatment = action;
        rows_[r].cause = cause;
        clocks_.limit_us[r] = kNoLimit;
        decide(r, Decision::stormed);
    }

    // An alert-only queue is mitigated by the best the device has for a queue.
    Treatment strongest_queue_treatment(std::uint32_t r, Treatment configured) const
    {
        if (configured != Treatment::none && configured != Treatment::ignore_pause) {
            return configured;
        }
        if (!list_.inventory.rows[r].target.priority) {
            return Treatment::none;
        }
        auto best = Treatment::drop;
        while (best != Treatment::none && !has(list_.capabilities.treatments, best)) {
            best = weaker(best);
        }
        return best;
    }

    void red_switch(bool on, Instant now)
    {
        red_ = on;
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            if (on) {
                if (list_.inventory.rows[r].target.priority) {
                    mitigate_by_order(r, Origin::red_switch, 0, now);
                }
            } else if (rows_[r].origin == Origin::red_switch && under_treatment(r)) {
                release(r, Reason::red_switch, now);
            }
        }
    }

    void stop(Instant now)
    {
        stopping_ = true;
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            const bool nic_latch = rows_[r].decision == Decision::latched && criterion(r) == Criterion::receive_stall;
            if (nic_latch) {
                continue;  // a NIC that was latched stays so until it is repaired
            }
            if (at_work(r)) {
                release(r, Reason::stop, now);
            } else {
                decide(r, Decision::off);
            }
            clocks_.limit_us[r] = kNoLimit;
        }
    }

    // --- memory
    // -------------------------------------------------------------------------------------------------------------

    void load_row(std::uint32_t r, const Checkpoint::Row& from, Instant now)
    {
        Row& row = rows_[r];
        auto& stats = stats_[r];
        stats = from.stats;
        const auto at = [&](std::optional<Instant>& age) {
            if (age) {
                age = now - age->time_since_epoch();
            }
        };
        at(stats.last_detected);
        at(stats.last_restored);
        row.backoff = static_cast<std::uint8_t>(std::min(from.backoff, 20U));
        row.cause = from.cause;
        row.since = now - from.in_phase;
        row.began = row.since;
        row.origin = from.ordered ? Origin::operator_ : Origin::evidence;
        if (from.restored_ago) {
            row.restored_at = now - *from.restored_ago;
        }
        for (std::size_t i = 0; i < std::min(latch_depth_, from.storms_ago.size()); ++i) {
            storms_[r * latch_depth_ + i] = now - from.storms_ago[i];
        }
        if (from.phase != Phase::watching && from.phase != Phase::off) {
            stats.in_storm -=
                std::min(stats.in_storm, from.in_phase);  // it is still running and will be added at its end
        }
        if (!watched(r)) {
            return;
        }
        row.treatment = from.treatment;
        switch (from.phase) {
        case Phase::off:
        case Phase::watching: break;
        case Phase::alerted:
            decide(r, list_.rows[r].action == Treatment::none ? Decision::alerted : Decision::withheld);
            wait_for_quiet(r);
            break;
        case Phase::mitigating:
        case Phase::mitigated:
            decide(r, Decision::stormed);
            wait_for_quiet(r);
            break;
        case Phase::latched:
            decide(r, Decision::latched);
            wait_for_quiet(r);
            break;
        case Phase::probing:
            decide(r, Decision::probing);
            watch(r, limit_us(policy(r).probe > Duration::zero() ? policy(r).probe : policy(r).detect / 4));
            break;
        case Phase::restoring:
            row.ending = Reason::reconciled;
            decide(r, Decision::restoring);
            clocks_.limit_us[r] = kNoLimit;
            break;
        case Phase::count_: break;
        }
        clocks_.proven_us[r] =
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole_us(from.proven), 0, kClockMost));
        if (under_treatment(r) || row.decision == Decision::restoring) {
            const auto s = site_of(r);
            sites_[s].believe(std::nullopt, now);
            mark_busy(s);
        }
    }

    void inherit_row(std::uint32_t r, const Impl& old, std::uint32_t from, Instant now)
    {
        const Row& before = old.rows_[from];
        stats_[r] = old.stats_[from];
        clocks_.longest_us[r] = old.clocks_.longest_us[from];
        for (std::size_t i = 0; i < std::min(latch_depth_, old.latch_depth_); ++i) {
            storms_[r * latch_depth_ + i] = old.storms_[from * old.latch_depth_ + i];
        }
        const auto take_site = [&](std::uint32_t mine, std::uint32_t theirs) {
            sites_[mine] = old.sites_[theirs];
            sites_[mine].lose_track(now);
            if (!sites_[mine].settled()) {
                mark_busy(mine);
            }
        };
        take_site(r, from);
        take_site(port_site(r), old.port_site(from));
        if (before.decision == Decision::off) {
            return;
        }
        const bool same_rule = watched(r) && old.watched(from) && policy(r).criterion == old.policy(from).criterion;
        if (before.decision == Decision::watching) {
            if (same_rule) {
                clocks_.proven_us[r] = old.clocks_.proven_us[from];
            }
            rows_[r].restored_at = before.restored_at;
            rows_[r].backoff = before.backoff;
            return;
        }
        const bool was_active = rows_[r].active;
        const auto fresh = rows_[r];
        rows_[r] = before;
        rows_[r].active = was_active;
        rows_[r].decision = fresh.decision;
        decide(r, before.decision);
        const bool by_evidence = before.origin == Origin::evidence;
        clocks_.wants_quiet[r] = old.clocks_.wants_quiet[from];
        clocks_.proven_us[r] = old.clocks_.proven_us[from];
        clocks_.limit_us[r] = kNoLimit;
        if (!watched(r) || (by_evidence && under_treatment(r) && list_.rows[r].action == Treatment::none)) {
            if (before.decision != Decision::restoring) {
                release(r, Reason::reconfigured, now);
            }
            return;
        }
        if (by_evidence && under_treatment(r) && rows_[r].treatment != list_.rows[r].action) {
            const auto left = site_of(r);
            rows_[r].treatment = list_.rows[r].action;
            wish(left, now);
            wish(site_of(r), now);
        }
        switch (before.decision) {
        case Decision::stormed:
        case Decision::alerted:
        case Decision::withheld: clocks_.limit_us[r] = ends_by_quiet(r) ? limit_us(restore_time(r)) : kNoLimit; break;
        case Decision::probing: clocks_.limit_us[r] = old.clocks_.limit_us[from]; break;
        default: break;
        }
    }

    // --- events
    // -------------------------------------------------------------------------------------------------------------

    std::uint64_t emit(Outbox& out, EventKind kind, Reason why, std::uint32_t r, Instant now)
    {
        Event& event = out.events.emplace_back();
        event.seq = next_seq_++;
        event.cause = rows_[r].cause;
        event.at = now;
        event.kind = kind;
        event.reason = why;
        event.target = list_.inventory.rows[r].target;
        event.policy = list_.rows[r].policy;
        event.action = rows_[r].treatment != Treatment::none ? rows_[r].treatment : list_.rows[r].action;
        event.evidence.rule = rule_of(r);
        event.evidence.proven = microseconds{clocks_.proven_us[r]};
        event.evidence.limit = microseconds{clocks_.limit_us[r] == kNoLimit ? 0 : clocks_.limit_us[r]};
        recorder_.fill(event.evidence, r);
        return event.seq;
    }

    Watchlist list_;
    AlignedColumns storage_;
    Clocks clocks_;
    Recorder recorder_;
    std::vector<Row> rows_;
    std::vector<QueueStats> stats_;
    std::vector<Instant> storms_;  // latch_depth_ a row, newest first
    std::size_t latch_depth_{};
    std::vector<Site> sites_;  // one a row, then one a port
    std::vector<bool> site_busy_;
    std::vector<std::uint32_t> active_;  // rows that are neither off nor just watching
    std::vector<std::uint32_t> busy_;    // sites that are not settled
    std::vector<std::uint32_t> first_of_port_;
    std::vector<std::uint32_t> rows_by_port_;
    std::map<std::uint32_t, std::string> details_;  // what the device said of a site's failure, until it is told
    std::uint64_t next_seq_{1};
    std::uint64_t next_command_{1};
    std::uint32_t mitigated_{};
    bool red_{};
    bool stopping_{};
    bool hold_{};
};

Watchdog::Watchdog(Watchlist list, Instant now) : impl_(std::make_unique<Impl>(std::move(list), now)) {}
Watchdog::~Watchdog() = default;
Watchdog::Watchdog(Watchdog&&) noexcept = default;
Watchdog& Watchdog::operator=(Watchdog&&) noexcept = default;

void Watchdog::look(const Observations& seen, Instant now, Outbox& out) { impl_->look(seen, now, out); }
void Watchdog::tick(Instant now, Outbox& out) { impl_->tick(now, out); }
void Watchdog::settle(const Outcome& outcome, Instant now, Outbox& out) { impl_->settle(outcome, now, out); }
void Watchdog::hear(const Notice& notice, Instant now, Outbox& out) { impl_->hear(notice, now, out); }
void Watchdog::order(const Order& order, Instant now, Outbox& out) { impl_->order(order, now, out); }

void Watchdog::change(Watchlist list, Instant now, Outbox& out)
{
    auto next = std::make_unique<Impl>(std::move(list), now);
    next->inherit(*impl_, now);
    impl_ = std::move(next);
    impl_->tick(now, out);
}

Checkpoint Watchdog::save(Instant now) const { return impl_->save(now); }
void Watchdog::load(const Checkpoint& saved, Instant now) { impl_->load(saved, now); }
void Watchdog::adopt(const Target& target, Treatment found, bool keep, Instant now, Outbox& out)
{
    impl_->adopt(target, found, keep, now, out);
}

Instant Watchdog::next_timer() const { return impl_->next_timer(); }
bool Watchdog::idle() const { return impl_->idle(); }
Phase Watchdog::phase(Slot slot) const { return impl_->phase(slot.value); }
Treatment Watchdog::in_effect(Slot slot) const { return impl_->in_effect(slot.value); }
QueueStats Watchdog::stats(Slot slot, Instant now) const { return impl_->stats(slot.value, now); }
const Watchlist& Watchdog::watchlist() const { return impl_->watchlist(); }

}  // namespace petrel::watchdog
