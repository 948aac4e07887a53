// Why a frame was dropped. Every frame that is neither delivered nor in flight is counted under exactly one of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace petrel::twin {

enum class Drop : std::uint8_t {
    headroom,       // lossless, but no room in shared buffer and headroom
    ingress_full,   // lossy, over the ingress threshold
    egress_full,    // lossy, over the egress threshold
    mitigated_in,   // received in a priority group that a mitigation discards
    mitigated_out,  // to a queue that a mitigation discards, or flushed from it
    frame_size,     // longer than the port's maximum frame size
    no_route,
    ttl,
    link_down,
    nic_buffer,  // the NIC's receive buffer was full
    dead_host,
    count_
};

inline constexpr auto kDrops = static_cast<std::size_t>(Drop::count_);

std::string_view name(Drop);

struct DropCounts {
    std::array<std::uint64_t, kDrops> by_cause{};

    std::uint64_t& operator[](Drop d) { return by_cause[static_cast<std::size_t>(d)]; }
    std::uint64_t operator[](Drop d) const { return by_cause[static_cast<std::size_t>(d)]; }
    std::uint64_t total() const
    {
        std::uint64_t sum = 0;
        for (auto n : by_cause)
            sum += n;
        return sum;
    }
    DropCounts& operator+=(const DropCounts& other)
    {
        for (std::size_t i = 0; i != kDrops; ++i)
            by_cause[i] += other.by_cause[i];
        return *this;
    }
};

}  // namespace petrel::twin
