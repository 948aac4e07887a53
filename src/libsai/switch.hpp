// One switch of the fabric as SAI software has configured it. Transfers the settings to the twin: PFC masks and
// recoveries into registers, intervals into the hardware detectors, profiles into buffers. Interrupts of the twin
// become notices.
//
// Contract: calls that write come on the switch's node (Fabric::write); calls that read come between two runs
// (Fabric::read).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "libsai/handle.hpp"
#include "sai/types.hpp"
#include "topology/topology.hpp"
#include "twin/twin.hpp"

namespace petrel::libsai {

using twin::Ps;
using twin::SwitchView;
using PerClass = std::array<std::uint32_t, kPriorities>;  // milliseconds by traffic class; 0 = not set

// The intervals that the hardware supports: 1 to 15 times a step of 1, 10 or 100 ms. Other values are rounded up.
inline constexpr sai::Range kIntervals_ms{1, 1500};
std::uint32_t programmable_ms(std::uint32_t wanted_ms);

struct Intervals {
    PerClass detect_ms{};
    PerClass recover_ms{};
};

struct Queue {
    bool watched{};     // ENABLE_PFC_DLDR
    bool treated{};     // PFC_DLR_INIT
    bool recovering{};  // the hardware has detected a deadlock
    bool resumed{};     // since the last read of the continuous state, whatever the pause signal shows
    Ps detect{};        // as programmed; 0 = hardware detection is off
    Ps recover{};
    std::optional<sai::PacketAction> action;  // the queue's own action, overrides the switch's
};

struct Port {
    bool disabled{};  // by ADMIN_STATE
    sai::PfcMode mode{};
    std::uint8_t pfc{};  // in both directions
    std::uint8_t pfc_rx{};
    std::uint8_t pfc_tx{};
    Intervals intervals;
    std::array<Queue, kPriorities> queues;
    std::array<std::uint32_t, kPriorities> profile_of_group{};  // profile numbers; 0 = none
    std::map<sai::QosMapType, std::uint32_t> maps;              // map numbers
};

struct BufferPool {
    std::uint8_t slot{};  // index of the pool in the twin
    std::uint64_t bytes{};
    std::uint64_t shared_headroom_bytes{};  // 0 = each group has its own headroom
};

struct BufferProfile {
    std::uint32_t pool{};  // the pool's number
    bool lossless{};       // a threshold exists at which the sender is paused
    std::uint64_t reserved_bytes{};
    sai::ThresholdMode mode{};
    std::int8_t alpha_exponent{};
    std::uint64_t static_bytes{};  // 0 = no limit
    std::uint64_t xoff_bytes{};
    std::uint64_t xon_bytes{};
    std::uint64_t xon_offset_bytes{};
};

struct QosMap {
    sai::QosMapType type{};
    std::vector<sai::QosEntry> entries;
};

using Notice = std::variant<sai::DeadlockNotice, sai::PortStateNotice>;

class Switch {
public:
    Switch(std::uint8_t number, topology::NodeId, SwitchView, Ps now);
    ~Switch();
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

    std::uint8_t number() const { return number_; }
    topology::NodeId node() const { return node_; }
    SwitchView view() const { return view_; }
    sai::ObjectId id_of(sai::ObjectType type, std::uint32_t number) const { return to_id({type, number_, number}); }
    sai::ObjectId id() const { return id_of(sai::ObjectType::switch_, 0); }

    // ---- the state as software sees it
    sai::PacketAction action_of(const Queue& queue) const { return queue.action.value_or(action); }
    bool paused(std::uint8_t port, std::uint8_t queue, Ps now) const;
    sai::DeadlockState take_state(std::uint8_t port, std::uint8_t queue, Ps now);
    std::uint32_t error_bits(std::uint8_t port, Ps now) const;  // why the link is down; 0 while it is up
    std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

    // ---- transfer to the twin, after one of the settings below was changed
    void program_port(std::uint8_t port, Ps now);
    void program_detectors(std::uint8_t port, Ps now);
    void program_buffers(Ps now);
    // The twin maps priorities in the same way on all ports and cannot change that: only a map with the same content is
    // valid.
    bool holds(const QosMap&) const;

    // ---- settings; call program_...() after a change
    sai::PacketAction action{sai::PacketAction::drop};
    Intervals intervals;
    sai::DeadlockCallback on_deadlock{};
    sai::PortStateCallback on_port_state{};
    std::vector<Port> ports;
    std::map<std::uint32_t, BufferPool> pools;
    std::map<std::uint32_t, BufferProfile> profiles;
    std::map<std::uint32_t, QosMap> qos_maps;
    std::map<std::pair<sai::ObjectId, sai::StatId>, std::uint64_t> cleared;  // counter values when cleared
    std::uint32_t next_number{1};

private:
    void set_up_buffers();
    void set_up_maps();
    void handle(const twin::Interrupt&, Ps now);
    void post(std::uint8_t port, sai::OperStatus, Ps now);
    std::uint8_t priorities_of(std::uint8_t queue) const;
    bool has_room(std::uint32_t profile) const;
    Ps interval(std::uint8_t port, std::uint8_t queue, PerClass Intervals::* which) const;

    std::uint8_t number_;
    topology::NodeId node_;
    SwitchView view_;
    std::vector<Notice> notices_;
};

}  // namespace petrel::libsai
