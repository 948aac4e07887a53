// The interface to the NOS around the agent (SONiC): it supplies the policies of all ports that the agent's file does
// not name in a policy, and receives events and statistics of the queues. While the NOS cannot be reached, the agent
// watches by its last configuration.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/policy_file.hpp"
#include "control/report.hpp"
#include "control/request.hpp"
#include "daemon/log.hpp"
#include "device/buffers.hpp"
#include "watchdog/event.hpp"
#include "watchdog/intake.hpp"

namespace petrel::daemon {

struct NosQueue {
    std::string port;
    std::uint8_t priority{};
    std::string device{};
    auto operator<=>(const NosQueue&) const = default;
};

struct NosEvent {
    watchdog::EventKind kind{};
    std::string port;
    std::uint8_t priority{};
    watchdog::Treatment configured{};  // the action of its policy; none = alert only
    watchdog::Treatment applied{};     // in force or wanted at the event; at the end of a storm: what ended with it
    WallTime at;
    watchdog::Reason reason{};
    std::string device{};
    std::uint64_t cause{};           // seq of the event that caused this one; 0 = none
    watchdog::Interval last_look{};  // the last look before the decision
    watchdog::PfcCounts counts{};    // the PFC counters at that time
};

// The PFC counters of a queue at its last look.
struct NosCounts {
    std::string port;
    std::uint8_t priority{};
    WallTime at;
    watchdog::PfcCounts counts;
    std::string device{};
};

// The buffers of a device, for tables that show them.
struct NosBuffers {
    std::string device;
    std::string prefix;  // of names in the tables: empty unless the agent has several devices
    device::Buffers buffers;
};

class Nos {
public:
    // For the NOS: what is new since the last exchange.
    struct Report {
        std::vector<control::QueueReport> queues;  // changed queues
        std::vector<NosQueue> gone;                // queues of earlier exchanges that the device does not have any more
        std::vector<NosEvent> events;              // events of queues, in order
        std::vector<NosCounts> counts;             // counters of some queues: each exchange has the next part
        // The ports whose policy is in the agent's file: by port, the policy as text.
        std::map<std::string, std::string> overrides{};
        std::vector<NosBuffers> buffers{};  // of devices whose buffers changed
    };
    // For the agent.
    struct Reply {
        std::optional<config::PolicyFile> policies;  // set if they have changed
        std::vector<Log::Line> lines;                // for the agent's log
        std::string trouble;                         // what could not be done; empty = everything was done
        std::string concern;                         // which part of the configuration is not in force; empty = none
        std::optional<Duration> counts_every;        // how often the NOS needs the counters; none = never
        // A file that is readable when the NOS has changes; -1 = there is none, so it has to be asked often. It stays
        // open until the next exchange.
        int changes_fd{-1};
    };

    // The answer to a request for tables. If it has a threshold, the request is carried out when the device shows that
    // threshold, and fails if the device does not.
    struct Answer {
        struct Threshold {
            std::string device;
            std::string profile;
            int exponent{};
        };
        control::TableReport report{};
        std::optional<Threshold> threshold{};
    };

    virtual ~Nos() = default;
    virtual std::string_view name() const = 0;

    // Called in one thread: once a second, when there is something to report, and when Reply::changes_fd is readable;
    // without such a file ten times a second. May block. The implementation keeps what it cannot write now, and
    // writes it later.
    virtual Reply exchange(Report) = 0;

    // Whether the NOS shows the statistics of mitigated queues. If not, changes without an event are not sent.
    virtual bool shows_statistics() const { return true; }

    // Reads or changes tables that the implementation keeps itself, for clients of the control socket. Called in the
    // same thread.
    virtual Result<Answer> tables(const control::ControlRequest&)
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the tables are in Redis: read them there"});
    }

    // The last call. Removes entries of the agent that would mislead readers once it has stopped.
    virtual Result<void> leave() = 0;
};

}  // namespace petrel::daemon
