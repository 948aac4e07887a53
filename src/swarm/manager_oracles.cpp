// The oracles about the manager: its history, the ports that it shows in error, the devices that report to it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "fabric/fabric_view.hpp"
#include "swarm/oracles.hpp"
#include "uplink/uplink.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Phase;

const std::string& name_of(const Case& of, NodeId node) { return of.scenario.setup.topology.nodes[node.value].name; }

// Judges the end of a run, when all reports have arrived.
class AtTheEnd : public Oracle {
public:
    AtTheEnd(std::string_view name, const Case& of) : Oracle(name), case_(of) {}

    void look(const Glance&, const Glance& now) override
    {
        for (std::size_t i = 0; i != now.nics.size(); ++i) {
            if (!now.nics[i].up) {
                down_[case_.places.nics[i].node] = now.at;
            }
        }
    }

protected:
    // After the last fault that concerns them, reports have arrived at the latest after this time.
    Ps settling() const
    {
        const auto pace = uplink::Pace{}.faster(case_.scenario.manager->faster);
        const auto most = in_ps(pace.deadline + 2 * pace.longest_retry + 2 * pace.look);
        return most + kPublishedWithin + 8 * lab::ManagersInTwin::kTurn;
    }

    // Its last reports may be on their way, or lost. A NIC is reached over its own link.
    bool may_miss(NodeId node, Ps end) const
    {
        const auto from = end - std::min(end, settling());
        const auto disturbs = [&](const scenario::ManagerFault& fault) {
            const auto* messages = std::get_if<scenario::DisturbMessages>(&fault.what);
            const bool elsewhere = messages != nullptr && !messages->devices.empty() &&
                                   std::ranges::find(messages->devices, node) == messages->devices.end();
            return !elsewhere && fault.at <= end && (messages == nullptr ? fault.at : end_of(*messages)) >= from;
        };
        const auto down = down_.find(node);
        return from == 0 || std::ranges::any_of(case_.scenario.manager_faults, disturbs) ||
               case_.disturbances.any(node, from, end) || (down != down_.end() && down->second >= from);
    }

    const Case& case_;

private:
    // The last message may be late.
    static Ps end_of(const scenario::DisturbMessages& what)
    {
        return what.until == twin::kForever ? what.until : what.until + in_ps(what.takes);
    }

    std::map<NodeId, Ps> down_;  // by host, when the link of its NIC was last down
};

class ManagerHistory final : public AtTheEnd {
public:
    explicit ManagerHistory(const Case& of) : AtTheEnd("manager history", of) {}

    void end(const Glance& last, const Ending& ending) override
    {
        for (const auto& one : ending.managed) {
            complain(last.at, one, one.history.doubled, "has more than once");
            complain(last.at, one, one.history.disordered, "has behind a later one");
            complain(last.at, one, one.history.foreign, "has, although its agent never wrote it,");
            if (!may_miss(one.node, last.at)) {
                complain(last.at, one, one.history.missing, "does not have");
            }
        }
    }

private:
    void complain(Ps at, const Ending::Managed& of, const std::vector<std::string>& events, std::string_view how)
    {
        if (!events.empty()) {
            violated(at, name_of(case_, of.node),
                     fmt::format("The manager {} an event: {}", how, events.front().substr(0, kShown)));
        }
    }

    static constexpr std::size_t kShown = 100;
};

class ManagerErrors final : public AtTheEnd {
public:
    explicit ManagerErrors(const Case& of) : AtTheEnd("manager errors", of) {}

    void look(const Glance& before, const Glance& now) override
    {
        AtTheEnd::look(before, now);
        for (std::size_t i = 0; i != now.ports.size(); ++i) {
            if (in_storm(now, i) != in_storm(before, i)) {
                changed_[case_.places.ports[i].end] = now.at;
            }
        }
        for (std::size_t i = 0; i != now.nics.size(); ++i) {
            if (in_storm(now.nics[i].row.phase) != in_storm(before.nics[i].row.phase)) {
                changed_[{case_.places.nics[i].node, 0}] = now.at;
            }
        }
    }

    void end(const Glance& last, const Ending& ending) override
    {
        for (const auto& one : ending.managed) {
            if (may_miss(one.node, last.at)) {
                continue;
            }
            if (const auto nic = case_.places.nic_at(one.node)) {
                judge(last.at, one, {one.node, 0}, ending.nics[*nic].agent_runs, in_storm(last.nics[*nic].row.phase),
                      latched(last.nics[*nic].row.phase));
                continue;
            }
            for (std::uint32_t i = 0; i != case_.places.ports.size(); ++i) {
                const auto& port = case_.places.ports[i];
                if (port.end.node == one.node && port.queues != 0) {
                    judge(last.at, one, port.end, ending.queues[port.first_queue].agent_runs, in_storm(last, i),
                          latched(last, i));
                }
            }
        }
    }

private:
    static bool in_storm(Phase phase) { return phase != Phase::off && phase != Phase::watching; }
    static bool latched(Phase phase) { return phase == Phase::latched; }

    template <class Is>
    bool any_row(const Glance& now, std::size_t port, Is is) const
    {
        const auto& place = case_.places.ports[port];
        bool found = is(now.ports[port].row.phase);
        for (auto q = place.first_queue; q != place.first_queue + place.queues; ++q) {
            found = found || is(now.queues[q].row.phase);
        }
        return found;
    }
    bool in_storm(const Glance& now, std::size_t port) const
    {
        return any_row(now, port, [](Phase phase) { return in_storm(phase); });
    }
    bool latched(const Glance& now, std::size_t port) const
    {
        return any_row(now, port, [](Phase phase) { return latched(phase); });
    }

    // A latch outlasts its storm: the port may be in error, and need not.
    void judge(Ps at, const Ending::Managed& of, End end, bool agent_runs, bool stormed, bool may_be_over)
    {
        const auto& port = case_.scenario.setup.topology.nodes[end.node.value].ports[end.port].name;
        const bool shown = of.errors.contains(port);
        const auto changed = changed_.find(end);
        const bool settled = changed == changed_.end() || changed->second + settling() < at;
        if (!agent_runs || !settled || shown == stormed || (may_be_over && !shown)) {
            return;
        }
        violated(at, fmt::format("{}:{}", name_of(case_, of.node), port),
                 shown ? "The manager shows an error that is over for the agent."
                       : "The manager shows no error, and the agent has a storm.");
    }

    std::map<End, Ps> changed_;  // by port, when a storm of it began or ended for its agent
};

class ManagerSight final : public Oracle {
public:
    explicit ManagerSight(const Case& of) : Oracle("manager sight"), case_(of) {}

    void look(const Glance&, const Glance& now) override
    {
        for (const auto& one : now.reports) {
            const auto silent_after = in_ps(fabric::FabricView::kSilentAfter / case_.scenario.manager->faster);
            const bool heard = one.heard_at && now.at - *one.heard_at <= silent_after;
            if (one.shown != heard) {
                violated(now.at, name_of(case_, one.node),
                         one.shown ? "The manager shows that the device reports, and it does not."
                                   : "The manager shows that the device does not report, and it does.");
            }
        }
    }

private:
    const Case& case_;
};

}  // namespace

std::unique_ptr<Oracle> manager_history(const Case& of) { return std::make_unique<ManagerHistory>(of); }
std::unique_ptr<Oracle> manager_errors(const Case& of) { return std::make_unique<ManagerErrors>(of); }
std::unique_ptr<Oracle> manager_sight(const Case& of) { return std::make_unique<ManagerSight>(of); }

}  // namespace petrel::swarm
