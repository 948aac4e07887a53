// Everything outside of this module that a tool uses. The program fills it in (cli/sonic_command.hpp); a test makes its
// own.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/request.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic_tools {

// The group whose members may change the configuration as root may.
inline constexpr auto kWriters = "petrel";

// As given on the command line; empty = the usual place.
struct Where {
    std::string redis;
    std::string socket;  // the agent's
    std::string asic;    // the namespace of one ASIC of several; empty: the switch has one ASIC
};

struct Surroundings {
    std::function<Result<std::unique_ptr<sonic::Store>>(const Where&)> open_store;
    // The namespaces of the ASICs. None: the switch has one ASIC, without a namespace.
    std::function<Result<std::vector<std::string>>(const Where&)> asics = [](const Where&) {
        return std::vector<std::string>{};
    };
    // The agent keeps the tables itself, and only the agent writes the state of queues.
    std::function<bool(const Where&)> agent_keeps_tables = [](const Where&) { return false; };
    // The lines of the agent's answer.
    std::function<Result<std::vector<std::string>>(const Where&, const control::ControlRequest&)> request_answer;
    // CONFIG_DB is not filled: waits for a moment. False: the time limit is over.
    std::function<bool()> wait_for_config = [] { return false; };
    bool may_write{};             // the user may change the configuration
    bool writers_exist{};         // the group kWriters exists
    std::filesystem::path cache;  // a folder of the user; empty: the user has none
    std::chrono::system_clock::time_point now;
};

}  // namespace petrel::sonic_tools
