// The manager's answer to a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace petrel::uplink {

// By device, the number of the last event that the manager has stored.
using Acknowledged = std::map<std::string, std::uint64_t>;

struct Stored {
    std::string manager;  // identifies the process that answers; empty: it does not say
    Acknowledged upto;    // of each device that the request names
};

}  // namespace petrel::uplink
