// The configuration of the agent: its file, with what flags and the environment say on top, and where each value came
// from.
#pragma once

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
enum class LogFormat : std::uint8_t { text, json, rfc5424 };

struct DeviceEntry {
    std::string name;    // empty = as the driver calls it
    std::string driver;  // KIND:REST
    Place at;
};

struct EffectiveValue {
    std::string key;     // "log.format"
    std::string value;   // as it would stand in the file
    std::string origin;  // "default", "agent.toml:4:10", "PETREL_LOG_FORMAT", "--log-format"
};

struct AgentConfig {
    std::string file;
    std::string name;
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
    std::vector<DeviceEntry> devices;
    PolicyFile policies;
    std::vector<EffectiveValue> values;
};

// A value from a flag or from the environment.
struct Given {
    std::string key;
    std::string value;
    std::string origin;
};

// `given`: the strongest last. `drivers`: the kinds there are.
Parsed<AgentConfig> read_agent_config(std::string_view text, std::string_view file, std::span<const Given> given,
                                      std::span<const std::string_view> drivers);

}  // namespace petrel::codec
