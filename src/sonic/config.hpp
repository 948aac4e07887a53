// CONFIG_DB as a watchdog reads it: which queues of which ports, and by which policies. What SONiC's own model (YANG)
// forbids is left out and said, entry by entry; the others stay in force, and so does what such an entry said before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "codec/policy_reader.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic {

// Who carries out what is decided, and with it who serves the big red switch.
enum class Role : std::uint8_t {
    detector,  // orchagent does; we decide
    owner      // the agent itself
};

struct PortConfig {
    std::string name;
    BitRate speed;
    std::uint8_t lossless{};  // pfc_enable: a bit a priority
    std::uint8_t watched{};   // pfcwd_sw_enable, the field that selects what is watched; for an owner only if lossless
    bool history{};           // its entry in PFC_WD is in force and has pfc_stat_history
    bool operator==(const PortConfig&) const = default;
};

struct Alpha {
    std::string profile;
    std::string dynamic_th;
    bool operator==(const Alpha&) const = default;
};

// A database that is bad all over need not fill memory and log.
inline constexpr std::size_t kMostProblems = 20;

struct Config {
    std::vector<PortConfig> ports;  // by name
    codec::PolicyFile policies;     // by name of port
    bool big_red_switch{};
    std::string poll_ms;                // the interval in force
    std::string idle;                   // why nothing is watched, whatever is configured; empty: there is no reason
    std::vector<Alpha> alphas;          // of buffer profiles
    std::vector<std::string> problems;  // entries that are not in force, and why: the first kMostProblems
    std::size_t problem_count{};        // all of them
    codec::TableContent tables;         // all that was read
};

// Fails where the databases cannot be read, or are not filled yet (CONFIG_DB_INITIALIZED).
Result<Config> read_config(Store&, Role, const std::optional<Config>& before = std::nullopt);

// What is not as somebody wants it, in one line; empty: all of it is.
std::string concern(const Config&);

// "3,4" as bits; none: it is no such list.
std::optional<std::uint8_t> priority_bits(std::string_view list);

}  // namespace petrel::sonic
