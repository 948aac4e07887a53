// A request for many agents, as a client sends it to their manager, and what came of it. codec/fleet_client_json.hpp
// writes and reads their JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/request.hpp"

namespace petrel::control {

struct FleetRequest {
    ControlRequest request;
    bool all{};  // for an order: every agent, if nothing else restricts the choice
    std::vector<std::string> agents{};
    std::vector<std::string> racks{};
    std::vector<std::string> roles{};
    std::vector<std::string> devices{};
    std::uint32_t canary{};  // 0: all at once
    std::string then{};      // the share of each further wave: "10%"
    std::uint32_t watch_s{30};
    std::uint32_t within_s{30};
    bool dry_run{};
};

struct FleetAnswer {
    std::string agent;
    std::uint64_t wave{};
    std::string state;   // not_sent, waiting, done, failed, expired
    std::string answer;  // the agent's line; empty: none
};

struct FleetReport {
    std::uint64_t id{};
    std::string state;  // running, done, stopped
    std::string why;    // it is stopped
    std::vector<FleetAnswer> agents;
};

// A page of the manager's events.
struct FleetEvents {
    struct Line {
        std::string device;
        std::string event;  // of docs/events.md
    };
    std::vector<Line> lines;
    std::int64_t next{};
};

}  // namespace petrel::control
