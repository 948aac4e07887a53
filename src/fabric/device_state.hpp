// What an agent reports about its devices beside events: the present state, and samples of queues that pause.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "fabric/message.hpp"

namespace petrel::fabric {

struct PortName {
    std::string device;
    std::string port;
    auto operator<=>(const PortName&) const = default;
};

// A cable joins two ports.
using Cables = std::vector<std::pair<PortName, PortName>>;

enum class LinkState : std::uint8_t { unknown, up, down };

// The words are the agent's, for display: a newer agent may have words that this version does not have.
struct QueueState {
    Priority queue{};
    std::string phase;
    std::string configured;  // the treatment of the policy
    std::string programmed;  // what the device was asked to do
    std::string observed;    // what the device shows
    bool operator==(const QueueState&) const = default;
};

struct PortState {
    std::string port;
    std::optional<PortName> neighbour;
    LinkState link{};
    std::vector<QueueState> queues;
    // The number of the event that the link-down registers of the port hold; none: they are clear.
    std::optional<std::uint64_t> uncleared{};
    bool operator==(const PortState&) const = default;
};

struct DeviceState {
    std::string device;
    std::string state;  // "watching"
    std::vector<PortState> ports;
    bool operator==(const DeviceState&) const = default;
};

// The storms that an agent has, when the manager has all of its events.
struct OpenStorms {
    struct Place {
        std::string port;
        std::optional<Priority> priority;  // none: the whole port
        auto operator<=>(const Place&) const = default;
    };
    std::string device;
    Position last;  // the last event that the manager has of the device
    std::vector<Place> open;
    bool operator==(const OpenStorms&) const = default;
};

// Counters of one queue at one time.
struct QueueSample {
    PortName port;
    Priority queue{};
    WallTime at{};
    std::uint64_t paused_us{};
    std::uint64_t tx_packets{};
    std::uint64_t rx_pfc{};
    bool operator==(const QueueSample&) const = default;
};

}  // namespace petrel::fabric
