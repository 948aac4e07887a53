// The network operating system around the agent (SONiC): where policies come from instead of the agent's file, and who
// hears how the queues fare. The agent does without it: devices are watched by what was last configured while it is
// away.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/control_report.hpp"
#include "codec/policy_reader.hpp"
#include "daemon/log.hpp"
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
    watchdog::Treatment configured{};  // what its policy wants to be done; none = only told
    WallTime at;
    watchdog::Reason reason{};
    std::string device{};
    std::uint64_t cause{};           // the event that it follows from; 0 = none
    watchdog::Interval last_look{};  // what the decision saw last,
    watchdog::PfcCounts counts{};    // and what was counted by then
};

// How a queue's PFC counters stood when it was last read.
struct NosCounts {
    std::string port;
    std::uint8_t priority{};
    WallTime at;
    watchdog::PfcCounts counts;
    std::string device{};
};

class Nos {
public:
    // Since the last exchange.
    struct Told {
        std::vector<codec::QueueReport> queues;  // that have changed
        std::vector<NosQueue> gone;              // that were told of, and are no more
        std::vector<NosEvent> events;            // of queues, in their order
        std::vector<NosCounts> counts;           // of a part of the queues, whose turn it is
    };
    struct Heard {
        std::optional<codec::PolicyFile> policies;  // if others are configured now
        std::vector<Log::Line> lines;               // for the agent's log
        std::string trouble;                        // what could not be done; empty = all of it was
        std::string concern;                        // what is configured and not in force; empty = nothing
        std::optional<Duration> counts_every;       // it wants to be told the counts of all queues; none: of no queue
    };

    virtual ~Nos() = default;
    virtual std::string_view name() const = 0;

    // Blocking, from one thread, a few times a second. What it is told it keeps, and writes later where it cannot now.
    virtual Heard exchange(Told) = 0;

    // Whether it shows the statistics of queues that are mitigated: else it is told of their changes of phase only.
    virtual bool shows_statistics() const { return true; }

    // Tables that it keeps itself, for whoever asks at the control socket. From the same thread.
    virtual Result<codec::TableReport> tables(const codec::ControlRequest&)
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the tables are kept in Redis: ask there"});
    }

    // The last call: nothing of ours shall be left where it would mislead others.
    virtual Result<void> leave() = 0;
};

}  // namespace petrel::daemon
