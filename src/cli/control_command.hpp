// The commands that query a running agent or give it orders: petrel status, queues, mitigate, release, release-all,
// hold, events, explain, reload. (`petrel watch`: watch_command.hpp.)
#pragma once

#include <string>
#include <string_view>

#include "cli/agent_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/terminal.hpp"
#include "codec/control_report.hpp"

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

// What a command prints.
struct Shown {
    std::string text;       // to stdout
    std::string complaint;  // a line to stderr; empty = none
    ExitCode code{ExitCode::ok};
};

// The agent's answer to the command. `events`: one line of the answer.
Shown shown(const ControlOptions&, std::string_view line, const Paint&);

ExitCode run_control(const ControlOptions&);
ExitCode run_release_all(const ReleaseAllOptions&);

}  // namespace petrel::cli
