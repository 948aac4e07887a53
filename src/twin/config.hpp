// How switches, NICs and flows are set up. Plain data with the defaults of the product; check() in build.hpp says what
// does not fit together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "topology/topology.hpp"
#include "twin/sim_time.hpp"

namespace petrel::twin {

using topology::NodeId;

// How much of a pool one ingress group or egress queue may take beyond its reserve: alpha = 2^exponent of what is free,
// or a fixed number of bytes.
struct Limit {
    enum class Mode : std::uint8_t { dynamic, fixed, none } mode{Mode::dynamic};
    std::int8_t alpha_exponent{-3};  // -8..8
    std::uint32_t bytes{};           // of a fixed limit
};

struct PgProfile {
    bool lossless{};
    std::uint8_t pool{};  // ingress pool
    std::uint32_t reserved_bytes{4096};
    Limit limit;
    std::uint32_t headroom_bytes{};  // xoff: what may still arrive after XOFF was sent
    std::uint32_t xon_bytes{};       // XON at or below max(xon, threshold - xon_offset)
    std::uint32_t xon_offset_bytes{3072};
};

struct EcnProfile {
    std::uint32_t min_bytes{};    // marking starts
    std::uint32_t max_bytes{};    // everything is marked; 0 = no marking at all
    double max_probability{1.0};  // just below max_bytes
};

struct QueueProfile {
    bool strict{};            // before all weighted queues; the highest such queue first
    std::uint32_t weight{1};  // share among the others
    Limit limit{Limit::Mode::none, 0, 0};
    std::uint8_t pool{};  // egress pool; counts only where there is a limit
    EcnProfile ecn;
};

constexpr std::array<std::uint8_t, 64> default_dscp_map()
{
    std::array<std::uint8_t, 64> map{};  // 0..7 are the priorities themselves, above them the class selectors
    for (std::size_t d = 0; d != map.size(); ++d)
        map[d] = static_cast<std::uint8_t>(d < 8 ? d : d >> 3U);
    return map;
}

inline constexpr std::array<std::uint8_t, kPriorities> kIdentity{0, 1, 2, 3, 4, 5, 6, 7};

struct PauseProfile {
    std::uint16_t quanta{65535};
    Ps response{};  // from the arrival of a pause frame to its effect
    bool global{};  // 802.3x: one pause for the whole port
};

// What real counters do wrong, on request.
struct CounterFlaws {
    bool deaf_without_pfc{};  // pause that is not honoured is not counted either
    Ps refresh{};             // counters move only so often; 0 = always true
    bool quanta{};            // pause time is the sum of the quanta received, not of the time paused
};

struct SwitchProfile {
    std::uint64_t buffer_bytes{std::uint64_t{12} << 20U};
    std::vector<std::uint64_t> ingress_pools;            // sizes; empty = one, of all that is not reserved or headroom
    std::vector<std::uint64_t> egress_pools;             // the same
    std::optional<std::uint64_t> shared_headroom_bytes;  // one pool instead of each group's own
    std::array<PgProfile, kPriorities> groups{};
    std::array<QueueProfile, kPriorities> queues{};
    std::array<std::uint8_t, 64> priority_of_dscp{default_dscp_map()};
    std::array<std::uint8_t, kPriorities> group_of_priority{kIdentity};
    std::array<std::uint8_t, kPriorities> queue_of_priority{kIdentity};
    PauseProfile pause;
    Ps pipeline{};  // fixed latency, added to every frame that comes in
    std::uint16_t max_frame_bytes{9216};
    CounterFlaws flaws;
    bool flood_unknown{};  // lossless unicast to an unknown address: drop (default) or flood
};

// A NIC. Its receive pipeline takes frames out of the port buffer at `drain`; without one it keeps up with the line.
struct NicProfile {
    BitRate drain{};
    std::uint32_t buffer_bytes{512U << 10U};
    std::uint32_t xoff_bytes{256U << 10U};
    std::uint32_t xon_bytes{128U << 10U};
    std::uint8_t lossless{0xff};  // priorities it pauses for
    PauseProfile pause;
    Ps retransmit_after{16 * kMs};
    std::uint16_t ack_bytes{64};
    Ps notify_interval{50 * kUs};  // DCQCN: at most one notification of a flow in it
};

struct Dcqcn {
    double g{1.0 / 256};
    Ps alpha_timer{55 * kUs};
    Ps cut_interval{50 * kUs};  // at most one rate cut in it
    Ps increase_timer{900 * kUs};
    std::uint64_t increase_bytes{10'000'000};
    BitRate additive{50'000'000};
    BitRate hyper{100'000'000};
    BitRate floor{10'000'000};
};

struct Flow {
    NodeId src;
    NodeId dst;
    std::uint64_t packets{};          // 0 = without end
    std::uint16_t frame_bytes{1048};  // on the wire, without preamble and gap
    std::uint8_t dscp{3};
    Ps start{};
    Ps stop{kForever};
    BitRate rate{};                  // 0 = line rate
    bool reliable{true};             // acknowledged, go-back-N; else open loop
    std::uint32_t window_packets{};  // unacknowledged at most; 0 = no window
    bool congestion_control{};       // DCQCN
    std::uint16_t hash{};            // what ECMP sees of it; 0 = made from the addresses and the flow's number
};

}  // namespace petrel::twin
