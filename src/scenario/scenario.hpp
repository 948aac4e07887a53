// An experiment on a fabric, as data: topology, traffic, faults, agents and duration. The codec reads it from a file,
// and the lab runs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenario/agent_fault.hpp"
#include "scenario/expectation.hpp"
#include "scenario/fault.hpp"
#include "scenario/manager.hpp"
#include "twin/setup.hpp"
#include "watchdog/policy.hpp"

namespace petrel::scenario {

// A traffic item of the scenario file. It stands for consecutive flows of the setup.
struct TrafficItem {
    std::string name;
    std::uint32_t first_flow{};
    std::uint32_t flows{};
};

// What a switch has beside its buffers and counters: its own detectors, and how commands reach it. Zero = off.
struct SwitchTraits {
    Duration pause_limit{};
    Duration deadlock_detect{};
    Duration deadlock_recover{};
    Duration acts_after{};  // from a write to its effect: other software carries the commands out
    bool slingshot{};       // accessed by Slingshot's registers
};

// The deadlock detector of one port that has its own intervals.
struct PortDetector {
    topology::End port;
    Duration detect{};
    Duration recover{};
};

// An agent on one device.
struct Watch {
    NodeId node;
    watchdog::PolicyBook book;
    SwitchTraits hardware;
};

inline constexpr std::uint64_t kUsualCapture = 1'000'000;  // frames

struct Capture {
    std::uint32_t link{};
    std::uint64_t frames{};  // the most frames at each end
};

// Where and when there really is a storm. Watchdogs are scored against this.
struct Truth {
    topology::End port;
    std::uint8_t priorities{};
    Ps from{};
    Ps until{};
};

struct Scenario {
    std::string name;
    std::string about;
    Ps duration{};
    twin::Setup setup;
    std::vector<TrafficItem> traffic;
    std::vector<Fault> faults;
    std::vector<AgentFault> agent_faults;
    std::vector<ManagerFault> manager_faults;
    std::vector<Watch> watches;
    Duration hang_after{std::chrono::seconds{5}};  // agents report a device whose call takes longer
    std::vector<Capture> captures;
    std::optional<ManagerSetup> manager;
    Ps manager_sweep{};  // interval at which a manager checks the links; zero = no manager
    std::vector<Expectation> expectations;
    std::vector<Truth> truth;
    std::vector<PortDetector> port_detectors;
};

}  // namespace petrel::scenario
