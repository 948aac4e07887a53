// What the manager stores at once: everything that arrived in one turn of its loop, or nothing of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "fabric/device_state.hpp"
#include "fabric/message.hpp"
#include "fleet/rollout.hpp"
#include "manager/access_records.hpp"

namespace petrel::manager {

using HeardTimes = std::map<std::string, WallTime>;  // when each device last reported

struct TakenMessage {
    fabric::Message message;
    std::string event;      // one line of JSON: docs/events.md
    std::int64_t cursor{};  // 0: the store gives the next one
    bool operator==(const TakenMessage&) const = default;
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

// An order for agents: src/manager/commands.hpp.
struct RolloutRow {
    std::uint64_t id{};
    WallTime at;
    std::string by;
    std::string what;     // for people
    std::string request;  // a line of docs/agent-commands.md
    bool reads{};
    fleet::RolloutPlan plan;
    Duration within{};
    fleet::Rollout::State state{};
    std::string why;
    bool operator==(const RolloutRow&) const = default;
};

// The command for one agent.
struct CommandRow {
    std::uint64_t id{};
    std::uint64_t rollout{};
    std::string agent;
    WallTime deadline;
    fleet::CommandState state{};
    std::string answer;  // a line of JSON; empty: none yet
    WallTime ended;
    bool operator==(const CommandRow&) const = default;
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
    std::vector<RolloutRow> rollouts{};
    std::vector<CommandRow> commands{};
    std::vector<Invitation> invitations{};
    std::vector<Revocation> revocations{};

    bool empty() const
    {
        return messages.empty() && heard.empty() && agents.empty() && devices.empty() && samples.empty() &&
               audit.empty() && rollouts.empty() && commands.empty() && invitations.empty() && revocations.empty();
    }
    bool operator==(const Batch&) const = default;
};

// How far a store has come in the log that several managers share (src/group).
struct LogPosition {
    std::string log;        // identifies the log
    std::uint64_t entry{};  // the number of the last one that is stored; 0: none
    bool operator==(const LogPosition&) const = default;
};

// An event in the order in which the manager stored it.
struct StoredEvent {
    std::int64_t cursor{};  // increases; never used twice
    std::string device;
    std::string port;  // empty: the whole device
    std::string event;
    bool operator==(const StoredEvent&) const = default;
};

struct StoredSample {
    std::int64_t cursor{};
    fabric::QueueSample sample;
    bool operator==(const StoredSample&) const = default;
};

}  // namespace petrel::manager
