// A frame, in sixteen bytes and passed by value: there is no packet pool and no pointer to a packet. On a link it is in
// the wire's ring, in a switch in the queue's ring. A data frame that a host has not sent yet is only a counter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace petrel::twin {

enum class Kind : std::uint8_t {
    data,
    ack,  // cumulative: everything below seq has arrived
    nak,  // the same, and seq itself is missing: go back to it
    cnp,  // congestion notification: data of this flow was marked
    pfc,
    global_pause,  // 802.3x
    signal,        // not a frame: the far end's transmitter went off or on (port_link.hpp)
};

inline constexpr std::uint8_t kEcnCapable = 1;
inline constexpr std::uint8_t kEcnMarked = 3;
inline constexpr std::uint32_t kSeqMask = 0xff'ffff;

struct Packet {
    std::uint32_t flow{};       // of a pause frame: priorities and quanta (pause_frame.hpp)
    std::uint32_t seq_ttl{};    // seq in the low 24 bits (modulo), time to live in the high 8
    std::uint16_t dst{};        // host
    std::uint16_t bytes{};      // on the wire with FCS, without preamble and gap
    std::uint16_t hash_kind{};  // 13 bits for ECMP, 3 bits of Kind
    std::uint8_t tos{};         // DSCP in the high 6 bits, ECN in the low 2
    std::uint8_t ingress{};     // the port it was received on, while it waits in a switch

    Kind kind() const { return static_cast<Kind>(hash_kind & 7U); }
    std::uint32_t seq() const { return seq_ttl & kSeqMask; }
    std::uint8_t ttl() const { return static_cast<std::uint8_t>(seq_ttl >> 24U); }
    std::uint8_t dscp() const { return static_cast<std::uint8_t>(tos >> 2U); }
    std::uint8_t ecn() const { return tos & 3U; }
    bool is_control() const { return kind() >= Kind::pfc; }
};
static_assert(sizeof(Packet) == 16);

}  // namespace petrel::twin
