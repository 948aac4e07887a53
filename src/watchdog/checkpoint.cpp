#include "watchdog/checkpoint.hpp"

#include <algorithm>
#include <utility>

#include "watchdog/watchlist.hpp"

namespace petrel::watchdog {

Checkpoint end_latches(Checkpoint saved, const Watchlist& list)
{
    for (std::size_t i = 0; i != list.rows.size(); ++i) {
        const auto policy = list.rows[i].policy;
        if (policy == kUnwatched || list.policies[policy].criterion != Criterion::receive_stall ||
            list.policies[policy].latch_across_reboot) {
            continue;
        }
        for (auto& row : saved.rows) {
            if (row.target == list.inventory.rows[i].target && row.phase == Phase::latched) {
                row.phase = Phase::restoring;
            }
        }
    }
    return saved;
}

Checkpoint aged(Checkpoint saved, Duration by)
{
    const auto older = [&](Duration age) { return std::min(age + by, kOldestAge); };
    const auto age_stats = [&](QueueStats& stats) {
        for (auto* at : {&stats.last_detected, &stats.last_restored}) {
            if (*at) {
                *at = Instant{older((*at)->time_since_epoch())};
            }
        }
    };
    for (auto& row : saved.rows) {
        if (row.phase != Phase::off && row.phase != Phase::watching) {
            row.in_phase = older(row.in_phase);
            if (!row.ordered) {
                row.stats.in_storm = std::min(row.stats.in_storm + (older(row.storm_age) - row.storm_age), kOldestAge);
            }
            row.storm_age = older(row.storm_age);
        }
        if (row.restored_ago) {
            row.restored_ago = older(*row.restored_ago);
        }
        std::ranges::transform(row.storms_ago, row.storms_ago.begin(), older);
        age_stats(row.stats);
    }
    for (auto& row : saved.departed) {
        age_stats(row.stats);
    }
    return saved;
}

}  // namespace petrel::watchdog
