// The configuration of the agent: its file, with what flags and the environment say on top, and where each value came
// from. The file is a policy file with more in it: docs/agent-config.md. Its settings are a table of their own,
// agent_settings.hpp.
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

enum class StopPolicy : std::uint8_t { restore, hold };  // of what is mitigated when the agent is stopped
enum class NosKind : std::uint8_t { none, sonic, own };
inline constexpr std::array<std::string_view, 3> kNosKinds{"none", "sonic", "own"};
enum class LogFormat : std::uint8_t { text, json, rfc5424 };

struct DeviceEntry {
    std::string name;    // empty = as the driver calls it
    std::string driver;  // KIND:REST
    Place at;
};

struct EffectiveValue {
    std::string key;     // "log.format", "device.1.driver", "policy.tor.detect_ms", "port.Ethernet0.role"
    std::string value;   // as a flag would take it
    std::string origin;  // "default", "agent.toml:4:10", "PETREL_LOG_FORMAT", "--log-format", "preset sonic"
};

struct AgentConfig {
    std::string file;  // empty = none
    std::string name;  // empty = the host's
    std::filesystem::path state_dir;
    std::filesystem::path control_socket;
    std::string control_group;   // empty = the agent's own
    std::string metrics_listen;  // HOST:PORT; empty = off
    std::string log_to;          // stderr, a file or a syslog socket
    LogFormat log_format{};
    StopPolicy stop{};
    Duration stop_timeout{};
    Duration hang_after{};
    std::uint32_t history_events{};
    NosKind nos{};
    std::string redis;                 // empty = as SONiC says
    std::vector<DeviceEntry> devices;  // may be none
    PolicyFile policies;
    std::vector<EffectiveValue> values;  // all of the above, in words
};

// A device that is SONiC's own ("sonic:local") brings SONiC's configuration with it.
bool is_sonics_own(const DeviceEntry&);
bool follows_config_db(const AgentConfig&);  // policies are those of CONFIG_DB, SONiC's or the agent's own

// A value from a flag or from the environment.
struct Given {
    std::string key;  // of a setting, kDeviceKey or kProfileKey
    std::string value;
    std::string origin;
};

// May be given several times; then these are the devices, and not those of the file.
inline constexpr std::string_view kDeviceKey = "device";

// The profile of the libraries among those devices: as if each of them said profile=FILE itself.
inline constexpr std::string_view kProfileKey = "profile";

// Without a file (`file` is empty) everything is as it is by default, and the preset sonic watches all queues. `given`:
// the strongest last. `drivers`: the kinds there are.
Parsed<AgentConfig> read_agent_config(std::string_view text, std::string_view file, std::span<const Given> given,
                                      std::span<const std::string_view> drivers);

}  // namespace petrel::codec
