// What 1,000 agents with 65,536 ports report to a manager, as they write it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "uplink/snapshot.hpp"

namespace petrel::bench {

inline constexpr unsigned kAgents = 1000;
inline constexpr unsigned kPorts = 65'536;  // of all agents
inline constexpr unsigned kPortsOfAgent = kPorts / kAgents + 1;
inline constexpr unsigned kEventsOfReport = 50;

std::string agent_name(unsigned agent);
std::string report_head_of(unsigned agent);

// Reports with events, in turns of all agents, with numbers that go on.
class Reports {
public:
    // `time_us`: of the events; 0: their numbers.
    std::string next(std::int64_t time_us = 0);
    unsigned agent() const { return (agent_ - 1) % kAgents; }  // of the last report

private:
    unsigned agent_{};
    std::array<std::uint64_t, kAgents> seq_{};
};

// A report with the state of the agent's device: each port has a neighbour and two lossless queues.
std::string report_of_state(unsigned agent);

// The counters of all queues of a device, each of which pauses, in one second.
std::vector<uplink::QueueSample> counters_of(unsigned agent, unsigned queues, unsigned second);

}  // namespace petrel::bench
