// The agent's settings, as one table: what each is called in its file, in the environment and as a flag, what it means
// and what it may be. Whoever sets one, sets it through here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/agent_config.hpp"

namespace petrel::codec {

struct Setting {
    std::string key;       // "log.format": `format` in the file's table [log]
    std::string flag;      // "--log-format"; what is in [agent] goes without its table: "--state-dir"
    std::string variable;  // "PETREL_LOG_FORMAT"
    std::string shape;     // what stands for its value in a line of help: "MS", "text|json|rfc5424"
    std::string about;
    std::string standard;  // if nobody says anything
    std::string allowed;
    bool is_number{};                                         // in the file; elsewhere everything is text
    std::function<bool(AgentConfig&, std::string_view)> set;  // false: not allowed, nothing has changed
};

std::span<const Setting> agent_settings();

// What an environment ("NAME=value" each, then null) says about the agent: all of its PETREL_*. A variable that no
// setting has comes without a key, and is complained of when the configuration is read.
std::vector<Given> given_by_environment(const char* const* environment);

}  // namespace petrel::codec
