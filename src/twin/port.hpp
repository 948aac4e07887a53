// The two halves of a port, one cache line each: the data used when a frame leaves, and when a frame arrives. Hosts and
// switches use the same structures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "twin/sim_time.hpp"
#include "twin/wire.hpp"

namespace petrel::twin {

// A span of time that each node runs alone: frames sent in a window arrive after its end.
struct Window {
    Ps begin{};
    Ps end{};
};

// What the senders note for a receiver. Each thread has its own copy, and the engine merges the copies after each
// window.
struct Mail {
    Ps earliest{kForever};
    std::uint64_t ports{};  // input ports with frames in flight
};

struct alignas(64) OutPort {
    WireIn wire;
    Ps free_at{};          // the transmitter is busy until then
    Ps latency{};          // of the link, including the receiver's fixed latency
    std::uint32_t rate{};  // picoseconds a byte takes, times 1024
    std::uint16_t peer{};  // node at the far end
    std::uint8_t peer_port{};
    std::uint8_t nonempty{};   // queues with packets
    std::uint8_t paused{};     // queues that must not send; an expired pause is removed at the next opportunity
    std::uint8_t pause_due{};  // priorities for which a pause frame has to be sent
    std::uint8_t xoffed{};     // priorities for which the peer is paused
    std::uint8_t held{};       // queues that a faulty scheduler holds back
    bool odd{};                // something unusual is set: check the registers
};
static_assert(sizeof(OutPort) == 64);

// Received frames, for a capture.
struct Tap {
    struct Record {
        Ps at{};  // arrival of the last bit
        Packet packet;
    };
    std::vector<Record> records;
    std::size_t room{};  // number of records that still fit

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
    bool odd{};  // something unusual is set: link down, tap, or registers to check
};

// The time of one byte in picoseconds times 1024, and the reverse.
constexpr std::uint32_t pace_of(BitRate rate) { return static_cast<std::uint32_t>(8 * kSecond * 1024 / rate.bps); }
constexpr BitRate rate_of(std::uint32_t pace) { return {pace == 0 ? 0 : 8 * kSecond * 1024 / pace}; }

constexpr Ps transmission_time(const OutPort& out, std::uint32_t bytes) { return Ps{bytes} * out.rate >> 10U; }

// Sends a frame now. Its arrival time is known, so it is put on the receiver's wire at once.
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
