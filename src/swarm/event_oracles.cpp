// Oracles about the events of agents.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "swarm/oracles.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Criterion;
using watchdog::EventKind;
using watchdog::Phase;

bool announces(const watchdog::Event& event)
{
    return event.kind == EventKind::storm_detected || event.kind == EventKind::storm_alert ||
           event.kind == EventKind::pause_too_long || event.kind == EventKind::nic_latched;
}

bool closes(const watchdog::Event& event)
{
    return event.kind == EventKind::storm_restored || event.kind == EventKind::storm_released ||
           event.kind == EventKind::pause_too_long_cleared;
}

class ClosedOnce final : public Oracle {
public:
    explicit ClosedOnce(const Case& of) : Oracle("storms closed once"), case_(of) {}

    void look(const Glance&, const Glance& now) override
    {
        for (const auto& told : now.events) {
            if (told.event.kind == EventKind::order_taken) {
                ordered_[told.node] = true;
            } else if (told.event.kind == EventKind::storm_escalated) {
                storms_[told.where].alerted = true;  // the device refused the treatment
            } else if (announces(told.event)) {
                open(told);
            } else if (closes(told.event)) {
                close(told);
            }
        }
        for (auto& [where, storm] : storms_) {
            if (storm.open && !at_rest(storm, now)) {
                storm.active = now.at;
            }
        }
    }

    void end(const Glance& last, const Ending& ending) override
    {
        for (const auto& [where, storm] : storms_) {
            if (!storm.open || !agent_runs(storm, ending)) {
                continue;
            }
            if (at_rest(storm, last) && last.at > storm.active + kPublishedWithin && !forgotten(storm, last.at)) {
                violated(last.at, where,
                         fmt::format("The storm that was announced at {} ms is over and was never closed.",
                                     storm.at / twin::kMs));
            }
        }
    }

private:
    struct Storm {
        bool open{};
        bool alerted{};       // announced without a treatment, which may follow
        Ps at{};              // time of the storm's last event
        Ps active{};          // when its row was last seen in the storm
        std::uint64_t seq{};  // of its announcement
        NodeId node;
        std::optional<std::uint32_t> port;
        std::optional<std::uint32_t> queue;  // none: the port as a whole
    };

    bool agent_runs(const Storm& storm, const Ending& ending) const
    {
        if (const auto nic = case_.places.nic_at(storm.node)) {
            return ending.nics[*nic].agent_runs;
        }
        return storm.port && case_.places.ports[*storm.port].queues != 0 &&
               ending.queues[case_.places.ports[*storm.port].first_queue].agent_runs;
    }

    bool at_rest(const Storm& storm, const Glance& now) const
    {
        const auto phase = row_of(storm, now).phase;
        return phase == Phase::watching || phase == Phase::off;
    }

    const RowGlance& row_of(const Storm& storm, const Glance& last) const
    {
        const auto nic = case_.places.nic_at(storm.node);
        return nic ? last.nics[*nic].row : storm.queue ? last.queues[*storm.queue].row : last.ports[*storm.port].row;
    }

    bool forgotten(const Storm& storm, Ps until) const
    {
        return case_.disturbances.memory_lost(storm.node, storm.at, until);
    }

    void open(const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        auto& storm = storms_[told.where];
        const bool alerts = told.event.action == watchdog::Treatment::none;
        const bool acts_now = (storm.alerted || undone(storm, told)) && !alerts;
        if (storm.open && !acts_now && !forgotten(storm, at)) {
            violated(at, told.where,
                     fmt::format("The storm that was announced at {} ms is announced again and was not closed.",
                                 storm.at / twin::kMs));
        }
        storm = {true, alerts, at, at, told.event.seq, told.node, told.port, told.queue};
    }

    // A stop undoes the treatment of a port that pauses for too long and does not end its error: the next agent treats
    // it again, and names the announcement.
    bool undone(const Storm& storm, const EventGlance& told) const
    {
        return told.policy.criterion == Criterion::pause_timeout && told.event.cause == storm.seq &&
               case_.disturbances.any(storm.node, storm.at, twin::from_instant(told.event.at));
    }

    void close(const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        auto& storm = storms_[told.where];
        storm.node = told.node;
        const bool by_order = told.event.kind == EventKind::storm_released && ordered_[told.node];
        if (!storm.open && !by_order && !forgotten(storm, at)) {
            violated(at, told.where, "A storm is closed that was not announced, or was closed before.");
        }
        storm = {false, false, at, at, told.event.seq, told.node, told.port, told.queue};
    }

    const Case& case_;
    std::map<std::string, Storm> storms_;  // by target
    std::map<NodeId, bool> ordered_;       // an operator has given an order to the device
};

// One row with the looks of an evidence, one after the other.
class Replayed {
public:
    explicit Replayed(const watchdog::Evidence& evidence)
        : evidence_(evidence), shown_us_(in_us(evidence.proven)), limit_us_(in_us(evidence.limit))
    {}

