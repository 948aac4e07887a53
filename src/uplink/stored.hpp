// The manager's answer to a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace petrel::uplink {

// By device, the number of the last event that the manager has stored.
using Acknowledged = std::map<std::string, std::uint64_t>;

// The last event of a device that the manager has.
struct LastStored {
    std::uint64_t seq{};
    std::uint64_t epoch{};  // how often the agent has begun to count again, as the manager counts
    bool operator==(const LastStored&) const = default;
};

struct Stored {
    std::string manager;                       // identifies the process that answers; empty: it does not say
    Acknowledged upto;                         // of each device that the request names
    std::map<std::string, LastStored> last{};  // the same, if the manager says in which epoch
};

}  // namespace petrel::uplink
