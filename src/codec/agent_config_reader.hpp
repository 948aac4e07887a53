// Reads the agent's configuration: its file, overridden by the environment and flags. The file is an extended policy
// file: docs/agent-config.md. The settings are listed in agent_settings.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "config/agent_config.hpp"

namespace petrel::codec {

// A value from a flag or from the environment.
struct Given {
    std::string key;  // the key of a setting, kDeviceKey or kProfileKey
    std::string value;
    std::string origin;
};

// May be given several times. These devices then replace those of the file.
inline constexpr std::string_view kDeviceKey = "device";

// The profile of the SAI libraries among those devices, as if each of them had profile=FILE.
inline constexpr std::string_view kProfileKey = "profile";

// A kind of driver that exists.
struct DriverKind {
    std::string_view name;
    bool has_policies{};  // the driver supplies the policies of its devices: the file needs none
};

// Without a file (`file` is empty) all settings have their defaults, and the preset sonic watches all queues. `given`:
// later entries override earlier ones.
Parsed<config::AgentConfig> read_agent_config(std::string_view text, std::string_view file,
                                              std::span<const Given> given, std::span<const DriverKind> drivers);

}  // namespace petrel::codec
