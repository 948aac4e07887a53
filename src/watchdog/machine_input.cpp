// Inputs other than observations: outcomes of commands, notices from the device, orders from operators.
#include "watchdog/machine.hpp"

namespace petrel::watchdog {

void Machine::settle(const Outcome& outcome, Instant now, Outbox& out)
{
    if (const auto site = sites_.settle(outcome, list_.poll, now)) {
        if (!held()) {
            step_down(*site, now);
            update_want(*site, now);
        }
        tick(now, out);
    }
}

// After a refusal, sets the next rung for the rows of the site.
void Machine::step_down(SiteId s, Instant now)
{
    for (const auto r : map_.rows_at(s)) {
        Row& row = rows_[r];
        if (row.site != s || !under_treatment(r) || !sites_[s].refused(row.treatment)) {
            continue;
        }
        apply(r, row.treatment);
        if (row.treatment == Treatment::none) {
            row.site = s;  // everything is refused: give_up() looks for the row at this site
        }
        update_want(row.site, now);
    }
}

bool Machine::report_failure(SiteId s, const Failure& failure, Instant now, Outbox& out)
{
    auto holder = map_.rows_at(s).front();
    if (!out.room_for(criterion(holder) == Criterion::receive_stall ? 3 : 2, 0)) {
        return false;
    }
    const bool restoring = failure.wanted == Treatment::none;
    bool needed = false;
    for (const auto r : map_.rows_at(s)) {
        if (rows_[r].site == s && at_work(r)) {
            holder = r;
            needed = needed || under_treatment(r);
        }
    }
    auto detail = sites_.take_detail(s);
    const bool known = rows_[holder].tries_again && failure.why == Reason::refused;
    if (!known) {
        emit(out, restoring ? EventKind::restore_failed : EventKind::mitigation_failed, failure.why, holder, now);
        auto& event = out.events.back();
        event.target = map_.site_target(s);
        event.action = failure.wanted;
        event.by = std::move(detail);
    }
    if (needed && !restoring && failure.why == Reason::refused && sites_[s].want() == Treatment::none && !held()) {
        if (!known) {
            emit(out, EventKind::storm_escalated, Reason::refused, holder, now);
        }
        if (!known && criterion(holder) == Criterion::receive_stall) {
            emit(out, EventKind::close_switch_port, Reason::refused, holder, now);
            out.events.back().by = "the NIC refuses to stop its pause: shut the switch port that it is connected to";
        }
        give_up(s, now);
    }
    return true;
}

// The device has refused every treatment: the rows are alerted. A NIC is tried again, others are only watched.
void Machine::give_up(SiteId s, Instant now)
{
    for (const auto r : map_.rows_at(s)) {
        if (rows_[r].site == s && under_treatment(r)) {
            rows_[r].treatment = Treatment::none;
            decide(r, Decision::alerted, now);
            wait_for_quiet(r);
            plan_next_try(r, now);
        }
    }
}

void Machine::receive(const Notice& notice, Instant now, Outbox& out)
{
    if (held()) {
        return;
    }
    map_.for_rows_of(notice.target, [&](Slot r) {
        const bool by_device = watched(r) && policy(r).criterion == Criterion::device;
        switch (notice.kind) {
        case Notice::Kind::link_up: break;
        case Notice::Kind::link_down: link_down(r, now); break;
        case Notice::Kind::detected:
            if (criterion(r) == Criterion::receive_stall) {
                storm_of_nic(r, now, out);
            } else if (by_device && rows_[r].decision == Decision::watching) {
                begin(r, Origin::device, now);
                rows_[r].by_device = notice.action != Treatment::none ? notice.action : effective(r).action;
                rows_[r].recovery = notice.recovery;
                rows_[r].cause = emit(out, EventKind::storm_detected, Reason::device, r, now);
                if (notice.interval != Duration::zero()) {
                    out.events.back().evidence.limit = notice.interval;
                }
                decide(r, Decision::stormed, now);
                wait_for_quiet(r);
            }
            break;
        case Notice::Kind::recovered:
            if (by_device && rows_[r].decision == Decision::stormed && (!red_ || rows_[r].origin == Origin::device)) {
                release(r, Reason::device, now);
                if (notice.interval != Duration::zero()) {
                    rows_[r].end_limit_us = limit_us(notice.interval);
                }
                if (red_) {
                    rows_[r].next = {Origin::red_switch, 0};  // the storm is over, the big red switch is not
                }
            }
            break;
        }
    });
    tick(now, out);
}

// The NIC has found a stall itself, and may have stopped its pause for as long as the stall lasts. So the clock may
// never be full.
void Machine::storm_of_nic(Slot r, Instant now, Outbox& out)
{
    if (rows_[r].decision == Decision::watching) {
        begin_storm(r, Reason::device, now, out);
        wait_for_quiet(r);
    }
}

void Machine::report(const LinkEvent& link_event, Instant now, Outbox& out)
{
    Event event;
    event.seq = next_seq_++;
    event.at = now;
    event.kind = link_event.up ? EventKind::link_up : EventKind::link_down;
    event.reason = Reason::device;
    event.policy = kUnwatched;
    event.target = {link_event.port, std::nullopt};
    event.by = link_event.why;
    event.link = link_event.reason;
    out.events.push_back(std::move(event));
}

Event Machine::order_event(const Order& order, Instant now)
{
    Event taken;
    taken.seq = next_seq_++;
    taken.at = now;
    taken.kind = EventKind::order_taken;
    taken.reason = Reason::operator_;
    taken.policy = kUnwatched;
    taken.target = order.target.value_or(Target{});
    taken.whole_device = !order.target;
    taken.by = std::string{name(order.kind)} + (order.by.empty() ? "" : " by " + order.by);
    return taken;
}

// The big red switch also leaves an order_taken event if the configuration turns it on.
void Machine::report_red_switch(Instant now, Outbox& out)
{
    if (red_unreported_ && out.room_for(1, 0)) {
        red_unreported_ = false;
        out.events.push_back(order_event({Order::Kind::red_switch_on, std::nullopt, "the configuration"}, now));
    }
}

void Machine::order(const Order& order, Instant now, Outbox& out)
{
    auto taken = order_event(order, now);
    const auto cause = taken.seq;
    out.events.push_back(std::move(taken));
    if (held()) {
        return;
    }

    const auto each = [&](auto what) {
        if (order.target) {
            map_.for_rows_of(*order.target, what);
            return;
        }
        for (const auto r : map_.rows()) {
            what(r);
        }
    };
    switch (order.kind) {
    case Order::Kind::mitigate: each([&](Slot r) { mitigate_by_order(r, Origin::operator_, cause, now); }); break;
    case Order::Kind::release:
    case Order::Kind::repaired:
        each([&](Slot r) {
            if (at_work(r) && (order.kind == Order::Kind::repaired || !is_latched_nic(r))) {
                release_by_order(r, Reason::operator_, now);
            }
        });
        break;
    case Order::Kind::red_switch_on:
        red_by_order_ = true;
        red_switch(true, now);
        break;
    case Order::Kind::red_switch_off:
        red_by_order_ = false;
        red_switch(false, now);
        break;
    case Order::Kind::stop: stop(now); break;
    case Order::Kind::stop_and_hold: hold(now); break;
    case Order::Kind::hold:
        each([&](Slot r) {
            if (rows_[r].decision == Decision::stormed && rows_[r].origin != Origin::red_switch) {
                if (rows_[r].origin == Origin::device) {
                    apply(r, effective(r).action);  // the device would restore the queue by itself
                }
                rows_[r].held = true;
                decide(r, Decision::latched, now);
                wait_for_quiet(r);
            }
        });
        break;
    case Order::Kind::clear:
        if (!order.target) {
            departed_.clear();
        }
        each([&](Slot r) {
            if (!in_storm(r)) {
                stats_[r] = {};
                clocks_.longest_us[r] = 0;
            }
        });
        break;
    }
    tick(now, out);
}

void Machine::mitigate_by_order(Slot r, Origin origin, std::uint64_t cause, Instant now)
{
    if (stopping_) {
        return;  // a stopped watchdog does not mitigate
    }
    const auto treatment = watched(r) ? treatment_by_order(r, origin) : Treatment::none;
    if (treatment == Treatment::none || under_treatment(r)) {
        return;
    }
    if (at_work(r)) {
        rows_[r].next = {origin, cause};
        return;
    }
    begin(r, origin, now);
    rows_[r].cause = cause;
    apply(r, treatment);
    decide(r, Decision::stormed, now);
    stop_clock(r);
}

// Carries out an order that waits for a storm to be closed: closes the storm, then begins the mitigation by order. So
// each storm is closed once, and an order is not counted as a storm.
void Machine::take_over(Slot r, Instant now, Outbox& out)
{
    if (!out.room_for(1, 0)) {
        return;
    }
    Row& row = rows_[r];
    const auto order = *row.next;
    row.next.reset();
    const auto by = order.origin == Origin::red_switch ? Reason::red_switch : Reason::operator_;
    close_storm(r, row.decision == Decision::restoring ? row.ending : by, now, out);
    mitigate_by_order(r, order.origin, order.cause, now);
}

void Machine::release_by_order(Slot r, Reason why, Instant now)
{
    rows_[r].next.reset();
    if (rows_[r].decision != Decision::restoring) {
        release(r, why, now);
    }
}

// The policy's action. If a queue's policy only alerts, or only forwards and the big red switch is the origin: drop, or
// the next weaker treatment that the device supports.
Treatment Machine::treatment_by_order(Slot r, Origin origin) const
{
    const auto configured = effective(r).action;
    const bool too_weak =
        configured == Treatment::none || (origin == Origin::red_switch && configured == Treatment::ignore_pause);
    if (!too_weak || !map_.target(r).priority) {
        return configured;
    }
    auto best = Treatment::drop;
    while (best != Treatment::none && !has(list_.capabilities.treatments, best)) {
        best = weaker(best);
    }
    return best;
}

void Machine::red_switch(bool on, Instant now)
{
    red_ = on;
    for (const auto r : map_.rows()) {
        if (on && map_.target(r).priority) {
            mitigate_by_order(r, Origin::red_switch, 0, now);
        } else if (!on && rows_[r].origin == Origin::red_switch && under_treatment(r)) {
            release(r, Reason::red_switch, now);
        } else if (!on && rows_[r].next && rows_[r].next->origin == Origin::red_switch) {
            rows_[r].next.reset();
        }
    }
}

void Machine::apply_big_red_switch(Instant now)
{
    if (list_.big_red_switch) {
        red_switch(true, now);
        red_unreported_ = true;
    }
}

void Machine::stop(Instant now)
{
    stopping_ = true;
    for (const auto r : map_.rows()) {
        if (is_latched_nic(r)) {
            continue;
        }
        const bool untreated = rows_[r].decision == Decision::alerted || rows_[r].decision == Decision::withheld;
        if (untreated && status_goes_on(r, Reason::stop)) {
            rows_[r].next.reset();
            stay_in_error(r, now);
        } else if (at_work(r)) {
            release_by_order(r, Reason::stop, now);
        } else {
            decide(r, Decision::off, now);
            stop_clock(r);
        }
    }
}

// Keeps all decisions, also in the checkpoint, so that the next start continues with them.
void Machine::hold(Instant now)
{
    stopping_ = true;
    sites_.freeze();
    for (const auto r : map_.rows()) {
        if (!at_work(r)) {
            decide(r, Decision::off, now);
            stop_clock(r);
        }
    }
}

}  // namespace petrel::watchdog
