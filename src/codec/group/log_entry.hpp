// What the managers of a group send each other (docs/manager.md). An entry is a part of what a manager stores at once,
// as lines of JSON: the first one is its head, and each other one a record. After the record of a message or of the
// state of a device comes the event or the state itself, as one more line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "manager/batch.hpp"

namespace petrel::codec {

struct LogEntry {
    std::uint64_t number{};   // its place in the log; 0: it is not for the log
    std::string by;           // the process that wrote it
    bool begins_with_file{};  // of entry 1: the log goes on where the file of that manager ended
    manager::Batch batch;
    bool operator==(const LogEntry&) const = default;
};

// An entry with so many bytes is full. The record that fills it may be of any size.
inline constexpr std::size_t kFullEntryBytes = std::size_t{1} << 20U;
// No entry is larger: a report of an agent has at most 1 MiB, and each record is from one.
inline constexpr std::size_t kMostEntryBytes = std::size_t{4} << 20U;

// One entry, or several if it is large. Their numbers follow each other.
std::vector<std::string> log_entries(const LogEntry&);

// ErrorKind::unsupported: a later version wrote it.
Result<LogEntry> read_log_entry(std::string_view text);

// Which manager leads.
struct LeaderRecord {
    std::string manager;  // the process; empty: none
    std::string url;      // where agents and clients reach it
    bool operator==(const LeaderRecord&) const = default;
};
std::string leader_record(const LeaderRecord&);
// A text that is no record names no manager.
LeaderRecord read_leader_record(std::string_view text);

}  // namespace petrel::codec
