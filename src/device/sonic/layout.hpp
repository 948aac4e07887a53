// The lossless queues of the switch and the objects that hold their counters. CONFIG_DB lists the priorities of a port
// that are lossless or watched. COUNTERS_DB maps each queue and port to its object. A queue without an object is left
// out. A queue that orchagent has registered or mitigated is included even if it is no longer configured: SONiC's
// scripts still watch it, or the agent has to end the mitigation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

struct PortPlace {
    std::string name;
    std::string oid;  // "oid:0x1000000000002"; empty = not mapped
    BitRate speed;
    std::uint32_t first{};  // row of the port's first queue
    std::uint32_t count{};
    bool operator==(const PortPlace&) const = default;
};

struct QueuePlace {
    std::uint16_t port{};
    Priority priority;
    std::string oid;
    bool operator==(const QueuePlace&) const = default;
};

struct Layout {
    std::vector<PortPlace> ports;    // Ethernet4 before Ethernet12
    std::vector<QueuePlace> queues;  // by port, then by priority
    bool operator==(const Layout&) const = default;
};

// Differences between CONFIG_DB and COUNTERS_DB. They may change while the queues stay the same.
struct LayoutFacts {
    std::vector<bool> configured;      // by queue: PFC_WD has an entry for its port, pfcwd_sw_enable its priority
    std::vector<std::string> missing;  // configured queues that COUNTERS_DB does not name
    std::vector<std::string> foreign_queues;   // registered queues of ports that CONFIG_DB does not have
    std::vector<std::string> foreign_objects;  // of syncd's counter group, and COUNTERS_DB does not have them
    bool filling{};                            // a lossless queue has no object: orchagent may still add queues
};

struct FoundLayout {
    Layout layout;
    LayoutFacts facts;
};

Result<FoundLayout> read_layout(db::RedisStore&);

}  // namespace petrel::device::sonic
