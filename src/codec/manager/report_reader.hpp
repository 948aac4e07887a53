// Reads a report of an agent to the manager (docs/manager.md): lines of JSON, the first of which names the agent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/event_reader.hpp"
#include "fabric/device_state.hpp"

namespace petrel::codec {

inline constexpr std::size_t kMostReportBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostReportLines = 4096;
inline constexpr std::size_t kLongestName = 255;  // of agents, devices and ports, in bytes

struct ReportedEvent {
    EventLine event;
    std::string text;  // the line, as the agent wrote it
};

struct Report {
    std::string agent;
    std::string boot;  // another one after each start of the agent; empty: not to be stored
    std::string version;
    std::string manager;                            // the process that answered the agent last; empty: none
    std::vector<std::string> names;                 // devices of which the agent wants to know what is stored
    std::map<std::string, std::uint64_t> recounts;  // by device, the number from which its memory begins again
    std::vector<ReportedEvent> events;
    std::vector<fabric::DeviceState> devices;
    std::vector<fabric::QueueSample> samples;
    std::vector<fabric::OpenStorms> storms;
};

// ErrorKind::exhausted: too many bytes or lines. The message begins with the number of the line.
Result<Report> read_report(std::string_view body);

// One device of a report, for the manager's store.
std::string device_state_json(const fabric::DeviceState&);
Result<fabric::DeviceState> read_device_state(std::string_view text);

}  // namespace petrel::codec
