// An experiment on a fabric, as data: what it is made of, what is sent over it, what goes wrong, who watches, for how
// long. Read from a file by the codec, run by the lab.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/agent_fault.hpp"
#include "scenario/expectation.hpp"
#include "scenario/fault.hpp"
#include "twin/setup.hpp"
#include "watchdog/policy.hpp"

namespace petrel::scenario {

// An item of the traffic, as people wrote it: these flows of the setup, one after the other.
struct TrafficItem {
    std::string name;
    std::uint32_t first_flow{};
    std::uint32_t flows{};
};

// What a switch's own hardware looks for; zero = it does not. And how its software shows and treats that.
struct HardwareDetectors {
    Duration pause_limit{};
    Duration deadlock_detect{};
    Duration deadlock_recover{};
    bool slingshot{};  // by Slingshot's registers
};

// The same of one port, where it has intervals of its own.
struct PortDetector {
    topology::End port;
    Duration detect{};
    Duration recover{};
};

// An agent on one device.
struct Watch {
    NodeId node;
    watchdog::PolicyBook book;
    HardwareDetectors hardware;
};

inline constexpr std::uint64_t kUsualCapture = 1'000'000;  // frames

struct Capture {
    std::uint32_t link{};
    std::uint64_t frames{};  // at most, at each end
};

// Where and when there really is a storm: what watchdogs are measured by.
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
    std::vector<Watch> watches;
    std::vector<Capture> captures;
    Ps manager_sweep{};  // how often a manager looks after the links; zero = nobody does
    std::vector<Expectation> expectations;
    std::vector<Truth> truth;
    std::vector<PortDetector> port_detectors;
};

}  // namespace petrel::scenario
