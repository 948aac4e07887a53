// A policy book compiled for one device: what is wanted, held against what the device can observe and do. Wishes a
// device cannot meet are either complaints (it cannot be watched at all) or notes (it is watched, with another action
// or signal).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/rule.hpp"

namespace petrel::watchdog {

inline constexpr std::uint16_t kUnwatched = 0xffff;

// A clock is full before its limit by the uncertainty of time stamps, but by no more than this part of the limit.
inline constexpr int kMostForgiven = 4;

// What this device makes of the wish for one row.
struct Effective {
    std::uint16_t policy{kUnwatched};
    Treatment action{};
};

struct Watchlist {
    Inventory inventory;
    Capabilities capabilities;
    std::vector<Policy> policies;
    std::vector<Run> runs;
    std::vector<Effective> rows;     // rows[slot]
    std::vector<std::string> notes;  // where the effective differs from the configured
    std::uint32_t max_mitigated{};
    bool big_red_switch{};
    Duration poll{};  // the shortest of the policies in use, not below the device's refresh
};

Parsed<Watchlist> compile(const PolicyBook&, Inventory, const Capabilities&);

// The weaker treatments a device is offered, in order, when it refuses one: data, walked by refusals.
Treatment weaker(Treatment);

}  // namespace petrel::watchdog
