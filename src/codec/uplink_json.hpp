// The lines of a report to the manager, its answers, and the agent's own record of what was acknowledged
// (docs/manager.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "uplink/snapshot.hpp"
#include "uplink/stored.hpp"
#include "uplink/uplink.hpp"

namespace petrel::codec {

// Lines of a report, without the newline.
// `manager`: the process that answered last; another one is not to store the events. Empty: none did.
// `devices`: the answer is to show what is stored of them, whether or not the report has anything about them.
// `recounts`: by device, the first number of this process, if the manager has such numbers.
std::string report_head(std::string_view agent, std::string_view boot, std::string_view version,
                        const std::vector<std::string>& devices, std::string_view manager,
                        const uplink::Acknowledged& recounts);
std::string snapshot_line(const uplink::DeviceState&);
// An event with the number of the last one that it stands for.
std::string gap_line(const uplink::Gap&);
// None: the line is something else.
std::optional<uplink::Gap> read_gap(std::string_view line);
std::string storms_line(const uplink::OpenStorms&);
std::string samples_line(std::span<const uplink::QueueSample>);

// The answer to a report.
Result<uplink::Stored> read_stored(std::string_view body);

// The same answer: the link-down registers that the agent may clear, each up to the event with this number. Empty if
// the answer has none.
std::vector<uplink::LinkToClear> read_links_to_clear(std::string_view body);

// What an answer with an error says about it (problem+json), for people; empty if it has no such text.
std::string problem_text(std::string_view body);

// By device, the last event that the manager at this URL has acknowledged.
std::string acknowledged_json(std::string_view url, const std::map<std::string, std::uint64_t>&);
// Empty if the text is about another manager.
Result<std::map<std::string, std::uint64_t>> read_acknowledged(std::string_view text, std::string_view url);

}  // namespace petrel::codec
