#include "watchdog/checkpoint.hpp"

#include <algorithm>
#include <utility>

namespace petrel::watchdog {

Checkpoint aged(Checkpoint saved, Duration by)
{
    const auto older = [&](Duration age) { return std::min(age + by, kOldestAge); };
    for (auto& row : saved.rows) {
        if (row.phase != Phase::off && row.phase != Phase::watching) {
            row.in_phase = older(row.in_phase);
            row.stats.in_storm = std::min(row.stats.in_storm + (older(row.storm_age) - row.storm_age), kOldestAge);
            row.storm_age = older(row.storm_age);
        }
        if (row.restored_ago) {
            row.restored_ago = older(*row.restored_ago);
        }
        std::ranges::transform(row.storms_ago, row.storms_ago.begin(), older);
        for (auto* at : {&row.stats.last_detected, &row.stats.last_restored}) {
            if (*at) {
                *at = Instant{older((*at)->time_since_epoch())};
            }
        }
    }
    return saved;
}

}  // namespace petrel::watchdog
