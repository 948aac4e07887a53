// A small device for tests: two ports, each with a row of its own and queues 3 and 4.
#pragma once

#include "watchdog/observation.hpp"

namespace petrel::codec {

inline watchdog::Inventory two_ports()
{
    watchdog::Inventory inventory;
    inventory.ports = {{.name = "Ethernet0", .xname = "x0c0r4j3p0", .number = 1},
                       {.name = "Ethernet4", .xname = "x0c0r4j3p1", .number = 2}};
    for (const std::uint16_t port : {std::uint16_t{0}, std::uint16_t{1}}) {
        for (const std::optional<Priority> priority :
             {std::optional<Priority>{}, std::optional{Priority{3}}, std::optional{Priority{4}}}) {
            inventory.rows.push_back(
                {.target = {PortId{DeviceId{}, port}, priority}, .speed = {}, .host_facing = false});
        }
    }
    return inventory;
}

}  // namespace petrel::codec
