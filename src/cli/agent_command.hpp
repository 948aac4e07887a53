// `petrel agent`: the service that watches a switch until it is stopped. And the commands that clean up after an agent
// that died.
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
#include "daemon/nos.hpp"

namespace petrel::cli {

// Additions for tests.
struct AgentExtras {
    std::vector<daemon::Driver*> drivers;
    std::function<void(std::string_view point)> reached;
};

struct AgentOptions {
    std::string config;               // a file; empty = /etc/petrel/agent.toml if there is one, else defaults
    std::vector<codec::Given> given;  // by flags
    const AgentExtras* extras{};
};

// All drivers that petrel was built with.
std::vector<std::unique_ptr<daemon::Driver>> make_drivers();

ExitCode run_agent(const AgentOptions&);

// The configuration file to use; empty = none.
std::string config_file(const AgentOptions&);

// The agent's configuration with these options: flags override the environment, which overrides the file, which
// overrides the defaults.
Parsed<codec::AgentConfig> read_config(const AgentOptions&, const std::vector<daemon::Driver*>&);

// The NOS that the configuration names; null = the policies of the configuration apply. The clock outlives it.
Result<std::unique_ptr<daemon::Nos>> make_nos(const codec::AgentConfig&, const device::TimeSource&);

struct HandBackOptions {
    AgentOptions agent;
};

// Puts back what a dead agent has changed beside its mitigations (SONiC's scripts). Mitigations stay.
ExitCode hand_back(const HandBackOptions&);

// Without a running agent: releases what the journals of the configured devices contain.
ExitCode release_without_agent(const AgentOptions&, bool json);

}  // namespace petrel::cli
