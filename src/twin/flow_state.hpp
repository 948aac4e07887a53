// A flow is two records of one cache line each, since its ends belong to two nodes that may run at the same time: what
// the sender knows, and what the receiver knows. Sequence numbers are whole packets; frames carry their low 24 bits.
#pragma once

#include <cstdint>

#include "twin/sim_time.hpp"

namespace petrel::twin {

inline constexpr std::uint32_t kEndless = UINT32_MAX;

struct alignas(64) Sender {
    std::uint32_t next{};    // to be sent
    std::uint32_t acked{};   // everything below has arrived
    std::uint32_t total{};   // kEndless: as long as it is on
    std::uint32_t window{};  // unacknowledged at most; 0 = any number
    Ps next_at{};            // not before, to keep the rate
    std::uint32_t pace{};    // picoseconds a byte takes at the flow's rate, times 1024; 0 = line rate
    std::uint16_t dst{};
    std::uint16_t bytes{};
    std::uint16_t hash{};
    std::uint8_t tos{};
    std::uint8_t priority{};
    bool reliable{};
    bool listed{};  // among its host's flows that have something to send
    bool on{};
    bool timed{};              // a retransmission is on the agenda
    Ps progress_at{};          // last acknowledgement of something new
    Ps finished_at{kForever};  // all of it was acknowledged (open loop: sent)
};
static_assert(sizeof(Sender) == 64);

struct alignas(64) Receiver {
    std::uint32_t expected{};
    std::uint16_t src{};
    std::uint16_t hash{};
    std::uint8_t tos{};
    bool reliable{};
    bool told_gap{};          // a gap is reported once, until it closes
    bool notifies{};          // marked data is reported to the sender
    Ps notify_at{};           // not before
    std::uint64_t packets{};  // delivered in order
    std::uint64_t out_of_order{};
    std::uint64_t marked{};
};
static_assert(sizeof(Receiver) == 64);

}  // namespace petrel::twin
