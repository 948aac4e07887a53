// The two halves of a port, each one cache line: what is touched when a frame leaves, and when one comes in. Hosts and
// switches share them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "twin/sim_time.hpp"
#include "twin/wire.hpp"

namespace petrel::twin {

// A time span of nodes that run it alone: whatever is sent in it arrives after its end.
struct Window {
    Ps begin{};
    Ps end{};
};

// What senders leave for a receiver, in a copy of their thread's own: the engine merges the copies after each window.
struct Mail {
    Ps earliest{kForever};
    std::uint64_t ports{};  // input ports with frames in flight
};

struct alignas(64) OutPort {
    WireIn wire;
    Ps free_at{};          // the transmitter is busy until then
    Ps latency{};          // of the link, with the receiver's fixed latency
    std::uint32_t rate{};  // picoseconds a byte takes, times 1024
    std::uint16_t peer{};  // node at the far end
    std::uint8_t peer_port{};
    std::uint8_t nonempty{};  // queues that hold something
    std::uint8_t paused{};    // queues that must not send; a pause that ran out is noticed at the next opportunity
    std::uint8_t tell{};      // priorities whose pause has to be told to the peer
    std::uint8_t xoffed{};    // priorities the peer was told to pause
    std::uint8_t held{};      // queues that a sick scheduler passes over
    bool odd{};               // something unusual is set: look at the registers
};
static_assert(sizeof(OutPort) == 64);

// Frames as they came in, for a capture.
struct Tap {
    struct Record {
        Ps at{};  // last bit in
        Packet packet;
    };
    std::vector<Record> records;
    std::size_t room{};  // records it may still take

    void take(Ps at, const Packet& p)
    {
        if (room == 0)
            return;
        --room;
        records.push_back({at, p});
    }
};

struct alignas(64) InPort {
    WireOut wire;
    std::uint64_t frames{};
    Tap* tap{};
    bool down{};
    bool odd{};  // something unusual is set: down, tapped, or look at the registers
};

// What a byte takes, in picoseconds times 1024, and back.
constexpr std::uint32_t pace_of(BitRate rate) { return static_cast<std::uint32_t>(8 * kSecond * 1024 / rate.bps); }
constexpr BitRate rate_of(std::uint32_t pace) { return {pace == 0 ? 0 : 8 * kSecond * 1024 / pace}; }

constexpr Ps transmission_time(const OutPort& out, std::uint32_t bytes) { return Ps{bytes} * out.rate >> 10U; }

// The frame leaves now: everything about its way over the link is known and done at once.
inline void transmit(OutPort& out, const Packet& p, Ps now, std::uint32_t overhead_bytes, Mail* mail, Arena& arena)
{
    out.free_at = now + transmission_time(out, p.bytes + overhead_bytes);
    const Ps arrival = out.free_at + out.latency;
    out.wire.put(arrival, p, arena);
    Mail& box = mail[out.peer];
    box.earliest = std::min(box.earliest, arrival);
    box.ports |= std::uint64_t{1} << out.peer_port;
}

}  // namespace petrel::twin
