// The test's view of the bad library: the switch behind it, to be paused and flapped, and its settings.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sai/api.hpp"

namespace petrel::test {

struct BadQueue {
    sai::DeadlockState state{};
    bool pause_status{};
    bool recovering{};
    bool detects{};
    std::int32_t action{};
    std::map<sai::AttrId, bool> ever_set;
    std::uint64_t packets{};
    unsigned state_reads{};
};

struct BadGroup {
    sai::ObjectId profile{};
};

struct BadPool {
    std::int32_t type{};
    std::uint64_t size{};
    std::int32_t mode{};
};

struct BadProfile {
    sai::ObjectId pool{};
    std::uint64_t reserved{};
    std::int32_t mode{};
    std::int8_t share{};
};

struct BadPort {
    bool listed{true};  // false: the port is removed from the switch
    sai::OperStatus status{sai::OperStatus::up};
    std::uint32_t error_bits{};
    bool enabled{true};
    std::uint32_t speed_mbps{100'000};
    std::uint8_t pfc{0x18};     // of both directions, or of received pause (fault separate)
    std::uint8_t pfc_tx{0x18};  // of sent pause, with the fault separate
    std::array<BadQueue, 8> queues;
    std::array<BadGroup, 8> groups;
    std::array<std::uint64_t, 8> pfc_frames{};
    std::array<std::uint64_t, 8> pause_us{};
    std::vector<sai::MapEntry> detect;
    std::vector<sai::MapEntry> recover;
};

struct BadSwitch {
    std::set<std::string, std::less<>> faults;  // the profile's bad.faults, separated by commas
    std::vector<BadPort> ports;
    bool created{};
    bool attached{};
    std::int32_t action{};
    std::vector<sai::MapEntry> detect;
    std::vector<sai::MapEntry> recover;
    sai::DeadlockCallback on_deadlock{};
    sai::PortStateCallback on_port_state{};
    std::map<std::uint8_t, std::uint8_t> maps;  // PFC priority to queue and group
    std::map<sai::ObjectId, BadPool> pools;
    std::map<sai::ObjectId, BadProfile> profiles;
    std::size_t most_pools{1000};  // the profile's bad.pools
    unsigned bulk_reads{};
    unsigned uses_of_removed{};          // calls with an object of a port that is not listed
    std::function<void()> in_a_get;      // called inside each get; may advance the clock
    std::function<void()> before_a_set;  // called before each change of the switch; may end the process

    // Sends a notice, unless the faults loses_detected or loses_recovered suppress it.
    void notify(std::size_t port, std::size_t queue, sai::DeadlockEvent event) const
    {
        if (!has(event == sai::DeadlockEvent::detected ? "loses_detected" : "loses_recovered")) {
            const sai::DeadlockNotice notice{queue_id(port, queue), static_cast<std::int32_t>(event), false};
            on_deadlock(1, &notice);
        }
    }

    void notify(std::size_t port, sai::OperStatus status, std::uint32_t error_bits = 0) const
    {
        const sai::PortStateNotice notice{port_id(port), static_cast<std::int32_t>(status), error_bits};
        on_port_state(1, &notice);
    }

    bool has(std::string_view fault) const { return faults.contains(fault); }
    static sai::ObjectId port_id(std::size_t port) { return 0x1000 + port; }
    static sai::ObjectId queue_id(std::size_t port, std::size_t queue) { return 0x2000 + port * 8 + queue; }
    static sai::ObjectId group_id(std::size_t port, std::size_t group) { return 0x3000 + port * 8 + group; }
};

// Exported as bad_switch.
using FindBadSwitch = BadSwitch*();

}  // namespace petrel::test
