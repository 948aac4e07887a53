// Faults of an agent or of its device, as data. The lab injects them, because the twin has no agents.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <variant>

#include "device/synthetic/faulty_device.hpp"
#include "topology/topology.hpp"
#include "twin/sim_time.hpp"
#include "watchdog/policy.hpp"

namespace petrel::scenario {

// How long a device misbehaves: for `calls` calls, and not after `until`.
struct Spell {
    std::uint32_t calls{std::numeric_limits<std::uint32_t>::max()};
    twin::Ps until{twin::kForever};
};

struct KillAgent {};
struct StartAgent {};
struct DelayLooks {
    Duration takes{};
    twin::Ps until{twin::kForever};
};
struct FailLooks {
    twin::Ps until{twin::kForever};
};
struct FreezeCounters {
    twin::Ps until{twin::kForever};
};
struct RestartCounters {
    bool told{true};  // false: the device does not report the restart, as with a counter that wraps
};
struct StepClock {  // only the wall clock
    std::chrono::microseconds by{};
};
struct FailWrites {
    device::FaultyDevice::Fault how{};
    Spell spell;
};
struct LieInReadBack {
    watchdog::Treatment shown{};
    Spell spell;
};
struct GiveOrder {
    watchdog::Order order;
};
struct SetPolicy {
    watchdog::PolicyBook book;  // replaces all policies of the agent; max_mitigated of its device stays
};

struct AgentFault {
    twin::Ps at{};
    topology::NodeId device;
    std::variant<KillAgent, StartAgent, DelayLooks, FailLooks, FreezeCounters, RestartCounters, StepClock, FailWrites,
                 LieInReadBack, GiveOrder, SetPolicy>
        what;
};

}  // namespace petrel::scenario
