// The agent's settings as one table: the name of each in the file, in the environment and as a flag, its meaning and
// its allowed values. Every source sets values through this table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/agent_config_reader.hpp"
#include "config/agent_config.hpp"

namespace petrel::codec {

struct Setting {
    std::string key;       // "log.format": `format` in the file's table [log]
    std::string flag;      // "--log-format"; keys of [agent] go without the table name: "--state-dir"
    std::string variable;  // "PETREL_LOG_FORMAT"
    std::string shape;     // placeholder for its value in the help: "MS", "text|json|rfc5424"
    std::string about;
    std::string standard;  // the default
    std::string allowed;
    bool is_number{};  // in the file; elsewhere all values are text
    std::function<bool(config::AgentConfig&, std::string_view)>
        set;  // false: the value is not allowed, nothing has changed
};

std::span<const Setting> agent_settings();

// The settings in an environment (a null-terminated list of "NAME=value"): all variables PETREL_*. A variable that
// belongs to no setting gets an empty key; reading the configuration then fails with a complaint about it.
std::vector<Given> given_by_environment(const char* const* environment);

}  // namespace petrel::codec
