// Log lines that operators of SONiC expect from a watchdog: storms, ports whose watch begins or ends and the big red
// switch in the wording of SONiC; entries of the configuration that are not in force; changed buffer thresholds. The
// lines are the same for tables in Redis and for the agent's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/nos.hpp"
#include "sonic/config.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/storm_info.hpp"

namespace petrel::daemon {

// Mitigations by the big red switch are not storms and have their own log lines. If a queue leaves the configuration
// when the switch goes off, its event has another reason. Such an event has no cause, and so it is not the end of a
// storm.
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

// The evidence of a storm in the fields of SONiC.
sonic::StormInfo storm_info(const NosEvent&);

class SonicLog {
public:
    using Lines = std::vector<Log::Line>;

    // Which process puts a changed buffer threshold into the switch.
    enum class Thresholds : std::uint8_t {
        of_device,     // the tables show what the device shows
        by_orchagent,  // it follows CONFIG_DB
        by_no_process
    };

    SonicLog(sonic::Role role, Thresholds thresholds) : role_(role), thresholds_(thresholds) {}

    // Adds lines for what has changed in the configuration.
    void configured(const sonic::Config&, const sonic::QueueTables&, Lines&);
    // Adds the line of a storm. As a detector it adds none, because orchagent logs storms.
    void happened(const NosEvent&, const sonic::QueueTables&, Lines&) const;

private:
    void log_red_switch(const sonic::Config&, const sonic::QueueTables&, Lines&);
    void log_alphas(const std::vector<sonic::Alpha>&, Lines&) const;
    void log_ports(const sonic::Config&, Lines&);

    sonic::Role role_;
    Thresholds thresholds_;
    std::map<std::string, std::string> ports_;  // watched ports, each with the name of its policy
    std::vector<std::string> problems_;         // as last logged
    std::size_t more_problems_{};               // as last logged: the number of further problems
    std::string idle_;                          // as last logged
    std::vector<sonic::Alpha> alphas_;
    bool red_switch_{};
    std::map<std::string, std::uint8_t> red_queues_;  // queues that the switch covers: priorities (bits) by port
    bool configured_{};
};

}  // namespace petrel::daemon
