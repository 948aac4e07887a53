// The switch behind a library: its ports, and for each port the queues and priority groups of the PFC priorities. They
// are looked up once, when the port is first listed; all object ids used later come from here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "device/sai/library.hpp"

namespace petrel::device::sai {

// The objects of a PFC priority on its port.
struct QueueObjects {
    Priority priority;
    std::uint8_t traffic_class{};
    abi::ObjectId queue{};
    abi::ObjectId group{};  // null: not known
};

// The priority's bit in a mask of priorities.
inline std::uint8_t bit_of(const QueueObjects& queue) { return static_cast<std::uint8_t>(1U << queue.priority.value); }

struct PortObjects {
    abi::ObjectId port{};
    std::string name;
    std::optional<std::uint32_t> lane;  // the first of its hardware lanes
    bool separate{};                    // PFC is enabled separately for received and sent pause
    std::uint8_t pfc{};                 // priorities whose received pause is honoured, as found
    std::vector<QueueObjects> queues;   // by priority; a queue that several priorities share is listed once
};

abi::AttrId pause_mask_attribute(const PortObjects&);

// Initialises the switch, or attaches to one that another process has initialised. Registers callbacks if the library
// supports that.
Result<abi::ObjectId> create_switch(const Library&, bool attach, Notes&);

// The ports of the switch at present.
Result<std::vector<abi::ObjectId>> list_ports(const Library&, abi::ObjectId switch_id);

// The front-panel ports of a list, with their objects. Ports that are known already stay as they were found.
Result<std::vector<PortObjects>> find_ports(const Library&, std::span<const abi::ObjectId> listed,
                                            std::span<const PortObjects> known, std::span<const NamedPort> names,
                                            Notes&);

}  // namespace petrel::device::sai
