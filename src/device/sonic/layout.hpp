// Which lossless queues the switch has and where their counters are: CONFIG_DB says which classes of a port are
// lossless or watched, COUNTERS_DB by which object each queue and port is known. What is not mapped there is left out.
// A queue that orchagent treats is there whatever is configured by now: somebody has to end that.
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
    std::uint32_t first{};  // of its queues
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

Result<Layout> read_layout(db::RedisStore&);

}  // namespace petrel::device::sonic
