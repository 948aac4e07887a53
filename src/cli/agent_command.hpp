// `petrel agent`: the service that watches a switch, until it is told to stop. And what it leaves to do when it is
// dead.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "codec/agent_config.hpp"
#include "daemon/driver.hpp"

namespace petrel::cli {

// What a test adds to the agent.
struct AgentExtras {
    std::vector<daemon::Driver*> drivers;
    std::function<void(std::string_view point)> reached;
};

struct AgentOptions {
    std::string config;               // a file; empty = /etc/petrel/agent.toml if there is one, else defaults
    std::vector<codec::Given> given;  // by flags
    const AgentExtras* extras{};
};

// All that petrel was built with.
std::vector<std::unique_ptr<daemon::Driver>> make_drivers();

ExitCode run_agent(const AgentOptions&);

// The file that counts; empty = none.
std::string config_file(const AgentOptions&);

// What the agent would do with these options, flags over environment over file over defaults.
Parsed<codec::AgentConfig> read_config(const AgentOptions&, const std::vector<daemon::Driver*>&);

struct HandBackOptions {
    AgentOptions agent;
};

// Puts back what a dead agent has left changed beside its mitigations: SONiC's scripts. Mitigations stay.
ExitCode hand_back(const HandBackOptions&);

// With no agent to ask: from the journals that the configuration names.
ExitCode release_without_agent(const AgentOptions&, bool json);

}  // namespace petrel::cli
