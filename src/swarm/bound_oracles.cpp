// Oracles about the times at which storms are found and closed. The bounds are those of ARCHITECTURE.md.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/oracles.hpp"
#include "swarm/pause_history.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Criterion;
using watchdog::EventKind;
using watchdog::Phase;
using watchdog::Reason;

Ps ps(Duration d) { return static_cast<Ps>(d.count()) * twin::kNs; }
std::string ms_text(Ps time) { return fmt::format("{:.3f} ms", static_cast<double>(time) / twin::kMs); }

bool proves_pause(const PolicyFacts& policy)
{
    return policy.watched && (policy.criterion == Criterion::continuous || policy.criterion == Criterion::stalled);
}

// With counters that are not always up to date, the looks that the agent requests read nothing new: the grid is fixed.
Ps gaps(const PolicyFacts& policy, const twin::SwitchProfile& profile)
{
    return ps(policy.poll) * (profile.flaws.refresh != 0 ? 2 : 1);
}

class BoundOracle : public Oracle {
protected:
    BoundOracle(std::string_view name, const Case& of) : Oracle(name), case_(of), history_(of.places.queues.size()) {}

    const Places::Port& port_of(std::uint32_t q) const { return case_.places.ports[case_.places.queues[q].port]; }
    NodeId node_of(std::uint32_t q) const { return port_of(q).end.node; }
    const twin::SwitchProfile& profile_of(std::uint32_t q) const
    {
        return case_.scenario.setup.switch_profiles[case_.scenario.setup.profile(node_of(q).value)];
    }
    // A decision about the port came between the glances: a treatment may have begun and ended meanwhile.
    bool decided(std::uint32_t q, const Glance& now) const
    {
        return std::ranges::any_of(now.events, [&](const EventGlance& told) {
            return told.node == node_of(q) && (told.port == case_.places.queues[q].port || told.event.whole_device);
        });
    }
    // Counters that show past pauses, maybe with a delay.
    bool truthful(std::uint32_t q) const { return !profile_of(q).flaws.quanta; }

    const Case& case_;
    PauseHistory history_;
};

class DetectionBound final : public BoundOracle {
public:
    explicit DetectionBound(const Case& of) : BoundOracle("detection bound", of)
    {
        watched_from_.resize(of.places.queues.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        history_.look(before, now);
        for (std::uint32_t q = 0; q < now.queues.size(); ++q) {
            const auto& was = before.queues[q].row;
            const auto& row = now.queues[q].row;
            const auto port = case_.places.queues[q].port;
            const bool same = was.phase == Phase::watching && row.phase == Phase::watching &&
                              was.policy.detect == row.policy.detect && now.ports[port].up &&
                              before.ports[port].epoch == now.ports[port].epoch;
            if (!same || decided(q, now)) {
                watched_from_[q] = now.at;
            }
            judge(q, now);
        }
    }

private:
    void judge(std::uint32_t q, const Glance& now)
    {
        const auto& queue = now.queues[q];
        const auto& policy = queue.row.policy;
        if (!queue.paused || history_.pauses(q).empty() || policy.criterion != Criterion::continuous ||
            !policy.watched || policy.needs_backlog || queue.row.phase != Phase::watching || !truthful(q)) {
            return;
        }
        const auto from = std::max(history_.pauses(q).back().from_least, watched_from_[q]);
        const auto bound = ps(policy.detect) + gaps(policy, profile_of(q));
        if (now.at - from > bound && !case_.disturbances.blind(node_of(q), from, now.at)) {
            violated(now.at, case_.places.name(q),
                     fmt::format("The queue has been paused for {} and is only watched; the bound is {}.",
                                 ms_text(now.at - from), ms_text(bound)));
        }
    }

    std::vector<Ps> watched_from_;  // by queue: watched with the same policy and the same link since then
};

class EarlyDetection final : public BoundOracle {
public:
    explicit EarlyDetection(const Case& of) : BoundOracle("early detection", of) {}

