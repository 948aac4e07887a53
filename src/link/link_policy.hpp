// What a link must keep of the width and speed it came up with. A link outside its policy is taken down on purpose:
// half a link in a lossless fabric holds up everybody behind it.
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
    std::uint8_t widths_allowed{};  // bit n - 1: n lanes are enough; none set: the width must not change at all
    std::uint16_t least_lane_gbps{};
};

// The code to go down with, if the policy does not allow what became of the link.
std::optional<std::uint8_t> out_of_policy(const LinkPolicy&, const LinkShape& came_up, const LinkShape& now);

}  // namespace petrel::link
