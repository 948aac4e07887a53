// A recording of a NIC may have rows for its priorities only. The watch for a stopped receive pipeline needs the port.
#pragma once

#include "device/replay/trace.hpp"

namespace petrel::device {

// Completes the port-level rows, and adds missing ones, with what the rows of all priorities of the port show together
// (NicPort). A look without some of them leaves the port's fields unknown. Ports whose own rows were recorded with
// rx_packets stay as they are.
void add_nic_ports(DeviceTrace&);

}  // namespace petrel::device
