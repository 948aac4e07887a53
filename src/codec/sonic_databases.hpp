// SONiC's database_config.json: which database is where, and database_global.json: whose there are. Only what Petrel
// uses of them is read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

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

// The ASICs of a switch with several of them, each with databases of its own ("asic0", "asic1"). None: it is no such
// file, or of a switch with one.
std::vector<std::string> read_asic_names(std::string_view database_global);

}  // namespace petrel::codec
