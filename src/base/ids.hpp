// Identifiers. Dense numbers are valid within one process only. Names are stored, sent, logged and shown.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace petrel {

template <class Tag, class Rep = std::uint32_t>
struct Id {
    Rep value{};
    auto operator<=>(const Id&) const = default;
};

using DeviceId = Id<struct DeviceTag>;  // a switch or a NIC
using Slot = Id<struct SlotTag>;        // a row of the columns, for one inventory

struct PortId {
    DeviceId device;
    std::uint16_t index{};
    auto operator<=>(const PortId&) const = default;
};

// PFC priority 0..7; not a queue index, traffic class or DSCP.
struct Priority {
    std::uint8_t value{};
    auto operator<=>(const Priority&) const = default;
};

inline constexpr std::uint8_t kPriorities = 8;

// A queue (port + priority) or, without a priority, the whole port.
struct Target {
    PortId port;
    std::optional<Priority> priority;
    auto operator<=>(const Target&) const = default;
};

// "Ethernet0", "x0c0r4j3p1", 19. None can be derived from another.
struct PortNames {
    std::string name;
    std::string xname;
    std::optional<std::uint32_t> number;
};

struct BitRate {
    std::uint64_t bps{};
    auto operator<=>(const BitRate&) const = default;
};

}  // namespace petrel
