// The pending events of one node in one window: a key for each source, (time since the window began << 12 | source).
// The next event is the smallest key, and the source's number breaks ties. At this size a scan is faster than a heap.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/port.hpp"

namespace petrel::twin {

inline constexpr unsigned kSourceBits = 12;
inline constexpr std::uint32_t kSourceMask = (1U << kSourceBits) - 1;
inline constexpr std::uint32_t kNoEvent = UINT32_MAX;
inline constexpr Ps kLongestWindow = Ps{1} << (32 - kSourceBits);

constexpr std::uint32_t event_key(const Window& w, Ps at, std::uint32_t source)
{
    return at < w.end ? static_cast<std::uint32_t>(at - w.begin) << kSourceBits | source : kNoEvent;
}

// `count` is a multiple of four: four independent chains avoid waiting for the previous comparison.
inline std::uint32_t least(const std::uint32_t* keys, std::uint32_t count)
{
    std::uint32_t a = keys[0];
    std::uint32_t b = keys[1];
    std::uint32_t c = keys[2];
    std::uint32_t d = keys[3];
    for (std::uint32_t i = 4; i != count; i += 4) {
        a = std::min(a, keys[i]);
        b = std::min(b, keys[i + 1]);
        c = std::min(c, keys[i + 2]);
        d = std::min(d, keys[i + 3]);
    }
    return std::min(std::min(a, b), std::min(c, d));
}

}  // namespace petrel::twin
