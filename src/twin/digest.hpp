// The hash of a run: over all arrivals of each node in their order. Equal hashes mean equal runs, whatever the number
// of threads, processes and windows.
#pragma once

#include <bit>
#include <cstdint>

#include "twin/packet.hpp"
#include "twin/sim_time.hpp"

namespace petrel::twin {

constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t x)
{
    h = (h ^ x) * 0x9e37'79b9'7f4a'7c15ULL;
    return h ^ h >> 29U;
}

inline std::uint64_t digest_arrival(std::uint64_t h, Ps at, const Packet& p)
{
    const auto low = std::uint64_t{p.flow} << 32U | p.seq_ttl;
    const auto high = std::uint64_t{p.dst} << 32U | std::uint64_t{p.bytes} << 16U | p.hash_kind;
    return (h ^ at ^ low) * 0x9e37'79b9'7f4a'7c15ULL + std::rotl(high ^ std::uint64_t{p.tos} << 48U, 17) + (h >> 31U);
}

}  // namespace petrel::twin
