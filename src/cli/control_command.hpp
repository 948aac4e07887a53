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
    AgentOptions agent;  // release-all: the agent whose journals are read if it is dead
};

// Each sends the request and prints the answer, in words or as JSON.
ExitCode show_status(const ControlOptions&);
ExitCode show_queues(const ControlOptions&);
ExitCode show_explanation(const ControlOptions&);
ExitCode show_events(const ControlOptions&);
ExitCode give_order(const ControlOptions&);
ExitCode reload(const ControlOptions&);  // fails if the agent refuses the configuration

// Also works if the agent is dead, from the journals of the configured devices.
ExitCode release_all(const ControlOptions&);

}  // namespace petrel::cli
