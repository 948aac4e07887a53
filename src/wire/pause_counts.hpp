// Pause frames, counted by priority and kind.
#pragma once

#include <array>
#include <cstdint>

#include "base/ids.hpp"
#include "wire/mac_control.hpp"

namespace petrel::wire {

struct PauseCount {
    std::uint64_t xoff{};
    std::uint64_t xon{};
    bool operator==(const PauseCount&) const = default;
};

struct PauseCounts {
    std::uint64_t frames{};
    std::array<PauseCount, kPriorities> priorities{};  // a PFC frame counts for each priority that it names
    PauseCount port;                                   // 802.3x
    bool operator==(const PauseCounts&) const = default;
};

void count(const PauseFrame&, PauseCounts&);

}  // namespace petrel::wire
