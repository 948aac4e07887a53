#include "swarm/disturbance.hpp"

#include <algorithm>

namespace petrel::swarm {

namespace {

using scenario::AgentFault;
using twin::Ps;

// The first start of the device's agent from this fault on; never: kForever.
Ps next_start(const scenario::Scenario& scenario, const AgentFault& from)
{
    Ps start = twin::kForever;
    for (const auto& fault : scenario.agent_faults) {
        if (fault.device == from.device && fault.at >= from.at &&
            std::holds_alternative<scenario::StartAgent>(fault.what)) {
            start = std::min(start, fault.at);
        }
    }
    return start;
}

bool ends_agent(const AgentFault& fault)
{
    const auto* order = std::get_if<scenario::GiveOrder>(&fault.what);
    using Kind = watchdog::Order::Kind;
    return std::holds_alternative<scenario::KillAgent>(fault.what) ||
           (order != nullptr && (order->order.kind == Kind::stop || order->order.kind == Kind::stop_and_hold));
}

// So many commands of a device are under way at most, and they wait for each other.
constexpr Ps kMostCommands = 16;

Ps end_of(const AgentFault& fault)
{
    return std::visit(
        [&](const auto& what) {
            if constexpr (requires { what.takes; }) {
                // The looks or writes that the fault delays end after it.
                const Ps delayed = std::holds_alternative<scenario::SlowWrites>(fault.what) ? kMostCommands : 2;
                return what.until == twin::kForever
                           ? what.until
                           : what.until + delayed * static_cast<Ps>(what.takes.count()) * twin::kNs;
            } else if constexpr (requires { what.until; }) {
                return what.until;
            } else if constexpr (requires { what.spell.until; }) {
                return what.spell.until;
            } else {
                return fault.at;
            }
        },
        fault.what);
}

bool for_some_calls(const AgentFault& fault)
{
    return std::visit(
        [](const auto& what) {
            if constexpr (requires { what.spell.until; }) {
                return what.spell.until == twin::kForever;
            } else {
                return false;
            }
        },
        fault.what);
}

// A treatment by order lasts until another order ends it. Counters that are to wrap do so at any later time.
bool lasts(const AgentFault& fault)
{
    if (const auto* restart = std::get_if<scenario::RestartCounters>(&fault.what)) {
        return restart->wraps_after.has_value();
    }
    const auto* order = std::get_if<scenario::GiveOrder>(&fault.what);
    using Kind = watchdog::Order::Kind;
    return order != nullptr && (order->order.kind == Kind::mitigate || order->order.kind == Kind::hold ||
                                order->order.kind == Kind::red_switch_on);
}

template <class... Kinds>
bool is_one_of(const AgentFault& fault)
{
    return (std::holds_alternative<Kinds>(fault.what) || ...);
}

Disturbance::Of disturbed_part(const AgentFault& fault)
{
    using namespace scenario;
    if (is_one_of<FreezeCounters, RestartCounters, CorruptCounters, CorruptStamps>(fault)) {
        return Disturbance::Of::counters;
    }
    if (is_one_of<DelayLooks, FailLooks, SlowDisk, FullDisk, SlowWrites, HangDevice>(fault)) {
        return Disturbance::Of::speed;
    }
    return is_one_of<StepClock, FailWrites, LieInReadBack, Reload, LoseNotices, DelayNotices>(fault)
               ? Disturbance::Of::writes
               : Disturbance::Of::agent;
}

// An agent that watches no queue looks at its device once a second: a port that comes back is found that late.
constexpr Ps kIdleLook = twin::kSecond;

constexpr Ps kBoot = 10 * twin::kMs;  // of a NIC; its agent starts within this time

bool overlap(const Disturbance& one, scenario::NodeId device, Ps from, Ps until)
{
    return one.device == device && one.from <= until && (one.until == twin::kForever || one.settles >= from);
}

}  // namespace

Disturbances::Disturbances(const scenario::Scenario& scenario)
{
    add_reboots(scenario);
    for (const auto& fault : scenario.agent_faults) {
        auto until = ends_agent(fault) ? next_start(scenario, fault) : end_of(fault);
        until = lasts(fault) ? twin::kForever : until;
        const bool removed = is_one_of<scenario::RemovePort>(fault);
        const auto settles =
            until == twin::kForever ? until : until + std::max(until - fault.at, removed ? kIdleLook : 0);
        all_.push_back({fault.device, fault.at, until, for_some_calls(fault) || lasts(fault) ? fault.at : settles,
                        disturbed_part(fault)});
        const auto* start = std::get_if<scenario::StartAgent>(&fault.what);
        if (start != nullptr && start->memory != scenario::StartAgent::Memory::kept) {
            memory_lost_.push_back(all_.back());
        }
        // Records that a full disk did not accept are lost with the process. An agent that starts without a port
        // forgets its storms.
        if (is_one_of<scenario::FullDisk>(fault) || (removed && next_start(scenario, fault) <= settles)) {
            memory_lost_.push_back(all_.back());
        }
        // The events that it has written are never published.
        const auto* kill = std::get_if<scenario::KillAgent>(&fault.what);
        if (kill != nullptr && kill->when == scenario::KillAgent::When::remembered) {
            memory_lost_.push_back(all_.back());
        }
        if (std::holds_alternative<scenario::LieInReadBack>(fault.what)) {
            liars_.push_back(fault.device);
        }
    }
    // The agent in a NIC has no disk: a reboot of its host ends its memory.
    for (const auto& fault : scenario.faults) {
        if (const auto* reboot = std::get_if<scenario::RebootHost>(&fault.what)) {
            memory_lost_.push_back({reboot->host, fault.at, fault.at, fault.at, Disturbance::Of::agent});
        }
    }
}

// The agent in a NIC starts without memory when its host reboots.
void Disturbances::add_reboots(const scenario::Scenario& scenario)
{
    for (const auto& fault : scenario.faults) {
        if (const auto* reboot = std::get_if<scenario::RebootHost>(&fault.what)) {
            all_.push_back({reboot->host, fault.at, fault.at + kBoot, fault.at + kBoot, Disturbance::Of::agent});
            memory_lost_.push_back(all_.back());
        }
    }
}

bool Disturbances::any(scenario::NodeId device, Ps from, Ps until) const
{
    return std::ranges::any_of(all_, [&](const Disturbance& one) { return overlap(one, device, from, until); });
}

bool Disturbances::blind(scenario::NodeId device, Ps from, Ps until) const
{
    return std::ranges::any_of(all_, [&](const Disturbance& one) {
        return one.of != Disturbance::Of::writes && overlap(one, device, from, until);
    });
}

bool Disturbances::misled(scenario::NodeId device, Ps from, Ps until) const
{
    return std::ranges::any_of(all_, [&](const Disturbance& one) {
        return (one.of == Disturbance::Of::speed || one.of == Disturbance::Of::counters) &&
               overlap(one, device, from, until);
    });
}

bool Disturbances::at_most_one(scenario::NodeId device, Ps from, Ps until) const
{
    return std::ranges::count_if(all_, [&](const Disturbance& one) { return overlap(one, device, from, until); }) <= 1;
}

bool Disturbances::memory_lost(scenario::NodeId device, Ps from, Ps until) const
{
    return std::ranges::any_of(memory_lost_, [&](const Disturbance& one) { return overlap(one, device, from, until); });
}

bool Disturbances::lies(scenario::NodeId device) const { return std::ranges::find(liars_, device) != liars_.end(); }

Ps Disturbances::settled(scenario::NodeId device) const
{
    Ps settled = 0;
    for (const auto& one : all_) {
        settled = one.device == device ? std::max(settled, one.settles) : settled;
    }
    return std::min(settled, twin::kForever / 2);  // callers add a time to it
}

}  // namespace petrel::swarm
