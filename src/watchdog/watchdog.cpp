#include "watchdog/watchdog.hpp"

#include <utility>

#include "base/fault_point.hpp"
#include "watchdog/machine.hpp"

namespace petrel::watchdog {

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
    const bool fits =
        events.size() + events_wanted <= room_ && commands.size() + commands_wanted <= room_ && !PETREL_FAULT_POINT(16);
    overflowed = overflowed || !fits;
    return fits;
}

Watchdog::Watchdog(Watchlist list, Instant now) : machine_(std::make_unique<Machine>(std::move(list)))
{
    machine_->apply_big_red_switch(now);
}
Watchdog::~Watchdog() = default;
Watchdog::Watchdog(Watchdog&&) noexcept = default;
Watchdog& Watchdog::operator=(Watchdog&&) noexcept = default;

void Watchdog::look(const Observations& seen, Instant now, Outbox& out) { machine_->look(seen, now, out); }
void Watchdog::tick(Instant now, Outbox& out) { machine_->tick(now, out); }
void Watchdog::settle(const Outcome& outcome, Instant now, Outbox& out) { machine_->settle(outcome, now, out); }
void Watchdog::receive(const Notice& notice, Instant now, Outbox& out) { machine_->receive(notice, now, out); }
void Watchdog::report(const LinkEvent& link_event, Instant now, Outbox& out) { machine_->report(link_event, now, out); }
void Watchdog::order(const Order& order, Instant now, Outbox& out) { machine_->order(order, now, out); }

void Watchdog::change(Watchlist list, Instant now, Outbox& out)
{
    if (machine_->held()) {
        return;
    }
    auto next = std::make_unique<Machine>(std::move(list));
    next->inherit(*machine_, now);
    machine_ = std::move(next);
    machine_->tick(now, out);
}

void Watchdog::leave(std::span<const Slot> rows, Instant now, Outbox& out) { machine_->leave(rows, now, out); }

Checkpoint Watchdog::save(Instant now) const { return machine_->save(now); }
void Watchdog::load(const Checkpoint& saved, Instant now) { machine_->load(saved, now); }

void Watchdog::adopt(const Target& target, Treatment found, bool keep, Instant now, Outbox& out)
{
    machine_->adopt(target, found, keep, now, out);
}

Instant Watchdog::next_timer() const { return machine_->next_timer(); }
bool Watchdog::idle() const { return machine_->idle(); }
Phase Watchdog::phase(Slot slot) const { return machine_->phase(slot); }
bool Watchdog::held(Slot slot) const { return machine_->held_by_order(slot); }
Treatment Watchdog::in_effect(Slot slot) const { return machine_->in_effect(slot); }
QueueStats Watchdog::stats(Slot slot, Instant now) const { return machine_->stats(slot, now); }
Duration Watchdog::proven(Slot slot) const { return machine_->proven(slot); }
const Watchlist& Watchdog::watchlist() const { return machine_->watchlist(); }
const RowMap& Watchdog::row_map() const { return machine_->row_map(); }

}  // namespace petrel::watchdog
