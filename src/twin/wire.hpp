// One direction of a link: frames in flight, each with its arrival time, in a ring with one writer (the sending port)
// and one reader (the receiving port). There is no lock and no shared tail: the entry after the last frame has the
// arrival time kForever, and the reader stops at the first frame that arrives after its window. The reader may or may
// not see a frame that is being written at the same time. That does not matter, because such a frame arrives in a later
// window.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "twin/arena.hpp"
#include "twin/packet.hpp"
#include "twin/sim_time.hpp"

namespace petrel::twin {

struct InFlight {
    Ps at{kForever};  // last bit at the receiver; shared, so access only by atomic_ref
    Packet packet;
};

// The reader's end.
struct WireOut {
    // The ring as a pointer with log2 of its capacity in the low bits. The writer replaces it by a larger ring; the
    // reader may use the old one until its next window.
    std::atomic<std::uintptr_t> ring{};
    std::atomic<std::uint32_t> head{};  // next to read; the writer reads it only if the ring seems full

    struct View {
        InFlight* slots;
        std::uint32_t mask;
        InFlight& operator[](std::uint32_t i) const { return slots[i & mask]; }
    };
    View view() const
    {
        const auto tagged = ring.load(std::memory_order_acquire);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): two values that must change together
        return {reinterpret_cast<InFlight*>(tagged & ~std::uintptr_t{63}), (1U << (tagged & 63U)) - 1};
    }
    Ps front_at() const { return arrival(view()[head.load(std::memory_order_relaxed)]); }

    static Ps arrival(InFlight& f) { return std::atomic_ref{f.at}.load(std::memory_order_acquire); }
};

// The writer's end.
struct WireIn {
    InFlight* slots{};
    std::uint32_t mask{};
    std::uint32_t tail{};
    std::uint32_t head_seen{};  // a lower bound of the reader's head
    WireOut* far{};

    void open(WireOut& out, Arena& arena)
    {
        far = &out;
        widen(32, arena);
    }

    void put(Ps at, const Packet& p, Arena& arena)
    {
        if (tail + 1 - head_seen > mask) [[unlikely]]
            make_room(arena);
        std::atomic_ref{slots[(tail + 1) & mask].at}.store(kForever, std::memory_order_relaxed);
        InFlight& slot = slots[tail & mask];
        slot.packet = p;
        std::atomic_ref{slot.at}.store(at, std::memory_order_release);
        ++tail;
    }

private:
    void make_room(Arena& arena)
    {
        head_seen = far->head.load(std::memory_order_acquire);
        if (tail + 1 - head_seen > mask)
            widen(2 * (mask + 1), arena);
    }

    void widen(std::uint32_t capacity, Arena& arena)
    {
        auto* wider = arena.make<InFlight>(capacity).data();
        for (std::uint32_t i = head_seen; i != tail; ++i)
            wider[i & (capacity - 1)] = slots[i & mask];
        slots = wider;
        mask = capacity - 1;
        const auto log2 = static_cast<std::uintptr_t>(std::countr_zero(capacity));
        far->ring.store(reinterpret_cast<std::uintptr_t>(wider) | log2, std::memory_order_release);
    }
};

}  // namespace petrel::twin
