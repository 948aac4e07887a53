// The configuration of the agent as data, with the origin of each value. codec/agent_config_reader.hpp reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_list.hpp"
#include "base/time.hpp"
#include "config/policy_file.hpp"
#include "config/stop_policy.hpp"

namespace petrel::config {

// The network operating system whose tables hold the policies. `own`: the agent keeps such tables itself.
enum class NosKind : std::uint8_t { none, sonic, own };
inline constexpr std::array<std::string_view, 3> kNosKinds{"none", "sonic", "own"};

constexpr std::string_view name(NosKind kind) { return kNosKinds[static_cast<std::size_t>(kind)]; }

enum class LogFormat : std::uint8_t { text, json, rfc5424 };

struct DeviceEntry {
    std::string name;    // empty = the name that the driver gives
    std::string driver;  // KIND:REST
    Place at;
    std::string switch_log{};  // a file or a syslog socket for the lines of a Slingshot switch; empty = none
    bool simulated{};          // declared to be no real device
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
    std::string manager_url;     // config/manager_url.hpp; empty = no manager
    std::filesystem::path manager_token_file;
    std::filesystem::path manager_ca_file;  // empty = the certificates that the machine trusts
    std::filesystem::path manager_certificate_file;
    std::string log_to;  // stderr, a file or a syslog socket
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

}  // namespace petrel::config
