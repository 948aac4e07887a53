#include "libsai/switch.hpp"

#include <algorithm>

#include "link/reasons.hpp"

namespace petrel::libsai {

using sai::ObjectType;
using sai::PacketAction;

namespace {

constexpr std::uint32_t kSteps = 15;

// SAI_PORT_ERROR_STATUS_
constexpr std::uint32_t kMacLocalFault = 1U << 0U;
constexpr std::uint32_t kMacRemoteFault = 1U << 1U;
constexpr std::uint32_t kSignalLocalError = 1U << 11U;

constexpr std::uint8_t bit(std::uint8_t i) { return static_cast<std::uint8_t>(1U << i); }

}  // namespace

std::uint32_t programmable_ms(std::uint32_t wanted_ms)
{
    std::uint32_t step_ms = 1;
    while (wanted_ms > kSteps * step_ms) {
        step_ms *= 10;
    }
    return (wanted_ms + step_ms - 1) / step_ms * step_ms;
}

// The switch starts as the scenario defines it: PFC on for the lossless classes, buffers as in the profile.
Switch::Switch(std::uint8_t number, topology::NodeId node, SwitchView view, Ps now)
    : ports(view.ports()), number_(number), node_(node), view_(view)
{
    set_up_buffers();
    set_up_maps();
    for (std::uint8_t port = 0; port != view_.ports(); ++port) {
        const auto& set = view_.registers(port);
        ports[port].pfc = set.pause_rx & set.pause_tx;
        ports[port].pfc_rx = set.pause_rx;
        ports[port].pfc_tx = set.pause_tx;
        ports[port].mode = set.pause_rx == set.pause_tx ? sai::PfcMode::combined : sai::PfcMode::separate;
        // The hardware only ignores pause; this class drops packets, since each queue may have its own action.
        view_.set_recovery_action(port, false);
        program_port(port, now);
        program_detectors(port, now);
    }
    view_.on_interrupt([this](const twin::Interrupt& interrupt, Ps when) { handle(interrupt, when); });
}

Switch::~Switch() { view_.on_interrupt({}); }

std::uint8_t Switch::priorities_of(std::uint8_t queue) const
{
    std::uint8_t priorities = 0;
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        if (view_.profile().queue_of_priority[priority] == queue) {
            priorities |= bit(priority);
        }
    }
    return priorities;
}

// A class whose PFC is off is never paused, even if pause frames arrive.
bool Switch::paused(std::uint8_t port, std::uint8_t queue, Ps now) const
{
    return (view_.registers(port).pause_rx & priorities_of(queue)) != 0 && view_.queue(port, queue, now).paused;
}

sai::DeadlockState Switch::take_state(std::uint8_t port, std::uint8_t queue, Ps now)
{
    using twin::ContinuousPause;
    const auto pause = view_.continuous_pause(port, queue, now);
    const bool resumed = std::exchange(ports[port].queues[queue].resumed, false);
    if (!paused(port, queue, now)) {
        return sai::DeadlockState::not_paused;
    }
    return pause == ContinuousPause::paused && !resumed ? sai::DeadlockState::paused
                                                        : sai::DeadlockState::paused_not_continuous;
}

void Switch::program_port(std::uint8_t port, Ps now)
{
    const auto& set = ports[port];
    auto wanted = view_.registers(port);
    const auto before = wanted.pause_rx;
    const bool separate = set.mode == sai::PfcMode::separate;
    wanted.pause_rx = separate ? set.pfc_rx : set.pfc;
    wanted.pause_tx = separate ? set.pfc_tx : set.pfc;
    wanted.ignore_pause = 0;
    wanted.discard_egress = 0;
    wanted.discard_ingress = 0;
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        // The twin forwards frames that need not wait, even without buffers; an ASIC has to store every frame first.
        const auto profile = set.profile_of_group[view_.profile().group_of_priority[priority]];
        wanted.discard_ingress |= has_room(profile) ? std::uint8_t{0} : bit(priority);
    }
    for (std::uint8_t q = 0; q != kPriorities; ++q) {
        auto& queue = ports[port].queues[q];
        const auto priorities = priorities_of(q);
        queue.resumed |= ((before ^ wanted.pause_rx) & priorities) != 0;
        if (queue.treated || queue.recovering) {
            wanted.ignore_pause |= priorities;
            wanted.discard_egress |= action_of(queue) == PacketAction::drop ? priorities : std::uint8_t{0};
        }
    }
    if (!(wanted == view_.registers(port))) {
        view_.write(port, wanted, now);
    }
}

