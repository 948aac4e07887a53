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
using watchdog::Reason;

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
    }

    void end(const Glance& last, const Ending& ending) override
    {
        for (const auto& [where, storm] : storms_) {
            if (!storm.open || !storm.queue || !ending.queues[*storm.queue].agent_runs) {
                continue;
            }
            const auto phase = last.queues[*storm.queue].row.phase;
            if ((phase == Phase::watching || phase == Phase::off) && !forgotten(storm, last.at)) {
                violated(last.at, where,
                         fmt::format("The storm that was announced at {} ms is over and was never closed.",
                                     storm.at / twin::kMs));
            }
        }
    }

private:
    struct Storm {
        bool open{};
        bool alerted{};  // announced without a treatment, which may follow
        Ps at{};         // time of the storm's last event
        NodeId node;
        std::optional<std::uint32_t> queue;
    };

    bool forgotten(const Storm& storm, Ps until) const
    {
        return case_.disturbances.memory_lost(storm.node, storm.at, until);
    }

    void open(const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        auto& storm = storms_[told.where];
        const bool acts_now = storm.alerted && told.event.kind == EventKind::storm_detected;
        if (storm.open && !acts_now && !forgotten(storm, at)) {
            violated(at, told.where,
                     fmt::format("The storm that was announced at {} ms is announced again and was not closed.",
                                 storm.at / twin::kMs));
        }
        storm = {true, told.event.kind == EventKind::storm_alert, at, told.node, told.queue};
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
        storm = {false, false, at, told.node, told.queue};
    }

    const Case& case_;
    std::map<std::string, Storm> storms_;  // by target
    std::map<NodeId, bool> ordered_;       // an operator has given an order to the device
};

// One row with the looks of an evidence, one after the other.
class Replayed {
public:
    explicit Replayed(const watchdog::Evidence& evidence) : evidence_(evidence) {}

    // Whether the clock is full after the last look and not before.
    bool full_at_the_end()
    {
        Duration covered{};
        for (std::uint8_t i = 0; i < evidence_.looks; ++i) {
            covered += std::chrono::microseconds{evidence_.last[i].dt_us};
        }
        const auto before = std::max(Duration::zero(), evidence_.proven - covered);
        proven_us_ = static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(before).count());
        limit_us_ =
            static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(evidence_.limit).count());
        for (std::uint8_t i = 0; i < evidence_.looks; ++i) {
            if (proven_us_ >= limit_us_) {
                return false;
            }
            advance(evidence_.last[i]);
        }
        return proven_us_ >= limit_us_;
    }

private:
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
    std::uint32_t proven_us_{};
    std::uint32_t limit_us_{};
    std::uint8_t wants_quiet_{};
    std::uint32_t longest_us_{};
};

class EvidenceReplays final : public Oracle {
public:
    EvidenceReplays() : Oracle("evidence") {}

    void look(const Glance&, const Glance& now) override
    {
        for (const auto& told : now.events) {
            const bool begins =
                told.event.kind == EventKind::storm_detected || told.event.kind == EventKind::storm_alert;
            // A storm that was alerted and is mitigated later has the evidence of its beginning, with later looks.
            if (begins && told.event.reason == Reason::proven && !alerted_[told.where]) {
                judge(told);
            }
            if (told.event.kind == EventKind::storm_alert || told.event.kind == EventKind::storm_escalated) {
                alerted_[told.where] = true;
            } else if (closes(told.event)) {
                alerted_[told.where] = false;
            }
        }
    }

private:
    void judge(const EventGlance& told)
    {
        const auto& evidence = told.event.evidence;
        if (evidence.rule.criterion != Criterion::continuous && evidence.rule.criterion != Criterion::stalled) {
            return;
        }
        const auto at = twin::from_instant(told.event.at);
        if (evidence.proven < evidence.limit || evidence.limit == Duration::zero()) {
            violated(at, told.where, "The evidence of the storm proves less than the limit of its clock.");
        } else if (evidence.looks == 0) {
            violated(at, told.where, "The storm has no looks as evidence.");
        } else if (!Replayed{evidence}.full_at_the_end()) {
            violated(at, told.where, "The looks in the evidence do not lead to the decision.");
        }
    }

    std::map<std::string, bool> alerted_;  // by target: announced, not treated, not closed
};

}  // namespace

std::unique_ptr<Oracle> closed_once(const Case& of) { return std::make_unique<ClosedOnce>(of); }
std::unique_ptr<Oracle> evidence_replays() { return std::make_unique<EvidenceReplays>(); }

}  // namespace petrel::swarm
