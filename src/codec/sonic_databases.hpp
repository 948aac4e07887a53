// SONiC's database_config.json: which database is where. Only what Petrel uses of it is read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::codec {

struct DatabaseEntry {
    std::string unix_socket;  // empty = by host and port
    std::string host;
    int port{};
    int number{};
    bool operator==(const DatabaseEntry&) const = default;
};

// By name: "CONFIG_DB", "COUNTERS_DB", ... Complaints name the place in the file as far as it is known.
Parsed<std::map<std::string, DatabaseEntry>> read_database_config(std::string_view text, std::string_view file);

}  // namespace petrel::codec
