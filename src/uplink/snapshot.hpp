// The present state of a device and telemetry of its queues, as the agent reports them to its manager.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
    bool operator==(const PortState&) const = default;
};

struct DeviceState {
    std::string device;
    std::string state;
    std::vector<PortState> ports;
    bool operator==(const DeviceState&) const = default;
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