// The port's interval overrides the switch's. If several classes share a queue, the shortest interval applies.
Ps Switch::interval(std::uint8_t port, std::uint8_t queue, PerClass Intervals::* which) const
{
    std::uint32_t shortest_ms = 0;
    for (std::uint8_t tc = 0; tc != kPriorities; ++tc) {
        const auto own_ms = (ports[port].intervals.*which)[tc];
        const auto ms = own_ms != 0 ? own_ms : (intervals.*which)[tc];
        if (ms != 0 && (priorities_of(queue) & bit(tc)) != 0) {
            shortest_ms = shortest_ms == 0 ? ms : std::min(ms, shortest_ms);
        }
    }
    return shortest_ms * twin::kMs;
}

void Switch::program_detectors(std::uint8_t port, Ps now)
{
    for (std::uint8_t q = 0; q != kPriorities; ++q) {
        auto& queue = ports[port].queues[q];
        auto detect = interval(port, q, &Intervals::detect_ms);
        const auto recover = interval(port, q, &Intervals::recover_ms);
        if (!queue.watched || recover == 0) {
            detect = 0;
        }
        const bool begins = detect != queue.detect;
        if (begins || recover != queue.recover) {
            queue.detect = detect;
            queue.recover = recover;
            view_.set_deadlock_timers(port, q, detect, recover);
        }
        if (begins) {
            view_.restart_detection(port, q, now);
        }
    }
}

void Switch::post(std::uint8_t port, sai::OperStatus state, Ps now)
{
    notices_.emplace_back(
        sai::PortStateNotice{id_of(ObjectType::port, port), static_cast<std::int32_t>(state), error_bits(port, now)});
}

// The neighbour sent a reason, this port has decided it, or the signal is lost.
std::uint32_t Switch::error_bits(std::uint8_t port, Ps now) const
{
    if (view_.link_up(port)) {
        return 0;
    }
    const auto registers = view_.link(port, now).registers;
    if (registers.nldr != link::kNoReason) {
        return kMacRemoteFault;
    }
    const bool decided = registers.ldr != link::kNoReason && registers.ldr != link::kNeighborUnknown;
    return decided ? kMacLocalFault : kSignalLocalError;
}

void Switch::handle(const twin::Interrupt& interrupt, Ps now)
{
    using InterruptKind = twin::Interrupt::Kind;
    const bool begins = interrupt.kind == InterruptKind::deadlock;
    switch (interrupt.kind) {
    case InterruptKind::deadlock:
    case InterruptKind::recovered: {
        auto& queue = ports[interrupt.port].queues[interrupt.queue];
        queue.recovering = begins;
        queue.resumed |= !begins;
        program_port(interrupt.port, now);
        const auto event = begins ? sai::DeadlockEvent::detected : sai::DeadlockEvent::recovered;
        const auto number = static_cast<std::uint32_t>(interrupt.port * kPriorities + interrupt.queue);
        notices_.emplace_back(
            sai::DeadlockNotice{id_of(ObjectType::queue, number), static_cast<std::int32_t>(event), false});
        return;
    }
    case InterruptKind::link_up:
        // Clears the registers of the twin, so that they can record the next reason.
        view_.arm_link(interrupt.port, view_.link(interrupt.port, now).registers.seq);
        view_.activate_link(interrupt.port);
        return post(interrupt.port, sai::OperStatus::up, now);
    case InterruptKind::link_down: return post(interrupt.port, sai::OperStatus::down, now);
    case InterruptKind::pause_too_long: return;  // SAI has no such notification
    }
}

}  // namespace petrel::libsai
