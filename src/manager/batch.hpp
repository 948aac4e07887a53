// What the manager stores at once: everything that arrived in one turn of its loop, or nothing of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "fabric/device_state.hpp"
#include "fabric/message.hpp"

namespace petrel::manager {

using HeardTimes = std::map<std::string, WallTime>;  // when each device last reported

struct TakenMessage {
    fabric::Message message;
    std::string event;  // one line of JSON: docs/events.md
};

// An agent as its last report describes it.
struct AgentRecord {
    std::string agent;
    std::string boot;
    std::string version;
    WallTime since;  // its first report of this boot
    bool operator==(const AgentRecord&) const = default;
};

struct DeviceRecord {
    std::string agent;  // that last reported the device
    fabric::DeviceState state;
    bool operator==(const DeviceRecord&) const = default;
};

// Who changed what. Entries are never changed.
struct AuditEntry {
    WallTime at;
    std::string who;   // the name of a token, or the address of a client
    std::string what;  // "agent_started"
    std::string on;    // the object
    std::string result;
    bool operator==(const AuditEntry&) const = default;
};

struct Batch {
    WallTime now;
    std::vector<TakenMessage> messages;
    HeardTimes heard;
    std::vector<AgentRecord> agents;
    std::vector<DeviceRecord> devices;
    std::vector<fabric::QueueSample> samples;
    std::vector<AuditEntry> audit;

    bool empty() const
    {
        return messages.empty() && heard.empty() && agents.empty() && devices.empty() && samples.empty() &&
               audit.empty();
    }
};

// An event in the order in which the manager stored it.
struct StoredEvent {
    std::int64_t cursor{};  // increases; never used twice
    std::string device;
    std::string port;  // empty: the whole device
    std::string event;
    bool operator==(const StoredEvent&) const = default;
};

}  // namespace petrel::manager
