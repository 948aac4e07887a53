// The present state of a device and telemetry of its queues, as the agent reports them to its manager.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "uplink/stored.hpp"

namespace petrel::uplink {

struct Neighbour {
    std::string device;
    std::string port;
    bool operator==(const Neighbour&) const = default;
};

// The words are those of `petrel queues`.
struct QueueState {
    std::uint8_t priority{};
    std::string phase;
    std::string configured;
    std::string programmed;
    std::string observed;
    bool operator==(const QueueState&) const = default;
};

struct PortState {
    std::string port;
    std::optional<Neighbour> neighbour;
    std::optional<bool> up;  // none: not known
    std::vector<QueueState> queues;
    // The number of the event that the link-down registers of the port hold; none: they are clear.
    std::optional<std::uint64_t> uncleared{};
    bool operator==(const PortState&) const = default;
};

// A storm that the agent has: of a queue, or of a whole port.
struct StormPlace {
    std::string port;
    std::optional<std::uint8_t> priority;
    bool operator==(const StormPlace&) const = default;
};

// All storms of a device, if the manager has all events of it.
struct OpenStorms {
    std::string device;
    LastStored last;  // that the manager has: it ignores the storms if it has another one by then
    std::vector<StormPlace> open;
    bool operator==(const OpenStorms&) const = default;
};

struct DeviceState {
    std::string device;
    std::string state;
    std::vector<PortState> ports;
    bool operator==(const DeviceState&) const = default;
};

// The manager has stored the events of a port up to this number: its link-down registers may be cleared.
struct LinkToClear {
    std::string device;
    std::string port;
    std::uint64_t number{};
    bool operator==(const LinkToClear&) const = default;
};

// Counters of a queue, since the device or its agent was started.
struct QueueSample {
    std::string device;
    std::string port;
    std::uint8_t priority{};
    std::int64_t time_us{};  // since 1970
    std::uint64_t paused_us{};
    std::uint64_t tx_packets{};
    std::uint64_t rx_pfc{};
    bool operator==(const QueueSample&) const = default;
};

}  // namespace petrel::uplink
