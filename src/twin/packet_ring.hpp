// A growing FIFO for the packets of a queue. Indices only grow and are masked on access.
#pragma once

#include <cstdint>

#include "twin/arena.hpp"
#include "twin/packet.hpp"

namespace petrel::twin {

struct PacketRing {
    Packet* slots{};
    std::uint32_t mask{};  // capacity - 1
    std::uint32_t head{};
    std::uint32_t tail{};

    bool empty() const { return head == tail; }
    std::uint32_t size() const { return tail - head; }
    const Packet& front() const { return slots[head & mask]; }
    Packet pop() { return slots[head++ & mask]; }
    void push(const Packet& p, Arena& arena)
    {
        if (slots == nullptr || size() > mask) [[unlikely]]
            grow(arena);
        slots[tail++ & mask] = p;
    }

private:
    void grow(Arena& arena);
};

inline void PacketRing::grow(Arena& arena)
{
    const std::uint32_t capacity = slots == nullptr ? 32 : 2 * (mask + 1);
    auto* wider = arena.make<Packet>(capacity).data();
    for (std::uint32_t i = head; slots != nullptr && i != tail; ++i)
        wider[i & (capacity - 1)] = slots[i & mask];
    slots = wider;
    mask = capacity - 1;
}

}  // namespace petrel::twin
