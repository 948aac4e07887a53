// The agent's answers to requests, as data. codec/control_json.hpp writes and reads their lines of JSON; the command
// line turns them into text for the operator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/stop_policy.hpp"
#include "control/table_change.hpp"
#include "watchdog/checkpoint.hpp"
#include "watchdog/observation.hpp"

namespace petrel::control {

// A queue that is configured to be watched but cannot be.
struct UnseenReport {
    std::string queue;  // "Ethernet4:3"
    std::string why;
    bool operator==(const UnseenReport&) const = default;
};

// The state of a device.
struct DeviceReport {
    enum class Condition : std::uint8_t { opening, starting, watching, failing, not_answering, stopped, count_ };

    std::string name;
    std::string driver;
    Condition condition{};
    std::string why;              // the reason for any condition except `watching`
    std::int64_t condition_ms{};  // time in this condition
    std::uint32_t ports{};
    std::uint32_t queues{};
    std::uint32_t watched{};        // without the unseen queues
    std::uint32_t watched_ports{};  // included in watched: ports that are watched as a whole
    std::uint32_t alerted{};
    std::uint32_t mitigated{};     // queues under any treatment, or about to be
    std::uint32_t latched{};       // included in mitigated
    std::uint32_t latched_nics{};  // included in latched: NICs, until they are repaired
    std::uint32_t held{};          // included in latched: by an operator's hold
    std::uint64_t detected{};      // storms, including those before a restart of the agent
    std::uint64_t restored{};
    std::int64_t poll_us{};
    std::uint64_t looks{};
    std::uint64_t polls_missed{};
    std::uint64_t looks_overdue{};
    std::uint64_t looks_failed{};
    std::int64_t last_look_us{};  // duration of the last look
    std::int64_t longest_look_us{};
    std::uint64_t commands{};
    std::uint64_t commands_failed{};
    std::uint64_t inventory_changes{};
    std::vector<UnseenReport> unseen;       // sorted by name
    std::vector<std::string> notes;         // differences between what is watched and what is configured
    std::vector<std::string> device_notes;  // deviations of the device from its specification
    bool operator==(const DeviceReport&) const = default;
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(DeviceReport::Condition::count_)> kConditions{
    "opening", "starting", "watching", "failing", "not_answering", "stopped"};

constexpr std::string_view name(DeviceReport::Condition condition)
{
    return kConditions.at(static_cast<std::size_t>(condition));
}

struct ReloadReport {
    std::uint64_t good{};
    std::uint64_t bad{};
    std::vector<std::string> problems;    // problems of the last reload; empty = it succeeded
    std::vector<Complaint> complaints{};  // the same; files have their whole path
    bool operator==(const ReloadReport&) const = default;
};

// Counts the connections to the control socket and those that failed.
struct ControlReport {
    std::uint64_t connections{};
    std::uint64_t refused{};
    std::uint64_t bad{};
    std::uint64_t dropped_slow{};
    bool operator==(const ControlReport&) const = default;
};

// A policy in force where a NOS and the agent's file both can configure policies.
struct PolicyReport {
    std::string policy;
    std::string source;     // the NOS, or the file
    std::uint64_t ports{};  // that it names; zero = all ports
    bool operator==(const PolicyReport&) const = default;
};

// The uplink of the agent to its manager.
struct ManagerReport {
    std::string url;
    bool connected{};            // the last request was answered
    std::int64_t since_ms{};     // how long it has been connected, or has not
    std::string why;             // not connected: why
    std::uint64_t waiting{};     // events that the manager does not have yet
    std::uint64_t forgotten{};   // events that the agent's memory forgot before the manager had them
    std::string forgotten_last;  // the last such events
    bool operator==(const ManagerReport&) const = default;
};

struct StatusReport {
    std::string name;  // the agent's name
    std::string version;
    std::string config;  // the file
    std::int64_t pid{};
    std::int64_t up_ms{};
    std::optional<config::StopPolicy> stop_policy;  // none = not reported, by an agent of another version
    bool red_switch{};                              // as configured
    std::string nos;                                // the source of the configuration; empty = the file
    std::string nos_trouble;                        // why it cannot be read at present; empty = it can
    std::vector<PolicyReport> policies;             // with a NOS only
    std::vector<std::string> idle_policies;         // why policies watch no queue or not all ports, a sentence each
    std::vector<std::string> unknown_ports;         // ports of the file that no device has, with their places
    std::uint64_t events{};                         // kept in the history
    std::uint64_t state_errors{};                   // failed writes of the state file
    std::string state_error;                        // the last error, if the state cannot be written at present
    std::uint64_t files_lost{};  // how often another process removed or replaced a file or the socket
    std::string file_lost;       // the last such file, and what the agent did about it
    std::uint64_t log_lines_dropped{};
    std::optional<ManagerReport> manager;  // none = the agent has no manager
    ControlReport control;
    ReloadReport reload;
    std::vector<DeviceReport> devices;
    bool operator==(const StatusReport&) const = default;
};

// One interval of a queue: from the policy, as programmed into a device that detects storms itself, and as it shows it.
struct IntervalReport {
    std::int64_t configured_us{};
    std::optional<std::int64_t> programmed_us;  // none: the watchdog measures the interval
    // Without a programmed one: the interval that the device has instead, too far from the configured one.
    std::optional<std::int64_t> observed_us;
    bool operator==(const IntervalReport&) const = default;
};

// The configured, the effective and the observed treatment are three columns that are always shown together.
struct QueueReport {
    std::string device;
    std::string port;
    std::optional<std::uint8_t> priority;                        // none = the port's own row
    std::string policy;                                          // empty = not watched
    std::optional<watchdog::Phase> phase{watchdog::Phase::off};  // none: unseen, as it is configured but cannot be read
    bool held{};                                                 // latched by an operator's hold
    std::optional<watchdog::Treatment> configured;               // the policy's action; none = not watched
    std::optional<watchdog::Treatment> effective;                // what this device supports of it
    watchdog::Treatment observed{};                              // what is in force
    IntervalReport detect_interval;
    IntervalReport restore_interval;
    std::int64_t proven_us{};  // time proven so far: of pause towards T0, or of quiet towards T1
    std::uint64_t detected{};
    std::uint64_t restored{};
    std::uint64_t red_switched{}, red_released{};
    std::uint64_t tx_ok{}, tx_drop{}, rx_ok{}, rx_drop{};
    std::uint64_t tx_ok_last{}, tx_drop_last{}, rx_ok_last{}, rx_drop_last{};
    std::int64_t in_storm_us{};
    std::int64_t longest_pause_us{};
    bool host_facing{};   // the peer of its port is a server
    bool lossless{true};  // PFC is on for it, as far as the device shows that
    bool operator==(const QueueReport&) const = default;
};

// The reasons for the present state of a queue.
struct ExplainReport {
    QueueReport queue;
    std::vector<std::string> lines;  // text for the operator, line by line
    std::string event;               // the last decision about the queue, as a line of docs/events.md; empty = none yet
    bool operator==(const ExplainReport&) const = default;
};

// One time that a link went down.
struct LinkEventReport {
    std::uint64_t seq{};
    std::uint8_t ldr{};                // the reason of this end
    std::optional<std::uint8_t> nldr;  // the reason that the neighbour sent; none: unavailable
    std::uint16_t cause{};             // the reason, or a more precise one (link/taxonomy.hpp)
    std::string list;                  // the vendor's list of codes, and the code; empty: the device gives none
    std::optional<std::uint64_t> code;
    std::int64_t event_us{};  // since 1970
    std::int64_t observed_us{};
    std::optional<std::int64_t> up_us;  // none: not up again
    bool acknowledged{};
    bool operator==(const LinkEventReport&) const = default;
};

// The link of a port. The registers show its oldest event that is not acknowledged.
struct LinkReport {
    std::string device;
    std::string port;
    std::optional<bool> up;   // none: the device does not report it at present
    bool receives_reasons{};  // of its neighbour
    bool quarantined{};       // it went down too often
    std::uint64_t last_seq{};
    std::optional<LinkEventReport> unacknowledged;
    std::uint32_t suppressed{};           // later events that are not acknowledged either
    std::vector<LinkEventReport> events;  // oldest first
    bool available{true};  // false: a manager cannot read its registers at present; not part of an answer
    bool operator==(const LinkReport&) const = default;
};

// The result of an order as text: the queues it applies to and what happens now.
struct OrderReport {
    std::vector<std::string> lines;
    bool operator==(const OrderReport&) const = default;
};

// Content of the agent's own tables: the matching keys, or one hash for each requested key.
struct TableReport {
    std::vector<std::string> keys;
    std::vector<TableHash> hashes;
    bool operator==(const TableReport&) const = default;
};

}  // namespace petrel::control
