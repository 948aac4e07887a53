// Oracles about the times at which storms of queues are found and closed. The bounds are those of ARCHITECTURE.md.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/bound_oracle.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Criterion;
using watchdog::EventKind;
using watchdog::Phase;
using watchdog::Reason;

bool proves_pause(const PolicyFacts& policy)
{
    return policy.watched && (policy.criterion == Criterion::continuous || policy.criterion == Criterion::stalled);
}

bool ends_by_quiet(const PolicyFacts& policy)
{
    return policy.watched && policy.release == watchdog::Release::quiet && policy.criterion != Criterion::device &&
           policy.criterion != Criterion::pause_timeout;
}

// Slack for time stamps that are not exact. With less, a read that comes late breaks a pause; with more, short breaks
// of a pause do not count.
constexpr std::uint32_t kUsualSlack = 10'000;

// Counters that show past pauses, maybe with a delay.
bool truthful(const twin::SwitchProfile& profile) { return !profile.flaws.quanta; }

// Judges each queue by the time since which nothing but its pauses has changed.
class SteadyOracle : public BoundOracle {
public:
    void look(const Glance& before, const Glance& now) final
    {
        history_.look(before, now);
        for (std::uint32_t q = 0; q < now.queues.size(); ++q) {
            const auto port = case_.places.queues[q].port;
            const bool same_link = before.ports[port].epoch == now.ports[port].epoch;
            if (!same_link || !same(before.queues[q].row, now.queues[q].row) || decided(case_.places, port, now)) {
                same_from_[q] = now.at;
            }
            judge(q, now);
        }
    }

protected:
    SteadyOracle(std::string_view name, const Case& of) : BoundOracle(name, of), same_from_(of.places.queues.size()) {}

    virtual bool same(const RowGlance& was, const RowGlance& is) const = 0;  // in what the oracle goes by
    virtual void judge(std::uint32_t q, const Glance& now) = 0;

    std::vector<Ps> same_from_;  // by queue
};

class DetectionBound final : public SteadyOracle {
public:
    explicit DetectionBound(const Case& of) : SteadyOracle("detection bound", of) {}

private:
    bool same(const RowGlance& was, const RowGlance& is) const override
    {
        return was.phase == Phase::watching && is.phase == Phase::watching && was.policy.detect == is.policy.detect;
    }

    void judge(std::uint32_t q, const Glance& now) override
    {
        const auto& queue = now.queues[q];
        const auto& policy = queue.row.policy;
        if (!now.ports[case_.places.queues[q].port].up || !queue.paused || history_.pauses(q).empty() ||
            policy.criterion != Criterion::continuous || !policy.watched || policy.needs_backlog ||
            policy.slack_ppm < kUsualSlack || queue.row.phase != Phase::watching || !truthful(profile_of(q))) {
            return;
        }
        const auto from = std::max(history_.pauses(q).back().from_least, same_from_[q]);
        const auto bound = at_most(policy.detect, profile_of(q)) + gaps(policy, profile_of(q));
        if (now.at - from > bound && !case_.disturbances.blind(node_of(q), from, now.at)) {
            violated(now.at, case_.places.name(q),
                     fmt::format("The queue has been paused for {} and is only watched; the bound is {}.",
                                 ms_text(now.at - from), ms_text(bound)));
        }
    }
};

class EarlyDetection final : public BoundOracle {
public:
    explicit EarlyDetection(const Case& of) : BoundOracle("early detection", of) {}

    void look(const Glance& before, const Glance& now) override
    {
        history_.look(before, now);
        for (const auto& told : now.events) {
            if (announces_proven_storm(told.event) && told.queue && proves_pause(told.policy) &&
                told.policy.slack_ppm <= kUsualSlack && truthful(profile_of(*told.queue))) {
                judge(*told.queue, told, before.queues[*told.queue].row.policy);
            }
        }
    }

private:
    void judge(std::uint32_t q, const EventGlance& told, const PolicyFacts& before)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto needed = at_least(told.policy.detect, told.policy, profile_of(q));
        // A pause that ended after the last read, or after the counters were last up to date, is still detected. The
        // last read may have followed the poll interval of the previous policy.
        const auto gap = std::max(gaps(told.policy, profile_of(q)), gaps(before, profile_of(q)));
        const auto late = 2 * gap + profile_of(q).flaws.refresh;
        const auto earliest = at - std::min(at, needed + late + in_ps(told.policy.poll));
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

class RestoreBound final : public SteadyOracle {
public:
    explicit RestoreBound(const Case& of) : SteadyOracle("restore bound", of) {}

private:
    bool same(const RowGlance& was, const RowGlance& is) const override
    {
        return was.phase == is.phase && was.policy.restore == is.policy.restore;
    }

