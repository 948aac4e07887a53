// The memory manager of the shared buffer: how many bytes an ingress priority group may use, and when it sends XOFF and
// XON. A group first fills its reserve, then the shared pool up to its threshold, then (if lossless) its headroom.
// Frames that leave free them in the opposite order. PFC results from this accounting alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/config.hpp"

namespace petrel::twin {

struct Pool {
    std::uint64_t size{};
    std::uint64_t used{};
    std::uint64_t peak{};

    std::uint64_t free() const { return used < size ? size - used : 0; }
    void take(std::uint64_t bytes)
    {
        used += bytes;
        peak = std::max(peak, used);
    }
};

inline std::uint64_t threshold(const Limit& limit, const Pool& pool)
{
    if (limit.mode == Limit::Mode::dynamic) [[likely]] {
        const std::uint64_t free = pool.free();
        return limit.alpha_exponent >= 0 ? free << limit.alpha_exponent : free >> -limit.alpha_exponent;
    }
    return limit.mode == Limit::Mode::fixed ? limit.bytes : kForever;
}

// One (port, priority group), one cache line.
struct alignas(64) IngressGroup {
    std::uint32_t bytes{};     // in reserve and shared pool
    std::uint32_t headroom{};  // beyond the threshold
    std::uint32_t reserved{};
    std::uint32_t headroom_limit{};
    std::uint32_t xon{};
    std::uint32_t xon_offset{};
    Limit limit;
    bool lossless{};
    bool xoff{};  // the last frame to the sender was XOFF
    std::uint8_t pool{};
    std::uint8_t priorities{};  // the priorities mapped to this group: XOFF pauses these
    std::uint32_t peak{};
    std::uint32_t headroom_peak{};
    std::uint64_t rx_packets{};
    std::uint64_t rx_drops{};

    std::uint32_t shared() const { return bytes > reserved ? bytes - reserved : 0; }

    // Accepts the frame, or returns false if there is no room.
    bool admit(std::uint32_t size, Pool& shared_pool, Pool& headroom_pool)
    {
        const std::uint32_t before = shared();
        const std::uint32_t total = bytes + size;
        const std::uint32_t after = total > reserved ? total - reserved : 0;
        const bool fits = after == 0 || after <= threshold(limit, shared_pool);
        if (!fits) {
            if (!lossless || headroom + size > headroom_limit || headroom_pool.free() < size)
                return false;
            headroom += size;
            headroom_peak = std::max(headroom_peak, headroom);
            headroom_pool.take(size);
            return true;
        }
        bytes = total;
        peak = std::max(peak, total);
        shared_pool.take(after - before);
        return true;
    }

    void release(std::uint32_t size, Pool& shared_pool, Pool& headroom_pool)
    {
        const std::uint32_t from_headroom = std::min(headroom, size);
        headroom -= from_headroom;
        headroom_pool.used -= from_headroom;
        const std::uint32_t before = shared();
        bytes -= size - from_headroom;
        shared_pool.used -= before - shared();
    }

    bool must_pause(const Pool& shared_pool) const
    {
        return lossless && !xoff && (headroom != 0 || shared() > threshold(limit, shared_pool));
    }

    bool may_resume(const Pool& shared_pool) const
    {
        return xoff && headroom == 0 && shared() <= resume_level(shared_pool);
    }

    std::uint64_t resume_level(const Pool& shared_pool) const
    {
        const std::uint64_t limit_now = threshold(limit, shared_pool);
        const std::uint64_t below = limit_now > xon_offset ? limit_now - xon_offset : 0;
        return std::max<std::uint64_t>(xon, below);
    }
};
static_assert(sizeof(IngressGroup) == 64);

}  // namespace petrel::twin
