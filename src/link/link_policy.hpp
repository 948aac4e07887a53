// The width and speed that a link must keep after it came up. A link outside its policy is taken down on purpose: in a
// lossless fabric a slow link holds up all traffic behind it.
#pragma once

#include <cstdint>
#include <optional>

namespace petrel::link {

struct LinkShape {
    std::uint8_t tx_lanes{4};
    std::uint8_t rx_lanes{4};
    std::uint16_t lane_gbps{25};
};

struct LinkPolicy {
    std::uint8_t widths_allowed{};  // bit n - 1: n lanes are enough; none set: the width must not change
    std::uint16_t least_lane_gbps{};
};

// The link-down code, if the policy does not allow the present width or speed.
std::optional<std::uint8_t> out_of_policy(const LinkPolicy&, const LinkShape& came_up, const LinkShape& now);

}  // namespace petrel::link
