// The commands that query a running agent or give it orders: petrel status, queues, mitigate, release, release-all,
// hold, events, explain, reload, link show, link clear. (`petrel watch`: watch_command.hpp.)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/agent/agent_command.hpp"
#include "control/request.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

struct ControlOptions {
    control::ControlRequest request;
    std::string socket;     // empty = the default
    bool json{};            // print the agent's JSON lines
    bool check{};           // status: for monitoring, fail if there is a problem
    std::string format;     // links: "opasaquery", or empty for a table
    std::string state_dir;  // events: read if the agent is dead; empty = as in its configuration
    std::string manager;    // links: ask the manager at this URL instead of an agent
    std::string token_file;
    std::string ca_file;
    bool other_machine{};  // the answer comes from there: its files are not here
    AgentOptions agent;    // release-all, events: the agent whose files are read if it is dead
};

// Each sends the request and prints the answer, in words or as JSON.
ExitCode run_control(const ControlOptions&);
ExitCode show_events(const ControlOptions&);  // line by line; if the agent is dead, from its state folder
ExitCode release_all(const ControlOptions&);  // if the agent is dead, from the journals of the configured devices

// What a command prints.
struct Shown {
    std::string text;       // to stdout
    std::string complaint;  // a sentence for stderr; empty = none
    std::string details;    // lines that belong in front of it
    ExitCode code{ExitCode::ok};
};

// The agent's answer to the command. `events`: one line of the answer.
Shown shown(const ControlOptions&, std::string_view line, const Paint&, std::size_t width);

}  // namespace petrel::cli
