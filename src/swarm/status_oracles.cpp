// Oracles about the times at which a port's pause-timeout status opens and closes a storm. The status is set while a
// queue of the port has been paused for longer than the limit of the switch.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/bound_oracle.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Criterion;
using watchdog::Phase;

bool by_status(const RowGlance& row) { return row.policy.watched && row.policy.criterion == Criterion::pause_timeout; }

class StatusOracle : public BoundOracle {
protected:
    StatusOracle(std::string_view name, const Case& of) : BoundOracle(name, of) {}

    Ps limit(NodeId node) const
    {
        const auto watch = std::ranges::find(case_.scenario.watches, node, &scenario::Watch::node);
        return watch == case_.scenario.watches.end() ? 0 : in_ps(watch->hardware.pause_limit);
    }
};

// Judges each port by the time since which nothing but its pauses has changed.
class SteadyStatusOracle : public StatusOracle {
public:
    void look(const Glance& before, const Glance& now) final
    {
        history_.look(before, now);
        for (std::uint32_t port = 0; port < now.ports.size(); ++port) {
            const auto& was = before.ports[port];
            const auto& is = now.ports[port];
            if (was.epoch != is.epoch || was.row.phase != is.row.phase ||
                was.row.policy.detect != is.row.policy.detect || was.row.policy.restore != is.row.policy.restore ||
                decided(case_.places, port, now)) {
                same_from_[port] = now.at;
            }
            if (is.up && by_status(is.row)) {
                judge(port, now);
            }
        }
    }

protected:
    SteadyStatusOracle(std::string_view name, const Case& of)
        : StatusOracle(name, of), same_from_(of.places.ports.size())
    {}

    virtual void judge(std::uint32_t port, const Glance& now) = 0;

    std::vector<Ps> same_from_;  // by port
};

class StatusDetectionBound final : public SteadyStatusOracle {
public:
    explicit StatusDetectionBound(const Case& of) : SteadyStatusOracle("detection bound", of) {}

private:
    void judge(std::uint32_t port, const Glance& now) override
    {
        const auto& place = case_.places.ports[port];
        const auto& policy = now.ports[port].row.policy;
        for (auto q = place.first_queue; q < place.first_queue + place.queues; ++q) {
            if (now.ports[port].row.phase != Phase::watching || !now.queues[q].paused || history_.pauses(q).empty()) {
                continue;
            }
            // One look finds the status, and the clock begins there.
            const auto from = std::max(history_.pauses(q).back().from_least + limit(place.end.node), same_from_[port]);
            const auto bound = at_most(policy.detect, profile_of(q)) + 2 * gaps(policy, profile_of(q));
            if (now.at > from + bound && !case_.disturbances.blind(place.end.node, from, now.at)) {
                violated(now.at, place.name,
                         fmt::format("The status shows a pause for {} and the port is only watched; the bound is {}.",
                                     ms_text(now.at - from), ms_text(bound)));
            }
        }
    }
};

class StatusRestoreBound final : public SteadyStatusOracle {
public:
    explicit StatusRestoreBound(const Case& of) : SteadyStatusOracle("restore bound", of) {}

private:
    void judge(std::uint32_t port, const Glance& now) override
    {
        const auto& place = case_.places.ports[port];
        const auto& [phase, believed, policy] = now.ports[port].row;
        const auto& profile = profile_of(place.end.node);
        if ((phase != Phase::mitigated && phase != Phase::alerted) || policy.release != watchdog::Release::quiet ||
            profile.flaws.deaf_without_pfc) {
            return;
        }
        auto from = same_from_[port];
        for (auto q = place.first_queue; q < place.first_queue + place.queues; ++q) {
            if (now.queues[q].row.phase != Phase::off && now.queues[q].row.phase != Phase::watching) {
                return;  // a queue of the port may need the same treatment
            }
            from = std::max(from, history_.quiet_from(q));
        }
        const auto bound = at_most(std::max(policy.restore, policy.backoff_max), profile) + 2 * gaps(policy, profile);
        if (now.at > from + bound && !case_.disturbances.any(place.end.node, from, now.at)) {
            violated(now.at, place.name,
                     fmt::format("The port has been quiet for {} and is still {}; the bound is {}.",
                                 ms_text(now.at - from), watchdog::name(phase), ms_text(bound)));
        }
    }
};

class StatusEarlyDetection final : public StatusOracle {
public:
    explicit StatusEarlyDetection(const Case& of) : StatusOracle("early detection", of) {}

    void look(const Glance& before, const Glance& now) override
    {
        history_.look(before, now);
        for (const auto& told : now.events) {
            if (told.event.kind == watchdog::EventKind::pause_too_long &&
                told.event.reason == watchdog::Reason::proven && told.port) {
                judge(*told.port, told);
            }
        }
    }

private:
    void judge(std::uint32_t port, const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto& place = case_.places.ports[port];
        const auto& profile = profile_of(place.end.node);
        const auto needed = limit(place.end.node);
        const auto late = 2 * gaps(told.policy, profile) + profile.flaws.refresh;
        if (case_.disturbances.blind(place.end.node, at - std::min(at, needed + late), at)) {
            return;
        }
        for (auto q = place.first_queue; q < place.first_queue + place.queues; ++q) {
            for (const auto& pause : history_.pauses(q)) {
                if (std::min(pause.to, at) >= pause.from_most + needed && pause.to + late >= at) {
                    return;
                }
            }
        }
        violated(at, told.where,
                 fmt::format("A storm is announced, but no queue of the port was paused for {}.", ms_text(needed)));
    }
};

}  // namespace

std::unique_ptr<Oracle> detection_bound_of_status(const Case& of) { return std::make_unique<StatusDetectionBound>(of); }
std::unique_ptr<Oracle> early_detection_by_status(const Case& of) { return std::make_unique<StatusEarlyDetection>(of); }
std::unique_ptr<Oracle> restore_bound_of_status(const Case& of) { return std::make_unique<StatusRestoreBound>(of); }

}  // namespace petrel::swarm
