// What goes over the control socket: what a client may ask and what the agent answers, as data. The lines of JSON that
// carry it are control_json.hpp's business, the words for people the command line's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "codec/table_change.hpp"

namespace petrel::codec {

// So many hashes of tables are asked for at once.
inline constexpr std::size_t kMostTableKeys = 1000;

// One line to the agent. Which fields mean something depends on the command.
struct ControlRequest {
    enum class Command : std::uint8_t {
        status,
        queues,
        mitigate,
        release,
        release_all,
        hold,
        events,
        explain,
        reload,
        clear,
        table_keys,
        table_hashes,
        table_change,
        count_
    } command{};
    std::string device;                // empty = whichever has the queue; where several have, it has to be named
    std::string queue;                 // "Ethernet4:3", or "Ethernet4" for all queues of a port; clear: empty = all
    bool stormed{};                    // queues: only those that are not just watched
    bool follow{};                     // events: go on with what happens
    std::uint32_t last{};              // events: at most so many of the past; 0 = all that are kept
    std::string note;                  // orders: why, in the giver's words; it stands in the event
    std::uint8_t db{};                 // tables: the number of SONiC's database
    std::string prefix;                // table_keys: those that begin so
    std::vector<std::string> keys;     // table_hashes: of these
    std::vector<TableChange> changes;  // table_change: all of them or none
    bool operator==(const ControlRequest&) const = default;
};

// A queue that is configured to be watched and cannot be.
struct UnseenReport {
    std::string queue;  // "Ethernet4:3"
    std::string why;
    bool operator==(const UnseenReport&) const = default;
};

// How a device fares.
struct DeviceReport {
    enum class Condition : std::uint8_t { opening, starting, watching, failing, not_answering, stopped, count_ };

    std::string name;
    std::string driver;
    Condition condition{};
    std::string why;              // of any condition but watching
    std::int64_t condition_ms{};  // for so long
    std::uint32_t ports{};
    std::uint32_t queues{};
    std::uint32_t watched{};  // without those that are unseen
    std::uint32_t alerted{};
    std::uint32_t mitigated{};  // queues under any treatment, or about to be
    std::uint32_t latched{};    // of those
    std::uint64_t detected{};   // storms, also of earlier lives
    std::uint64_t restored{};
    std::int64_t poll_us{};
    std::uint64_t looks{};
    std::uint64_t polls_missed{};
    std::uint64_t looks_overdue{};
    std::uint64_t looks_failed{};
    std::int64_t last_look_us{};  // that long it took
    std::int64_t longest_look_us{};
    std::uint64_t commands{};
    std::uint64_t commands_failed{};
    std::uint64_t inventory_changes{};
    std::vector<UnseenReport> unseen;       // in the order of names
    std::vector<std::string> notes;         // where what is watched differs from what was asked for
    std::vector<std::string> device_notes;  // what the device does otherwise than it should
    bool operator==(const DeviceReport&) const = default;
};

struct ReloadReport {
    std::uint64_t good{};
    std::uint64_t bad{};
    std::vector<std::string> problems;  // of the last one; empty = it was good
    bool operator==(const ReloadReport&) const = default;
};

// Who came to the control socket, and how many of them in vain.
struct ControlReport {
    std::uint64_t connections{};
    std::uint64_t refused{};
    std::uint64_t bad{};
    std::uint64_t dropped_slow{};
    bool operator==(const ControlReport&) const = default;
};

struct StatusReport {
    std::string name;  // of the agent
    std::string version;
    std::string config;  // the file
    std::int64_t pid{};
    std::int64_t up_ms{};
    std::string stop_policy;
    bool red_switch{};             // as configured
    std::string nos;               // whose configuration is followed; empty = the file's
    std::string nos_trouble;       // why it cannot be now; empty = it can
    std::uint64_t events{};        // kept
    std::uint64_t state_errors{};  // writes of the memory that failed
    std::string state_error;       // the last, if the state is not good now
    std::uint64_t files_lost{};    // times that another process removed or replaced a file or the socket
    std::string file_lost;         // which one it was last, and what became of it
    std::uint64_t log_lines_dropped{};
    ControlReport control;
    ReloadReport reload;
    std::vector<DeviceReport> devices;
    bool operator==(const StatusReport&) const = default;
};

// One interval of a queue: what the policy says, what a device that watches by itself was given, and what it shows.
struct IntervalReport {
    std::int64_t configured_us{};
    std::optional<std::int64_t> programmed_us;  // none: the watchdog times it
    std::optional<std::int64_t> observed_us;
    bool operator==(const IntervalReport&) const = default;
};

// What is configured, what the device makes of it and what is observed are three columns, always shown together.
struct QueueReport {
    std::string device;
    std::string port;
    std::optional<std::uint8_t> priority;  // none = the port's own row
    std::string policy;                    // empty = nobody watches it
    std::string phase;                     // "unseen": configured, and cannot be watched
    std::string configured;                // the policy's action
    std::string effective;                 // what this device can do of it
    std::string observed;                  // what is in effect
    IntervalReport detect_interval;
    IntervalReport restore_interval;
    std::int64_t proven_us{};  // of the clock that runs now: towards T0, or of quiet towards T1
    std::uint64_t detected{};
    std::uint64_t restored{};
    std::uint64_t red_switched{}, red_released{};
    std::uint64_t tx_ok{}, tx_drop{}, rx_ok{}, rx_drop{};
    std::uint64_t tx_ok_last{}, tx_drop_last{}, rx_ok_last{}, rx_drop_last{};
    std::int64_t in_storm_us{};
    std::int64_t longest_pause_us{};
    bool operator==(const QueueReport&) const = default;
};

// Why a queue is as it is.
struct ExplainReport {
    QueueReport queue;
    std::vector<std::string> words;  // for people, line by line
    std::string event;               // the last decision about it, as a line of docs/events.md; empty = none yet
    bool operator==(const ExplainReport&) const = default;
};

// What became of an order, in words: which queues it meant and what happens now.
struct OrderReport {
    std::vector<std::string> words;
    bool operator==(const OrderReport&) const = default;
};

// What is in the agent's own tables: the keys that were asked for, or the hashes, one for each key.
struct TableReport {
    std::vector<std::string> keys;
    std::vector<TableHash> hashes;
    bool operator==(const TableReport&) const = default;
};

}  // namespace petrel::codec
