// The commands that query a running agent or give it orders: petrel status, queues, mitigate, release, release-all,
// hold, events, explain, reload. (`petrel watch`: watch_command.hpp.)
#pragma once

#include <string>

#include "cli/agent_command.hpp"
#include "codec/control_report.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct ControlOptions {
    codec::ControlRequest request;
    std::string socket;  // empty = the default
    bool json{};         // print the agent's JSON lines
};

// release-all also works if the agent is dead, from the journals of the configured devices.
struct ReleaseAllOptions {
    ControlOptions control;
    AgentOptions agent;
};

ExitCode run_control(const ControlOptions&);
ExitCode run_release_all(const ReleaseAllOptions&);

}  // namespace petrel::cli
