// A flow is two records of one cache line each, the sender's and the receiver's, because its ends are on two nodes that
// may run at the same time. Sequence numbers count packets; frames carry their low 24 bits.
#pragma once

#include <cstdint>

#include "twin/sim_time.hpp"

namespace petrel::twin {

inline constexpr std::uint32_t kEndless = UINT32_MAX;

struct alignas(64) Sender {
    std::uint32_t next{};    // next packet to send
    std::uint32_t acked{};   // all packets below have arrived
    std::uint32_t total{};   // kEndless: sends while it is on
    std::uint32_t window{};  // the most unacknowledged packets; 0 = no limit
    Ps next_at{};            // do not send before, to keep the rate
    std::uint32_t pace{};    // picoseconds a byte takes at the flow's rate, times 1024; 0 = line rate
    std::uint16_t dst{};
    std::uint16_t bytes{};
    std::uint16_t hash{};
    std::uint8_t tos{};
    std::uint8_t priority{};
    bool reliable{};
    bool listed{};  // in its host's list of flows with packets to send
    bool on{};
    bool timed{};              // its retransmission timer is on the agenda
    Ps progress_at{};          // time of the last acknowledgement of new packets
    Ps finished_at{kForever};  // all packets were acknowledged (open loop: sent)
};
static_assert(sizeof(Sender) == 64);

struct alignas(64) Receiver {
    std::uint32_t expected{};
    std::uint16_t src{};
    std::uint16_t hash{};
    std::uint8_t tos{};
    bool reliable{};
    bool nak_sent{};          // a NAK was sent for the current gap
    bool notifies{};          // sends CNPs for marked data
    Ps notify_at{};           // no CNP before this time
    std::uint64_t packets{};  // delivered in order
    std::uint64_t out_of_order{};
    std::uint64_t marked{};
};
static_assert(sizeof(Receiver) == 64);

}  // namespace petrel::twin