    void look(const Glance& before, const Glance& now) override
    {
        history_.look(before, now);
        for (const auto& told : now.events) {
            const bool begins =
                told.event.kind == EventKind::storm_detected || told.event.kind == EventKind::storm_alert;
            if (begins && told.event.reason == Reason::proven && told.queue && proves_pause(told.policy) &&
                truthful(*told.queue)) {
                judge(*told.queue, told);
            }
        }
    }

private:
    void judge(std::uint32_t q, const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto needed = ps(told.policy.detect);
        // A pause that ended after the last read, or after the counters were last up to date, is still detected.
        const auto late = 2 * gaps(told.policy, profile_of(q)) + profile_of(q).flaws.refresh;
        const auto earliest = at - std::min(at, needed + late + ps(told.policy.poll));
        if (case_.disturbances.misled(node_of(q), earliest, at)) {
            return;
        }
        const auto& pauses = history_.pauses(q);
        // Whatever an agent remembers or what its policy was before: it has seen that the pause goes on.
        const bool goes_on = std::ranges::any_of(pauses, [&](const TruePause& pause) { return pause.to + late >= at; });
        if (!goes_on) {
            violated(at, told.where, "A storm is announced, but the queue is not paused.");
        }
        if (case_.disturbances.blind(node_of(q), earliest, at)) {
            return;
        }
        const bool proven = std::ranges::any_of(pauses, [&](const TruePause& pause) {
            return std::min(pause.to, at) >= pause.from_most + needed && pause.to + late >= at;
        });
        if (!proven) {
            const auto length =
                pauses.empty() ? 0 : std::min(pauses.back().to, at) - std::min(pauses.back().from_most, at);
            violated(at, told.where,
                     fmt::format("A storm is announced, but the queue was paused for {} at most; T0 is {}.",
                                 ms_text(length), ms_text(needed)));
        }
    }
};

class RestoreBound final : public BoundOracle {
public:
    explicit RestoreBound(const Case& of) : BoundOracle("restore bound", of)
    {
        same_from_.resize(of.places.queues.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        history_.look(before, now);
        for (std::uint32_t q = 0; q < now.queues.size(); ++q) {
            const auto& was = before.queues[q].row;
            const auto& row = now.queues[q].row;
            const auto port = case_.places.queues[q].port;
            if (was.phase != row.phase || was.policy.restore != row.policy.restore ||
                before.ports[port].epoch != now.ports[port].epoch || decided(q, now)) {
                same_from_[q] = now.at;
            }
            judge(q, now);
        }
    }

private:
    void judge(std::uint32_t q, const Glance& now)
    {
        const auto& row = now.queues[q].row;
        const auto& policy = row.policy;
        const bool waits = row.phase == Phase::mitigated || row.phase == Phase::alerted;
        const bool by_quiet = policy.release == watchdog::Release::quiet && policy.criterion != Criterion::device &&
                              policy.criterion != Criterion::pause_timeout && policy.watched;
        const auto& flaws = profile_of(q).flaws;
        if (!waits || !by_quiet || flaws.deaf_without_pfc || flaws.quanta) {
            return;
        }
        // The queues of a port that is treated as a whole are released together.
        auto from = same_from_[q];
        for (auto other = port_of(q).first_queue; other < port_of(q).first_queue + port_of(q).queues; ++other) {
            from = std::max({from, history_.quiet_from(other), same_from_[other]});
        }
        const auto bound = ps(std::max(policy.restore, policy.backoff_max)) + 2 * gaps(policy, profile_of(q));
        if (now.at - from > bound && !case_.disturbances.any(node_of(q), from, now.at)) {
            violated(now.at, case_.places.name(q),
                     fmt::format("The queue has been quiet for {} and is still {}; the bound is {}.",
                                 ms_text(now.at - from), watchdog::name(row.phase), ms_text(bound)));
        }
    }

    std::vector<Ps> same_from_;  // by queue: in the same phase with the same policy and the same link since then
};

class EarlyRestore final : public BoundOracle {
public:
    explicit EarlyRestore(const Case& of) : BoundOracle("early restore", of) {}

    void look(const Glance& before, const Glance& now) override
    {
        for (const auto& told : now.events) {
            if (told.event.kind == EventKind::storm_restored && told.event.reason == Reason::quiet && told.queue &&
                told.policy.watched && told.policy.probe == Duration::zero() && truthful(*told.queue)) {
                judge(*told.queue, told, before);
            }
        }
        history_.look(before, now);
    }

private:
    // Called before the history has the pauses after the glance before the event.
    void judge(std::uint32_t q, const EventGlance& told, const Glance& before)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto needed = ps(told.policy.restore);
        const auto late = profile_of(q).flaws.refresh + ps(told.policy.poll);
        if (case_.disturbances.any(node_of(q), at - std::min(at, needed + late), at)) {
            return;
        }
        // Certain: the queue was paused at the last glance, which is less than T1 before the decision.
        if (before.queues[q].paused && at - before.at + late < needed) {
            violated(at, told.where,
                     fmt::format("The storm is closed as quiet, but the queue was paused {} before; T1 is {}.",
                                 ms_text(at - before.at), ms_text(needed)));
        }
    }
};

class ActionRate final : public BoundOracle {
public:
    explicit ActionRate(const Case& of) : BoundOracle("action rate", of)
    {
        last_.resize(of.places.queues.size());
        link_changed_.resize(of.places.ports.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        for (std::size_t port = 0; port < link_changed_.size(); ++port) {
            if (before.ports[port].epoch != now.ports[port].epoch) {
                link_changed_[port] = now.at;
            }
        }
        for (const auto& told : now.events) {
            if (told.event.kind == EventKind::storm_detected && told.event.reason == Reason::proven && told.queue) {
                judge(*told.queue, told);
            }
        }
    }

private:
    void judge(std::uint32_t q, const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto apart = ps(told.policy.detect + told.policy.restore);
        const auto from = last_[q].value_or(0);
        const bool link = link_changed_[case_.places.queues[q].port] >= from;
        // The interval in which the last storm was closed may count as a whole.
        if (last_[q] && at - from + ps(told.policy.poll) < apart && !link &&
            !case_.disturbances.any(node_of(q), from, at)) {
            violated(at, told.where,
                     fmt::format("This storm is announced {} after the last; T0 and T1 are {} together.",
                                 ms_text(at - from), ms_text(apart)));
        }
        last_[q] = at;
    }

    std::vector<std::optional<Ps>> last_;  // by queue: its last storm
    std::vector<Ps> link_changed_;         // by port
};

}  // namespace

std::unique_ptr<Oracle> detection_bound(const Case& of) { return std::make_unique<DetectionBound>(of); }
std::unique_ptr<Oracle> early_detection(const Case& of) { return std::make_unique<EarlyDetection>(of); }
std::unique_ptr<Oracle> restore_bound(const Case& of) { return std::make_unique<RestoreBound>(of); }
std::unique_ptr<Oracle> early_restore(const Case& of) { return std::make_unique<EarlyRestore>(of); }
std::unique_ptr<Oracle> action_rate(const Case& of) { return std::make_unique<ActionRate>(of); }

}  // namespace petrel::swarm
