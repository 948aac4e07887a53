// SONiC's database_config.json (the address of each database) and database_global.json (the ASICs that have databases
// of their own). Reads only what Petrel uses.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::codec {

struct DatabaseEntry {
    std::string unix_socket;  // empty = use host and port
    std::string host;
    int port{};
    int number{};
    bool operator==(const DatabaseEntry&) const = default;
};

// By name: "CONFIG_DB", "COUNTERS_DB", ... Complaints contain the place in the file if it is known.
Parsed<std::map<std::string, DatabaseEntry>> read_database_config(std::string_view text, std::string_view file);

// One ASIC of a multi-ASIC switch, with its own databases.
struct AsicEntry {
    std::string name;     // its namespace: "asic0"
    std::string include;  // its database_config.json, relative to the folder of database_global.json
    bool operator==(const AsicEntry&) const = default;
};

// Empty: the switch has one ASIC.
Parsed<std::vector<AsicEntry>> read_asics(std::string_view database_global, std::string_view file);

}  // namespace petrel::codec
