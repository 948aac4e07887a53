// The manager's view of the fabric as JSON, one object in one line each: docs/manager.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/fabric_view.hpp"

namespace petrel::codec {

struct ShownAgent {
    std::string agent;  // empty: none
    std::string version;
};

std::string devices_json(const std::vector<std::pair<fabric::ShownDevice, ShownAgent>>&);
std::string ports_json(const std::vector<fabric::ShownPort>&);
std::string links_json(const std::vector<fabric::ShownLink>&);
std::string storms_json(const std::vector<fabric::ShownStorm>&);

// `event`: one line of docs/events.md, which is part of the result as it is.
std::string event_json(std::int64_t cursor, const std::optional<fabric::PortName>& neighbour, std::string_view event);
// `next`: the cursor for the next page.
std::string events_json(const std::vector<std::string>& events, std::int64_t next);

// `next`: as of events_json().
std::string samples_json(const std::vector<fabric::QueueSample>&, std::int64_t next);

struct ShownAudit {
    std::int64_t at_us{};
    std::string who;
    std::string what;
    std::string on;
    std::string result;
};
std::string audit_json(const std::vector<ShownAudit>&);

// By device and port, the last event whose link-down registers may be cleared.
using LinksToClear = std::map<std::string, std::map<std::string, std::uint64_t>>;

// The answer to a report: of each device, the last event that is stored. `manager`: identifies the process that
// answers.
std::string stored_json(std::string_view manager, const std::vector<std::pair<std::string, fabric::Position>>&,
                        const LinksToClear&, WallTime now);

std::string backup_json(std::string_view file);

// RFC 9457.
std::string problem_json(unsigned status, std::string_view title, std::string_view detail);

}  // namespace petrel::codec
