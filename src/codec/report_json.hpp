// The lab's report for programs: one JSON document for all runs, one line per item, so that two reports can be compared
// line by line. Keys: docs/report.md; they are added, never renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "twin/sim_time.hpp"
#include "watchdog/event.hpp"

namespace petrel::codec {

struct RunReport {
    struct Fault {
        twin::Ps at{};
        std::string what;
    };
    struct Event {
        const watchdog::Event* event{};
        std::string_view device;
        std::string_view where;
        std::string why;
    };
    struct Seen {  // the time during which nodes of a tier were held up
        twin::Ps first{};
        twin::Ps last{};
    };
    struct Tier {
        std::uint8_t tier{};
        std::uint32_t nodes{};
        std::uint32_t most_held_up{};
        std::uint32_t most_standing{};
        std::optional<Seen> seen;
    };
    struct Queue {
        std::string port;
        std::uint8_t priority{};
        twin::Ps paused{};
    };
    struct Link {
        std::string from;
        std::string to;
        twin::Ps paused{};
    };

    std::string_view about;
    std::string_view command;
    bool failed{};
    std::optional<Duration> detection;
    std::string_view summary;  // the text of summary_json()
    std::vector<Fault> faults;
    std::vector<Event> events;
    std::vector<Tier> standstill;
    std::vector<Queue> queues;
    std::size_t queues_left_out{};
    std::vector<Link> links;
    std::size_t links_left_out{};
};

std::string report_json(std::string_view version, std::span<const RunReport>);

}  // namespace petrel::codec
