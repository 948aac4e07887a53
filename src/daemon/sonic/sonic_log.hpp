// What operators of SONiC expect in the log of a watchdog: storms, ports whose watch begins or ends and the big red
// switch in SONiC's words, entries of the configuration that are not in force, thresholds of buffers that have changed.
// The same wherever the tables are kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/nos.hpp"
#include "sonic/config.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/storm_info.hpp"

namespace petrel::daemon {

// What the big red switch does is no storm, and has words of its own. A queue that leaves the configuration together
// with the switch ends for another reason, but no event has begun it.
inline bool storm_begins(const NosEvent& event)
{
    using enum watchdog::EventKind;
    return event.reason != watchdog::Reason::red_switch && (event.kind == storm_detected || event.kind == storm_alert);
}
inline bool storm_ends(const NosEvent& event)
{
    using enum watchdog::EventKind;
    return event.reason != watchdog::Reason::red_switch && event.cause != 0 &&
           (event.kind == storm_restored || event.kind == storm_released);
}

// Why a storm was found, in SONiC's terms.
sonic::StormInfo storm_info(const NosEvent&);

class SonicLog {
public:
    using Lines = std::vector<Log::Line>;

    explicit SonicLog(sonic::Role role) : role_(role) {}

    // What is new in it.
    void configured(const sonic::Config&, const sonic::QueueTables&, Lines&);
    // As a detector there is nothing to say: orchagent does.
    void happened(const NosEvent&, const sonic::QueueTables&, Lines&) const;

private:
    void log_red_switch(const sonic::Config&, const sonic::QueueTables&, Lines&);
    void log_alphas(const std::vector<sonic::Alpha>&, Lines&) const;
    void log_ports(const sonic::Config&, Lines&);

    sonic::Role role_;
    std::map<std::string, std::string> ports_;  // that are watched, each with the name of its policy
    std::vector<std::string> problems_;         // that were logged
    std::size_t more_problems_{};               // that were counted in the log
    std::string idle_;                          // that was logged
    std::vector<sonic::Alpha> alphas_;
    bool red_switch_{};
    std::map<std::string, std::uint8_t> red_queues_;  // that the switch takes: priorities by port
    bool configured_{};
};

}  // namespace petrel::daemon
