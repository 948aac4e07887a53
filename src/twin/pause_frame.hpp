// Pause frames as packets: PFC and 802.3x. Nearly all frames have one time for all priorities that they pause, which
// fits a packet. A frame with different times refers to a row of a table that is fixed for the run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "twin/packet.hpp"
#include "twin/port.hpp"

namespace petrel::twin {

using PauseTimes = std::array<std::uint16_t, kPriorities>;

inline constexpr std::uint16_t kControlFrameBytes = 64;
inline constexpr std::uint32_t kBytesPerQuantum = 64;  // 512 bit times

// The frame concerns the priorities in `enable`: those also in `stop` pause for `quanta`, the others resume. With
// `times` (1 + a row of the table) each priority has its own time.
constexpr Packet pause_frame(std::uint8_t enable, std::uint8_t stop, std::uint16_t quanta, std::uint8_t times = 0)
{
    Packet p;
    p.flow = enable | std::uint32_t{stop} << 8U | std::uint32_t{quanta} << 16U;
    p.seq_ttl = times;
    p.bytes = kControlFrameBytes;
    p.hash_kind = static_cast<std::uint16_t>(Kind::pfc);
    return p;
}

// 802.3x: one time for the whole port.
constexpr Packet global_pause_frame(bool stop, std::uint16_t quanta)
{
    Packet p = pause_frame(0xff, stop ? 0xff : 0, quanta);
    p.hash_kind = static_cast<std::uint16_t>(Kind::global_pause);
    return p;
}

constexpr bool covers(const Packet& frame, std::uint8_t priority) { return (frame.flow >> priority & 1U) != 0; }

constexpr std::uint16_t quanta_for(const Packet& frame, std::uint8_t priority, std::span<const PauseTimes> table)
{
    if (frame.seq_ttl != 0)
        return table[frame.seq_ttl - 1][priority];
    return (frame.flow >> (8U + priority) & 1U) != 0 ? static_cast<std::uint16_t>(frame.flow >> 16U) : std::uint16_t{0};
}

constexpr Ps pause_time(const OutPort& out, std::uint16_t quanta)
{
    return transmission_time(out, quanta * kBytesPerQuantum);
}

// When to repeat a pause: late enough to cost little, and early enough that the frame arrives in time even if it waits
// for a frame of the longest size.
constexpr Ps refresh_after(const OutPort& out, std::uint16_t quanta, std::uint32_t longest_frame)
{
    const Ps whole = pause_time(out, quanta);
    const Ps margin = std::max(whole / 8, 2 * transmission_time(out, longest_frame));
    return whole > 2 * margin ? whole - margin : whole / 2;
}

}  // namespace petrel::twin
