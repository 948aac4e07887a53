// Faults of an agent or of its device, as data. The lab injects them, because the twin has no agents.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

#include "device/carry_out.hpp"
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

struct KillAgent {
    // A start of the agent ends the wait for the moment of its death.
    enum class When : std::uint8_t {
        at_once,
        remembered,  // its state is written: the new events are not published and their commands do not go out
        in_command,  // a command reaches `step`
        halfway      // a command has written the first of several registers
    } when{};
    device::FaultPoint step{};
    bool operator==(const KillAgent&) const = default;
};
struct StartAgent {
    // What the new process finds of the memory (state and journal) of the last one.
    enum class Memory : std::uint8_t { kept, torn, lost } memory{};
    std::optional<std::uint32_t> torn_bytes{};  // missing at the end of the state; none: half of its last record
    // Missing at the end of the journal, at most all but one byte of its last record. None: an unfinished record more.
    std::optional<std::uint32_t> torn_journal{};
};
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
    bool reported{true};  // false: the device does not report the restart, as with a counter that wraps
    // The counters restart so many counts below 2^32 and wrap there. None: they restart from zero.
    std::optional<std::uint32_t> wraps_after{};
};
struct CorruptCounters {  // about half of the counters of each look are wrong by any amount
    std::uint64_t seed{1};
    twin::Ps until{twin::kForever};
};
struct CorruptStamps {  // the time stamp of each row that is read is wrong, and the device does not declare it
    Duration by{};      // at most, early or late
    std::uint64_t seed{1};
    twin::Ps until{twin::kForever};
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
struct Reload {};    // the agent reads its configuration again, and it is the same
struct RemovePort {  // the device has it no more: the rows and ports behind it get other numbers
    std::uint16_t port{};
    twin::Ps until{twin::kForever};
};
struct SlowDisk {
    Duration takes{};  // each write of the state or the journal
    twin::Ps until{twin::kForever};
};
struct FullDisk {
    twin::Ps until{twin::kForever};
};
struct SlowWrites {
    Duration takes{};  // each command to the device
    twin::Ps until{twin::kForever};
};
struct DelayWrites {   // the device accepts a write at once and carries it out later; writes keep their order
    Duration takes{};  // from the write to its effect
    twin::Ps until{twin::kForever};
};
struct HangDevice {  // a call of the device that begins in this time returns at its end
    twin::Ps until{twin::kForever};
};
struct LoseNotices {  // notices of the device do not reach the agent
    twin::Ps until{twin::kForever};
};
struct DelayNotices {  // each notice is late by another time, so that notices change their order
    Duration takes{};  // at most
    bool twice{};      // each notice arrives a second time
    std::uint64_t seed{1};
    twin::Ps until{twin::kForever};
};

struct AgentFault {
    twin::Ps at{};
    topology::NodeId device;
    std::variant<KillAgent, StartAgent, DelayLooks, FailLooks, FreezeCounters, RestartCounters, CorruptCounters,
                 CorruptStamps, StepClock, FailWrites, LieInReadBack, GiveOrder, SetPolicy, Reload, RemovePort,
                 SlowDisk, FullDisk, SlowWrites, DelayWrites, HangDevice, LoseNotices, DelayNotices>
        what;
};

}  // namespace petrel::scenario
