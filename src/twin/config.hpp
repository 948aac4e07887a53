// Configuration of switches, NICs and flows: plain data with the product's defaults. problems() in setup.hpp checks it.
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

// How much of a pool one ingress group or egress queue may use beyond its reserve: alpha = 2^exponent times the free
// bytes, or a fixed number of bytes.
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
    std::uint32_t headroom_bytes{};  // room for frames that still arrive after XOFF was sent
    std::uint32_t xon_bytes{};       // XON at or below max(xon, threshold - xon_offset)
    std::uint32_t xon_offset_bytes{3072};
};

struct EcnProfile {
    std::uint32_t min_bytes{};    // marking starts here
    std::uint32_t max_bytes{};    // everything is marked; 0 = no marking at all
    double max_probability{1.0};  // just below max_bytes
};

struct QueueProfile {
    bool strict{};            // served before all weighted queues; the highest strict queue first
    std::uint32_t weight{1};  // share among the weighted queues
    Limit limit{Limit::Mode::none, 0, 0};
    std::uint8_t pool{};  // egress pool; counts only where there is a limit
    EcnProfile ecn;
};

constexpr std::array<std::uint8_t, 64> default_dscp_map()
{
    std::array<std::uint8_t, 64> map{};  // 0..7 map to the same priority, higher ones by their class selector
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

// Flaws of real counters that can be simulated.
struct CounterFlaws {
    bool deaf_without_pfc{};   // pause that is not honoured is not counted either
    Ps refresh{};              // interval at which counters are updated; 0 = always up to date
    Ps jitter{};               // time stamps of reads are early by up to this much
    std::int32_t drift_ppm{};  // time stamps of reads run fast by so many microseconds in a second
    bool quanta{};             // pause time is the sum of the received quanta, not the time paused
};

struct SwitchProfile {
    std::uint64_t buffer_bytes{std::uint64_t{12} << 20U};
    std::vector<std::uint64_t> ingress_pools;            // sizes; empty = one pool, without reserves and headroom
    std::vector<std::uint64_t> egress_pools;             // sizes of the egress pools
    std::optional<std::uint64_t> shared_headroom_bytes;  // one shared headroom pool instead of the sum of the groups'
    std::array<PgProfile, kPriorities> groups{};
    std::array<QueueProfile, kPriorities> queues{};
    std::array<std::uint8_t, 64> priority_of_dscp{default_dscp_map()};
    std::array<std::uint8_t, kPriorities> group_of_priority{kIdentity};
    std::array<std::uint8_t, kPriorities> queue_of_priority{kIdentity};
    PauseProfile pause;
    Ps pipeline{};  // fixed latency of every received frame
    std::uint16_t max_frame_bytes{9216};
    CounterFlaws flaws;
    bool flood_unknown{};  // lossless unicast to an unknown address: drop (default) or flood
};

// A NIC. Its receive pipeline takes frames out of the port buffer at the rate `drain`; 0 = at line rate.
struct NicProfile {
    BitRate drain{};
    std::uint32_t buffer_bytes{512U << 10U};
    std::uint32_t xoff_bytes{256U << 10U};
    std::uint32_t xon_bytes{128U << 10U};
    std::uint8_t lossless{0xff};  // the priorities for which it sends pause
    PauseProfile pause;
    Ps retransmit_after{16 * kMs};
    std::uint16_t ack_bytes{64};
    Ps notify_interval{50 * kUs};  // DCQCN: at most one notification per flow in this time
};

struct Dcqcn {
    double g{1.0 / 256};
    Ps alpha_timer{55 * kUs};
    Ps cut_interval{50 * kUs};  // at most one rate cut in this time
    Ps increase_timer{900 * kUs};
    std::uint64_t increase_bytes{10'000'000};
    BitRate additive{50'000'000};
    BitRate hyper{100'000'000};
    BitRate floor{10'000'000};
};

struct Flow {
    NodeId src;
    NodeId dst;
    std::uint64_t packets{};          // 0 = endless
    std::uint16_t frame_bytes{1048};  // on the wire, without preamble and gap
    std::uint8_t dscp{3};
    Ps start{};
    Ps stop{kForever};
    BitRate rate{};                  // 0 = line rate
    bool reliable{true};             // acknowledged, go-back-N; else open loop
    std::uint32_t window_packets{};  // the most unacknowledged packets; 0 = no window
    bool congestion_control{};       // DCQCN
    std::uint16_t hash{};            // input of the ECMP hash; 0 = derived from the addresses and the flow's number
};

}  // namespace petrel::twin
