// Queues and their statistics, as the watchdog keeps them in COUNTERS_DB.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sonic_tools/desk.hpp"

namespace petrel::sonic_tools {

// Two counters that are shown as one.
struct StatColumn {
    std::string_view title;
    std::array<std::string_view, 2> names;  // in JSON
    std::array<std::string, 2> fields;
};

const std::array<StatColumn, 5>& stat_columns();

struct Queue {
    std::string name;
    std::string key;  // in COUNTERS_DB
    Hash counters;

    std::string status() const { return field(counters, "PFC_WD_STATUS", "N/A"); }
    std::string count(const std::string& counter) const { return field(counters, counter, "0"); }
    bool stormed() const { return status() == "stormed"; }
    bool without_any() const;  // nothing was ever counted
};

// By ASIC, the queues that the operator means: by their names, by those of their ports, or all that are shown. A name
// that no ASIC has ends the command. A queue that is named is found on every ASIC and in a port of every role.
std::vector<OfAsic<Queue>> read_queues(Desk&, const std::vector<std::string>& wanted, Display);

}  // namespace petrel::sonic_tools
