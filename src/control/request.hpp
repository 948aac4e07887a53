// A request to the agent over its control socket, as data. codec/control_json.hpp writes and reads its line of JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/table_change.hpp"

namespace petrel::control {

// The largest number of table hashes in one request.
inline constexpr std::size_t kMostTableKeys = 1000;

// One request to the agent. The command determines which fields are used.
struct ControlRequest {
    enum class Command : std::uint8_t {
        status,
        queues,
        mitigate,
        release,
        repaired,
        release_all,
        hold,
        events,
        explain,
        reload,
        clear,
        table_keys,
        table_hashes,
        table_change,
        links,
        link_clear,
        red_switch,
        policy_push,
        count_
    } command{};
    std::string device;                // empty = the device that has the queue; required if several have it
    std::string queue;                 // "Ethernet4:3", or "Ethernet4" for a port; clear, events: empty = all
    std::string port;                  // links: empty = all; link_clear: which one
    bool history{};                    // links: with all events that are kept
    std::uint64_t sequence{};          // link_clear: the event to acknowledge, with all before it
    bool stormed{};                    // queues: only those in another phase than watching
    bool follow{};                     // events: keep sending new events
    std::uint32_t last{};              // events: at most this many past events; 0 = all that are kept
    std::string state;                 // red_switch: "on" or "off"
    std::string policy;                // policy_push: a policy file (TOML), or "none"
    std::int64_t since_us{};           // events: only from this time on, since 1970
    std::vector<std::string> types;    // events: only of these kinds; empty = all
    std::string note;                  // orders: the operator's reason; it is stored in the event
    std::uint8_t db{};                 // tables: the number of SONiC's database
    std::string prefix;                // table_keys: keys with this prefix
    std::vector<std::string> keys;     // table_hashes: the keys to read
    std::vector<TableChange> changes;  // table_change: applied all or none
    bool operator==(const ControlRequest&) const = default;
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(ControlRequest::Command::count_)> kCommands{
    "status",       "queues",       "mitigate", "release",    "repaired",   "release-all",
    "hold",         "events",       "explain",  "reload",     "clear",      "table-keys",
    "table-hashes", "table-change", "links",    "link-clear", "red-switch", "policy-push"};

constexpr std::string_view name(ControlRequest::Command command)
{
    return kCommands.at(static_cast<std::size_t>(command));
}

}  // namespace petrel::control