    // Whether some clock before the first look leads to the clock that the evidence shows after the last one. A clock
    // that starts later ends later or at the same time, so the start is found by bisection.
    bool leads_to_the_decision()
    {
        std::uint32_t least = 0;
        std::uint32_t most = shown_us_ + fall();
        while (least < most) {
            const auto middle = least + (most - least) / 2;
            if (clock_after_all(middle) < shown_us_) {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        return clock_after_all(least) == shown_us_ && shown_us_ >= limit_us_;
    }

    // Whether the clock was full before the last look: after a change to a shorter limit.
    bool full_before() const { return full_before_; }

private:
    static std::uint32_t in_us(Duration d)
    {
        return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(d).count());
    }

    // The most that a leaky clock can lose in these looks.
    std::uint32_t fall() const
    {
        std::uint32_t covered = 0;
        for (std::uint8_t i = 0; i < evidence_.looks; ++i) {
            covered += evidence_.last[i].dt_us;
        }
        return evidence_.rule.criterion == Criterion::progress ? covered * evidence_.rule.leak : 0;
    }

    std::uint32_t clock_after_all(std::uint32_t start)
    {
        proven_us_ = start;
        for (std::uint8_t i = 0; i < evidence_.looks; ++i) {
            full_before_ = proven_us_ >= limit_us_;
            advance(evidence_.last[i]);
        }
        return proven_us_;
    }

    void advance(const watchdog::Interval& look)
    {
        auto dt = look.dt_us;
        auto known = look.known;
        auto pause = look.pause;
        auto values = look.value;
        watchdog::Observations seen;
        seen.dt_us = std::span{&dt, 1};
        seen.known = std::span{&known, 1};
        seen.pause = std::span{&pause, 1};
        for (std::size_t f = 0; f < watchdog::kFields; ++f) {
            seen.value[f] = std::span{&values[f], 1};
        }
        const watchdog::Clocks clocks{std::span{&proven_us_, 1}, std::span{&limit_us_, 1}, std::span{&wants_quiet_, 1},
                                      std::span{&longest_us_, 1}};
        watchdog::advance_row(seen, evidence_.rule, clocks, Slot{0});
    }

    const watchdog::Evidence& evidence_;
    std::uint32_t shown_us_;
    std::uint32_t limit_us_;
    bool full_before_{};
    std::uint32_t proven_us_{};
    std::uint8_t wants_quiet_{};
    std::uint32_t longest_us_{};
};

class EvidenceReplays final : public Oracle {
public:
    explicit EvidenceReplays(const Case& of) : Oracle("evidence"), case_(of) {}

    void look(const Glance&, const Glance& now) override
    {
        for (const auto& told : now.events) {
            if (announces_proven_storm(told.event)) {
                judge(told);
            }
            if (told.event.kind == EventKind::storm_alert || told.event.kind == EventKind::storm_escalated) {
                before_[told.where].alerted = true;
            } else if (closes(told.event)) {
                before_[told.where] = {false, twin::from_instant(told.event.at)};
            }
        }
    }

private:
    struct Before {
        bool alerted{};
        Ps closed{};  // the storm before
    };

    // The event of the alert is missing if the agent died after it had written its memory.
    bool was_alerted(const EventGlance& told, Ps at)
    {
        const auto& before = before_[told.where];
        return before.alerted || case_.disturbances.memory_lost(told.node, before.closed, at);
    }

    void judge(const EventGlance& told)
    {
        const auto& evidence = told.event.evidence;
        const auto criterion = evidence.rule.criterion;
        if (criterion != Criterion::continuous && criterion != Criterion::stalled && criterion != Criterion::progress) {
            return;
        }
        const auto at = twin::from_instant(told.event.at);
        if (evidence.proven < evidence.limit || evidence.limit == Duration::zero()) {
            violated(at, told.where, "The evidence of the storm proves less than the limit of its clock.");
        } else if (was_alerted(told, at)) {
            return;  // mitigated later: the evidence of its beginning, with later looks
        } else if (evidence.looks == 0) {
            violated(at, told.where, "The storm has no looks as evidence.");
        } else {
            judge_looks(told, at);
        }
    }

    void judge_looks(const EventGlance& told, Ps at)
    {
        Replayed replayed{told.event.evidence};
        if (!replayed.leads_to_the_decision()) {
            violated(at, told.where, "The looks in the evidence do not lead to the decision.");
        } else if (replayed.full_before() &&
                   !case_.disturbances.blind(told.node, at - std::min(at, in_ps(told.event.evidence.proven)), at)) {
            violated(at, told.where, "The evidence was complete one look before the decision.");
        }
    }

    const Case& case_;
    std::map<std::string, Before> before_;  // by target
};

}  // namespace

std::unique_ptr<Oracle> closed_once(const Case& of) { return std::make_unique<ClosedOnce>(of); }
std::unique_ptr<Oracle> evidence_replays(const Case& of) { return std::make_unique<EvidenceReplays>(of); }

}  // namespace petrel::swarm
