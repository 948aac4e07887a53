// All that a tool needs of the world around it. The program fills it in (cli/sonic_command.hpp); a test makes its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "codec/control_report.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic_tools {

// The group whose members may change the configuration as root may.
inline constexpr auto kWriters = "petrel";

// As given on the command line; empty = the usual place.
struct Where {
    std::string redis;
    std::string socket;  // the agent's
};

struct Surroundings {
    std::function<Result<std::unique_ptr<sonic::Store>>(const Where&)> open_store;
    // The tables are the agent's own, and it alone writes how queues fare.
    std::function<bool(const Where&)> agent_keeps_tables = [](const Where&) { return false; };
    // The lines of the agent's answer.
    std::function<Result<std::vector<std::string>>(const Where&, const codec::ControlRequest&)> ask_agent;
    // CONFIG_DB is not filled: waits for a moment. False: the tool has waited long enough.
    std::function<bool()> wait_for_config = [] { return false; };
    bool may_write{};             // whoever runs it may change the configuration
    bool writers_exist{};         // there is such a group
    std::filesystem::path cache;  // a folder of the user's own; empty: there is none
    std::chrono::system_clock::time_point now;
};

}  // namespace petrel::sonic_tools
