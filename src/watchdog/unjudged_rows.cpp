#include "watchdog/unjudged_rows.hpp"

namespace petrel::watchdog {

bool needs_speed(const Policy& policy, Fields fields)
{
    const bool continuous = policy.criterion == Criterion::continuous || policy.criterion == Criterion::stalled;
    return continuous && !has(fields, Field::pause_state) && !has(fields, Field::pause_us) &&
           !(has(fields, Field::paused_now) && has(fields, Field::on2off));
}

std::size_t unjudged_rows(const Watchlist& list)
{
    std::size_t unjudged = 0;
    for (std::size_t row = 0; row < list.rows.size(); ++row) {
        const auto policy = list.rows[row].policy;
        const bool watched = policy != kUnwatched && list.inventory.rows[row].speed.bps == 0;
        unjudged += watched && needs_speed(list.policies[policy], list.capabilities.fields) ? 1U : 0U;
    }
    return unjudged;
}

}  // namespace petrel::watchdog
