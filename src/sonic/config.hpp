// CONFIG_DB as a watchdog reads it: the queues to watch on each port, and their policies. An entry that SONiC's own
// model (YANG) forbids is ignored and reported; the other entries are in force, and so is the last valid version of
// such an entry.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "config/policy_file.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic {

// Which process mitigates, and therefore also implements the big red switch.
enum class Role : std::uint8_t {
    detector,  // orchagent mitigates, the agent decides
    owner      // the agent does both
};

struct PortConfig {
    std::string name;
    BitRate speed;
    std::uint8_t lossless{};  // pfc_enable: one bit per priority
    std::uint8_t watched{};   // pfcwd_sw_enable: the queues to watch; for an owner only lossless ones
    bool history{};           // its entry in PFC_WD is valid and has pfc_stat_history
    bool operator==(const PortConfig&) const = default;
};

struct Alpha {
    std::string profile;
    std::string dynamic_th;
    bool operator==(const Alpha&) const = default;
};

// Bounds memory and log if the whole database is invalid.
inline constexpr std::size_t kMostProblems = 20;

struct Config {
    std::vector<PortConfig> ports;  // sorted by name
    config::PolicyFile policies;    // ports by name
    bool big_red_switch{};
    std::string poll_ms;                // the poll interval in force
    std::string idle;                   // why nothing is watched despite the configuration; empty: no such reason
    std::vector<Alpha> alphas;          // of buffer profiles
    std::vector<std::string> problems;  // entries that are not in force, and why: the first kMostProblems
    std::size_t problem_count{};        // all of them
    control::TableContent tables;       // everything that was read
    // The ports whose entry in PFC_WD was removed since the configuration before; some have a new one. None: not known.
    std::optional<std::set<std::string>> removed_entries{};
};

// Fails if the databases cannot be read, or are not initialised yet (CONFIG_DB_INITIALIZED).
Result<Config> read_config(Store&, Role, const std::optional<Config>& before = std::nullopt);

// The parts of the configuration that are not in force, in one line; empty: all of it is in force.
std::string concern(const Config&);

// "3,4" as bits; none: not a valid list.
std::optional<std::uint8_t> priority_bits(std::string_view list);

}  // namespace petrel::sonic