    void judge(std::uint32_t q, const Glance& now) override
    {
        const auto& row = now.queues[q].row;
        const auto& policy = row.policy;
        const bool waits = row.phase == Phase::mitigated || row.phase == Phase::alerted;
        const auto& flaws = profile_of(q).flaws;
        const auto& port = now.ports[case_.places.queues[q].port].row;
        const bool waits_for_port = port_wide(row.believed) && port.phase == Phase::mitigated;
        if (!waits || waits_for_port || !ends_by_quiet(policy) || flaws.deaf_without_pfc || flaws.quanta) {
            return;
        }
        // The queues of a port that is treated as a whole are released together.
        auto from = std::max(history_.quiet_from(q), same_from_[q]);
        auto longest = std::max(policy.restore, policy.backoff_max);
        for (auto other = port_of(q).first_queue; other < port_of(q).first_queue + port_of(q).queues; ++other) {
            const auto& shares = now.queues[other].row;
            if (port_wide(row.believed) && shares.phase == Phase::mitigated) {
                if (!ends_by_quiet(shares.policy)) {
                    return;
                }
                from = std::max({from, history_.quiet_from(other), same_from_[other]});
                longest = std::max({longest, shares.policy.restore, shares.policy.backoff_max});
            }
        }
        const auto bound = at_most(longest, profile_of(q)) + 2 * gaps(policy, profile_of(q));
        if (now.at - from > bound && !case_.disturbances.any(node_of(q), from, now.at)) {
            violated(now.at, case_.places.name(q),
                     fmt::format("The queue has been quiet for {} and is still {}; the bound is {}.",
                                 ms_text(now.at - from), watchdog::name(row.phase), ms_text(bound)));
        }
    }
};

class EarlyRestore final : public BoundOracle {
public:
    explicit EarlyRestore(const Case& of) : BoundOracle("early restore", of), seen_paused_(of.places.queues.size()) {}

    void look(const Glance& before, const Glance& now) override
    {
        for (const auto& told : now.events) {
            if (told.event.kind == EventKind::storm_restored && told.event.reason == Reason::quiet && told.queue &&
                told.policy.watched && told.policy.probe == Duration::zero() && truthful(profile_of(*told.queue))) {
                judge(*told.queue, told);
            }
        }
        history_.look(before, now);
        for (std::uint32_t q = 0; q < now.queues.size(); ++q) {
            const auto& queue = now.queues[q];
            if (!queue.paused || history_.pauses(q).empty()) {
                continue;
            }
            const auto poll = gaps(queue.row.policy, profile_of(q)) + profile_of(q).flaws.refresh;
            if (now.at - history_.pauses(q).back().from_least > 2 * poll) {
                seen_paused_[q] = now.at;
            }
        }
    }

private:
    // Called before the history has the pauses after the glance before the event.
    void judge(std::uint32_t q, const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto restore = told.policy.criterion == Criterion::device ? recovery_of(node_of(q)) : told.policy.restore;
        const auto needed = at_least(restore, told.policy, profile_of(q));
        const auto late = profile_of(q).flaws.refresh + in_ps(told.policy.poll);
        if (case_.disturbances.any(node_of(q), at - std::min(at, needed + late), at)) {
            return;
        }
        if (seen_paused_[q] != 0 && at - seen_paused_[q] + late < needed) {
            violated(at, told.where,
                     fmt::format("The storm is closed as quiet, but the queue was paused {} before; T1 is {}.",
                                 ms_text(at - seen_paused_[q]), ms_text(needed)));
        }
    }

    // A device that detects storms itself may have another T1 than the policy (`clip`).
    Duration recovery_of(NodeId node) const
    {
        const auto watch = std::ranges::find(case_.scenario.watches, node, &scenario::Watch::node);
        return watch == case_.scenario.watches.end() ? Duration::zero() : watch->hardware.deadlock_recover;
    }

    // By queue: the last glance at which it was paused, and had been for so long that a poll has seen it.
    std::vector<Ps> seen_paused_;
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
        const auto apart = at_least(told.policy.detect, told.policy, profile_of(q)) +
                           at_least(told.policy.restore, told.policy, profile_of(q));
        const auto from = last_[q].value_or(0);
        const bool link = link_changed_[case_.places.queues[q].port] >= from;
        // The interval in which the last storm was closed may count as a whole. Time stamps are whole microseconds.
        constexpr Ps kRounding = 2 * twin::kUs;
        if (last_[q] && at - from + in_ps(told.policy.poll) + kRounding < apart && !link &&
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
