// A recording of a NIC may have rows for its priorities only. To detect a stopped receive pipeline, the watchdog needs
// a row for the whole port.
#pragma once

#include "device/replay/trace.hpp"

namespace petrel::device {

// Completes the port-level rows, and adds missing ones, with what the rows of all priorities of the port show together
// (NicPort). A look without some of them leaves the port's fields unknown. Ports whose own rows were recorded with
// rx_packets stay as they are.
void add_nic_ports(DeviceTrace&);

}  // namespace petrel::device
