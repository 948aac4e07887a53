// `petrel agent`: the service that watches a device until it is stopped. And the commands that clean up after an agent
// that died.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/agent_config_reader.hpp"
#include "config/agent_config.hpp"
#include "daemon/driver.hpp"
#include "daemon/nos.hpp"
#include "device/device.hpp"
#include "http_client/client.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct AgentOptions;
struct ControlOptions;

// Additions for tests.
struct AgentExtras {
    std::vector<daemon::Driver*> drivers;
    std::function<void(std::string_view point)> reached;
    std::function<ExitCode(const AgentOptions&)> run_agent;      // instead of a service in this process
    std::function<ExitCode(const ControlOptions&)> run_control;  // instead of a request to the control socket
};

// What the agent of a program consists of beside the service.
struct AgentParts {
    std::vector<std::unique_ptr<daemon::Driver>> (*make_drivers)(){};
    // The NOS that a configuration names. Null: this program has none.
    Result<std::unique_ptr<daemon::Nos>> (*make_nos)(const config::AgentConfig&, std::span<daemon::Driver* const>,
                                                     const device::TimeSource&){};
    // Fills in what a configuration implies. Null: nothing.
    config::AgentConfig (*complete)(config::AgentConfig){};
    // The client of a manager. Null: this program cannot report to one.
    std::unique_ptr<http_client::Client> (*make_manager_client)(const std::vector<http_client::Endpoint>&){};
    // Renews the agent's certificate. Null: this program has none.
    Result<bool> (*renew_certificate)(http_client::Client&, const std::filesystem::path& file, const std::string& agent,
                                      WallTime now){};
};

inline constexpr AgentParts kNoParts;

struct AgentOptions {
    std::string config;               // a file; empty = /etc/petrel/agent.toml if there is one, else defaults
    std::vector<codec::Given> given;  // by flags
    const AgentExtras* extras{};
    std::string_view defaults{};  // the text that replaces a file if there is none
    const AgentParts* parts{&kNoParts};
    bool real_time{};  // the loop, too, gets real-time priority
};

ExitCode run_agent(const AgentOptions&);

// The configuration file to use; empty = none.
std::string config_file(const AgentOptions&);

// The kinds of these drivers, for the reader of the configuration.
std::vector<codec::DriverKind> driver_kinds(const std::vector<daemon::Driver*>&);

// The agent's configuration with these options: flags override the environment, which overrides the file, which
// overrides the defaults.
Parsed<config::AgentConfig> read_config(const AgentOptions&, const std::vector<daemon::Driver*>&);

// Puts back what a dead agent has changed beside its mitigations (SONiC's scripts). Mitigations stay.
ExitCode hand_back(const AgentOptions&);

// Without a running agent: releases what the journals of the configured devices contain.
ExitCode release_without_agent(const AgentOptions&, bool json);

}  // namespace petrel::cli
