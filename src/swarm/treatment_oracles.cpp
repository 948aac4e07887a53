// Oracles about treatments that are in force.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/oracles.hpp"

namespace petrel::swarm {

namespace {

class TreatmentLeft final : public Oracle {
public:
    explicit TreatmentLeft(const Case& of) : Oracle("treatment left"), case_(of)
    {
        paused_at_.resize(of.places.queues.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        for (std::size_t q = 0; q < paused_at_.size(); ++q) {
            if (now.queues[q].paused || now.queues[q].pauses_ended != before.queues[q].pauses_ended) {
                paused_at_[q] = now.at;
            }
        }
    }

    void end(const Glance& last, const Ending& ending) override
    {
        for (std::uint32_t q = 0; q < last.queues.size(); ++q) {
            const auto node = case_.places.ports[case_.places.queues[q].port].end.node;
            if (last.queues[q].treated && ending.queues[q].agent_runs && !case_.disturbances.lies(node) &&
                !has_reason(q, last, ending)) {
                violated(last.at, case_.places.name(q),
                         fmt::format("The site is still treated, {} ms after its last pause, in phase {}.",
                                     (last.at - paused_on_port(q)) / twin::kMs,
                                     watchdog::name(last.queues[q].row.phase)));
            }
        }
    }

private:
    bool has_reason(std::uint32_t q, const Glance& last, const Ending& ending) const
    {
        const auto& port = case_.places.ports[case_.places.queues[q].port];
        const auto settled = std::max(paused_on_port(q), case_.disturbances.settled(port.end.node));
        if (latched(last.ports[case_.places.queues[q].port].row)) {
            return true;
        }
        // A treatment of the port may belong to any of its queues.
        Ps longest = 0;
        const bool deaf = case_.scenario.setup.switch_profiles[case_.scenario.setup.profile(port.end.node.value)]
                              .flaws.deaf_without_pfc;
        for (auto other = port.first_queue; other < port.first_queue + port.queues; ++other) {
            if (latched(last.queues[other].row) || ending.queues[other].by_order) {
                return true;
            }
            longest = std::max(longest, longest_restore(last.queues[other].row.policy, deaf));
        }
        longest = std::max(longest, longest_restore(last.ports[case_.places.queues[q].port].row.policy, deaf));
        return last.at < settled + longest;
    }

    static bool latched(const RowGlance& row)
    {
        return row.phase == watchdog::Phase::latched ||
               (row.policy.release == watchdog::Release::manual && row.phase == watchdog::Phase::mitigated);
    }

    // The last pause of any queue of the port.
    Ps paused_on_port(std::uint32_t q) const
    {
        const auto& port = case_.places.ports[case_.places.queues[q].port];
        return *std::max_element(paused_at_.begin() + port.first_queue,
                                 paused_at_.begin() + port.first_queue + port.queues);
    }

    const Case& case_;
    std::vector<Ps> paused_at_;  // by queue: its last pause
};

class PauseFromDropping final : public Oracle {
public:
    explicit PauseFromDropping(const Case& of) : Oracle("pause from a dropping queue"), case_(of) {}

    void look(const Glance& before, const Glance& now) override
    {
        for (std::uint32_t q = 0; q < now.queues.size(); ++q) {
            const auto& was = before.queues[q];
            const auto& is = now.queues[q];
            if (is.discards && is.bytes != 0) {
                violated(now.at, case_.places.name(q),
                         fmt::format("The queue discards its packets and holds {} bytes.", is.bytes));
            }
            const auto port = case_.places.queues[q].port;
            if (was.mute && is.mute && !decided(case_.places, port, now) && is.pause_sent != was.pause_sent) {
                violated(now.at, case_.places.name(q),
                         fmt::format("{} pause frames were sent for a queue that is dropped.",
                                     is.pause_sent - was.pause_sent));
            }
        }
    }

private:
    const Case& case_;
};

class Belief final : public Oracle {
public:
    explicit Belief(const Case& of) : Oracle("belief and device"), case_(of) {}

    void look(const Glance&, const Glance&) override {}
    void end(const Glance& last, const Ending& ending) override
    {
        for (std::uint32_t q = 0; q < last.queues.size(); ++q) {
            const auto port = case_.places.queues[q].port;
            const auto node = case_.places.ports[port].end.node;
            const bool settled = last.at > case_.disturbances.settled(node) + kSettling;
            if (!ending.queues[q].agent_runs || !settled || case_.disturbances.lies(node) || !at_rest(q, last)) {
                continue;
            }
            const bool believed = last.queues[q].row.believed != watchdog::Treatment::none ||
                                  last.ports[port].row.believed != watchdog::Treatment::none;
            if (believed != (last.queues[q].treated || last.queues[q].recovering)) {
                violated(last.at, case_.places.name(q),
                         believed ? "The agent records the queue as treated, but the registers show no treatment."
                                  : "The registers show a treatment that the agent has no record of.");
            }
        }
    }

private:
    // No command is under way for the row or its port.
    bool at_rest(std::uint32_t q, const Glance& last) const
    {
        const auto resting = [](const RowGlance& row) {
            return row.phase != watchdog::Phase::mitigating && row.phase != watchdog::Phase::restoring;
        };
        const auto& port = case_.places.ports[case_.places.queues[q].port];
        return resting(last.ports[case_.places.queues[q].port].row) &&
               std::all_of(last.queues.begin() + port.first_queue, last.queues.begin() + port.first_queue + port.queues,
                           [&](const QueueGlance& queue) { return resting(queue.row); });
    }

    const Case& case_;
};

}  // namespace

Ps longest_restore(const PolicyFacts& policy, bool deaf)
{
    using namespace std::chrono_literals;
    // A queue without a signal that survives its treatment is released for a probe after T1, and after twice that time
    // each time the probe meets the storm, up to 32 T1; all of them together are below this.
    constexpr int kMostProbeWaits = 64;
    const auto wait = deaf ? kMostProbeWaits * policy.restore : 2 * policy.restore;
    return in_ps(std::max(wait, 2 * policy.backoff_max) + 2 * policy.detect + 16 * policy.poll + 100ms);
}

std::unique_ptr<Oracle> pause_from_dropping(const Case& of) { return std::make_unique<PauseFromDropping>(of); }
std::unique_ptr<Oracle> belief(const Case& of) { return std::make_unique<Belief>(of); }
std::unique_ptr<Oracle> treatment_left(const Case& of) { return std::make_unique<TreatmentLeft>(of); }

}  // namespace petrel::swarm
