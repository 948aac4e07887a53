// The configuration of the agent: its file, overridden by flags and the environment, and the origin of each value. The
// file is an extended policy file: docs/agent-config.md. The settings are listed in agent_settings.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/policy_reader.hpp"

namespace petrel::codec {

enum class StopPolicy : std::uint8_t { restore, hold };  // what happens to mitigated queues when the agent stops
enum class NosKind : std::uint8_t { none, sonic, own };
inline constexpr std::array<std::string_view, 3> kNosKinds{"none", "sonic", "own"};
enum class LogFormat : std::uint8_t { text, json, rfc5424 };

struct DeviceEntry {
    std::string name;    // empty = the name that the driver gives
    std::string driver;  // KIND:REST
    Place at;
};

struct EffectiveValue {
    std::string key;     // "log.format", "device.1.driver", "policy.tor.detect_ms", "port.Ethernet0.role"
    std::string value;   // in the form that a flag takes
    std::string origin;  // "default", "agent.toml:4:10", "PETREL_LOG_FORMAT", "--log-format", "preset sonic"
};

struct AgentConfig {
    std::string file;  // empty = none
    std::string name;  // empty = the host name
    std::filesystem::path state_dir;
    std::filesystem::path control_socket;
    std::string control_group;   // empty = the agent's own group
    std::string metrics_listen;  // HOST:PORT; empty = off
    std::string log_to;          // stderr, a file or a syslog socket
    LogFormat log_format{};
    StopPolicy stop{};
    Duration stop_timeout{};
    Duration hang_after{};
    std::uint32_t history_events{};
    NosKind nos{};
    std::string redis;                 // empty = from SONiC's database_config.json
    std::vector<DeviceEntry> devices;  // may be empty
    PolicyFile policies;
    std::vector<EffectiveValue> values;  // all of the above as text
};

// A device that is the SONiC switch itself ("sonic:local") implies SONiC's configuration.
bool is_sonics_own(const DeviceEntry&);
bool follows_config_db(const AgentConfig&);  // policies come from CONFIG_DB, SONiC's or the agent's own

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

// Without a file (`file` is empty) all settings have their defaults, and the preset sonic watches all queues. `given`:
// later entries override earlier ones. `drivers`: the driver kinds that exist.
Parsed<AgentConfig> read_agent_config(std::string_view text, std::string_view file, std::span<const Given> given,
                                      std::span<const std::string_view> drivers);

}  // namespace petrel::codec
