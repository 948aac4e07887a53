#include "link/link_policy.hpp"

#include "link/reasons.hpp"

namespace petrel::link {
namespace {

bool width_allowed(std::uint8_t widths, std::uint8_t lanes)
{
    return lanes >= 1 && lanes <= 8 && (unsigned{widths} >> (lanes - 1U) & 1U) != 0;
}

}  // namespace

std::optional<std::uint8_t> out_of_policy(const LinkPolicy& policy, const LinkShape& came_up, const LinkShape& now)
{
    if (now.lane_speed < policy.least_lane_speed) {
        return kSpeedPolicy;
    }
    const bool wide_enough =
        policy.widths_allowed == 0
            ? now.tx_lanes == came_up.tx_lanes && now.rx_lanes == came_up.rx_lanes
            : width_allowed(policy.widths_allowed, now.tx_lanes) && width_allowed(policy.widths_allowed, now.rx_lanes);
    return wide_enough ? std::nullopt : std::optional{kWidthPolicy};
}

}  // namespace petrel::link
