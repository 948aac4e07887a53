// The width and speed that a link must keep after it came up. A link outside its policy is taken down on purpose: in a
// lossless fabric a slow link holds up all traffic behind it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.hpp"

namespace petrel::link {

struct LinkShape {
    std::uint8_t tx_lanes{4};
    std::uint8_t rx_lanes{4};
    BitRate lane_speed{25'000'000'000};
};

struct LinkPolicy {
    std::uint8_t widths_allowed{};  // bit n - 1: n lanes are enough; none set: the width must not change
    BitRate least_lane_speed;
};

// The link-down code, if the policy does not allow the present width or speed.
std::optional<std::uint8_t> out_of_policy(const LinkPolicy&, const LinkShape& came_up, const LinkShape& now);

}  // namespace petrel::link
