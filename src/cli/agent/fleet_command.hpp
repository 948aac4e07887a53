// The commands for a running agent, sent to a fabric manager for many agents: `petrel --manager URL status`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/agent/control_command.hpp"
#include "control/fleet.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct FleetOptions {
    std::string manager;  // URL; empty: the agent of this machine
    std::string token_file;
    std::string ca_file;
    control::FleetRequest request;  // its ControlRequest is that of the ControlOptions
};

// The manager at this URL gave no answer.
Error no_manager(std::string_view url, const Error& why);

// Sends the command, follows it until it has ended everywhere, and prints what each agent answers. Fails if one of them
// did not carry it out.
ExitCode run_for_fleet(ControlOptions, FleetOptions);

}  // namespace petrel::cli
