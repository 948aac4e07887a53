// A scenario as text: its fabric, which agents watch with which policies, its faults and expectations. The same
// sentences are used in `petrel lab explain` and in the lab's report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.hpp"

namespace petrel::reports {

// `digits`: significant digits; measured values need fewer than given ones.
std::string time_text(twin::Ps, int digits = 6);      // "1.1 s", "20 ms", "33.6 us"
std::string rate_text(double bps, int digits = 6);    // "2.5 Gb/s"
std::string size_text(double bytes, int digits = 6);  // "1.5 MB"

// "leaf0:Ethernet4", the notation of scenario files.
std::string port_text(const topology::End&, const topology::Topology&);

// What the watchdog does about a storm: "treated by ...", or "only reported".
std::string_view action_text(watchdog::Treatment);

// The fabric in one sentence, without its name.
std::string fabric_text(const topology::Topology&);

// All faults, of the fabric, of agents and of managers, in the order of time; at equal times in the order of the
// scenario.
struct TimedText {
    twin::Ps at{};
    std::string what;
};
std::vector<TimedText> fault_timeline(const scenario::Scenario&);

// One sentence for each item of the traffic, and for each policy with the devices it watches.
std::vector<std::string> traffic_text(const scenario::Scenario&);
std::vector<std::string> watch_text(const scenario::Scenario&);

// To whom the agents report.
std::string manager_text(const scenario::ManagerSetup&);

// The scenario as text, one item per line: fabric, traffic, watches, faults by time, expectations by time.
std::vector<std::string> explain(const scenario::Scenario&);

}  // namespace petrel::reports
