// Makes a trace from what other tools have recorded: docs/import.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::codec {

struct ImportFile {
    std::string name;
    std::string text;
};

struct ImportRequest {
    std::string_view format;  // one of import_formats()
    std::vector<ImportFile> files;
    std::optional<ImportFile> map;  // names of counters, for prometheus and csv
    std::string port;               // ethtool: of snapshots that name none
    std::string driver;             // ethtool: whose counters; empty = the one whose names fit best
};

struct ImportedTrace {
    std::string csv;
    std::vector<std::string> notes;  // on pace, jitter and gaps, and what was left out
};

std::span<const std::string_view> import_formats();
std::optional<Complaint> unknown_format(std::string_view format);  // none: it is one of them

// All problems of all files at once.
Parsed<ImportedTrace> import_trace(const ImportRequest&);

}  // namespace petrel::codec
