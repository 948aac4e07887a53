// What happens to mitigated queues when the agent stops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace petrel::config {

enum class StopPolicy : std::uint8_t { restore, hold };
inline constexpr std::array<std::string_view, 2> kStopPolicies{"restore", "hold"};

constexpr std::string_view name(StopPolicy policy) { return kStopPolicies[static_cast<std::size_t>(policy)]; }

}  // namespace petrel::config
