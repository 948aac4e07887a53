#include "daemon/released_memory.hpp"

#include <set>
#include <utility>

#include "watchdog/watchlist.hpp"

namespace petrel::daemon {

namespace {

using watchdog::Event;
using watchdog::EventKind;
using CheckpointRow = watchdog::Checkpoint::Row;

Event order_taken(const std::string& by)
{
    Event taken;
    taken.kind = EventKind::order_taken;
    taken.whole_device = true;
    taken.by = "release by " + by + ", without an agent";
    return taken;
}

Event storm_released(const CheckpointRow& row)
{
    Event released;
    released.kind = EventKind::storm_released;
    released.cause = row.cause;
    released.target = row.target;
    released.action = row.treatment;
    return released;
}

// `shared`: another row of the port has announced the storm.
void forget_storm(CheckpointRow& row, bool shared)
{
    if (row.cause != 0 && !row.ordered) {
        row.stats.in_storm += row.storm_age;
        row.stats.restored += shared ? 0U : 1U;
        row.stats.last_restored = Instant{};  // of the age 0
    }
    if (row.phase != watchdog::Phase::off) {
        row.phase = watchdog::Phase::watching;
    }
    row.treatment = watchdog::Treatment::none;
    row.ordered = false;
    row.proven = row.in_phase = row.storm_age = {};
    row.cause = 0;
}

}  // namespace

bool is_latched_nic(const CheckpointRow& row)
{
    return row.phase == watchdog::Phase::latched && watchdog::is_of_nic(row.treatment);
}

ReleasedMemory release_memory(watchdog::Checkpoint checkpoint, const std::string& by)
{
    ReleasedMemory released;
    const auto emit = [&](Event event) {
        event.seq = checkpoint.next_seq++;
        event.reason = watchdog::Reason::operator_;
        event.policy = watchdog::kUnwatched;
        released.events.push_back(std::move(event));
    };
    emit(order_taken(by));
    std::set<std::uint64_t> closed;
    for (auto& row : checkpoint.rows) {
        if (is_latched_nic(row)) {
            continue;
        }
        const bool shared = !row.ordered && !closed.insert(row.cause).second;
        if (row.cause != 0 && !shared) {
            emit(storm_released(row));
        }
        forget_storm(row, shared);
    }
    checkpoint.red_switch = false;
    released.checkpoint = std::move(checkpoint);
    return released;
}

}  // namespace petrel::daemon
