#include "swarm/run.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/fault_point.hpp"
#include "swarm/oracles.hpp"

namespace petrel::swarm {

namespace {

// Close enough together for the shortest timers that are drawn, far enough apart for speed.
constexpr Ps kBetweenGlances = 2 * twin::kMs;

// Adds an event to a digest (FNV-1a over its numbers).
void mix(std::uint64_t& digest, std::uint64_t value)
{
    constexpr std::uint64_t kPrime = 1'099'511'628'211ULL;
    digest = (digest ^ value) * kPrime;
}

void mix(std::uint64_t& digest, const EventGlance& told)
{
    const auto& event = told.event;
    mix(digest, event.seq);
    mix(digest, static_cast<std::uint64_t>(event.at.time_since_epoch().count()));
    mix(digest, static_cast<std::uint64_t>(event.kind));
    mix(digest, static_cast<std::uint64_t>(event.reason));
    mix(digest, told.node.value);
    mix(digest, event.target.port.index);
}

// Shows the oracles the run, glance by glance.
class Court {
public:
    explicit Court(lab::Experiment& experiment)
        : experiment_(experiment),
          watcher_(experiment),
          case_{experiment.scenario(), watcher_.places(), Disturbances{experiment.scenario()}}
    {
        oracles_.push_back(conservation());
        for (const auto make : {loss_outside_sites,
                                treatment_left,
                                pause_from_dropping,
                                belief,
                                detection_bound,
                                early_detection,
                                restore_bound,
                                early_restore,
                                action_rate,
                                closed_once,
                                evidence_replays,
                                policy_of_each_queue,
                                out_of_sight,
                                detection_bound_of_status,
                                early_detection_by_status,
                                restore_bound_of_status,
                                detection_bound_of_nics,
                                early_detection_in_nics,
                                belief_about_nics,
                                treatment_left_in_nics,
                                manager_history,
                                manager_errors,
                                manager_sight}) {
            oracles_.push_back(make(case_));
        }
        last_ = watcher_.glance();
    }

    Judged run(Ps end, std::uint64_t most_hops)
    {
        while (last_.at < end) {
            experiment_.run_until(std::min(end, last_.at + kBetweenGlances));
            auto now = watcher_.glance();
            for (const auto& oracle : oracles_) {
                oracle->look(last_, now);
            }
            for (const auto& told : now.events) {
                mix(judged_.digest, told);
            }
            cover(now.at);
            if (most_hops != kAnyHops && experiment_.twin().totals().packet_hops > most_hops) {
                return {};
            }
            last_ = std::move(now);
        }
        const auto ending = watcher_.ending();
        mix(judged_.digest, ending.totals.digest);
        judged_.packet_hops = ending.totals.packet_hops;
        for (const auto& oracle : oracles_) {
            oracle->end(last_, ending);
            judged_.violations.insert(judged_.violations.end(), oracle->violations().begin(),
                                      oracle->violations().end());
        }
        std::ranges::sort(judged_.violations, {},
                          [](const Violation& one) { return std::tie(one.at, one.oracle, one.where, one.what); });
        return std::move(judged_);
    }

private:
    // Notes which faults came since the last glance, and in which phases they met the rows.
    void cover(Ps until)
    {
        const auto due = [&](const auto& fault) { return fault.at >= last_.at && fault.at < until; };
        for (const auto& fault : experiment_.scenario().agent_faults) {
            if (due(fault)) {
                cover(kind_of(fault), fault.device);
            }
        }
        for (const auto& fault : experiment_.scenario().faults) {
            if (due(fault)) {
                cover(kind_of(fault), std::nullopt);
            }
        }
        for (const auto& fault : experiment_.scenario().manager_faults) {
            if (due(fault)) {
                cover(kind_of(fault), std::nullopt);
            }
        }
    }

    void cover(std::string_view kind, std::optional<NodeId> device)
    {
        for (std::size_t q = 0; q < last_.queues.size(); ++q) {
            const auto& port = watcher_.places().ports[watcher_.places().queues[q].port];
            if (!device || port.end.node == *device) {
                judged_.coverage.add(last_.queues[q].row.phase, kind);
            }
        }
        for (std::size_t nic = 0; nic < last_.nics.size(); ++nic) {
            if (device && watcher_.places().nics[nic].node == *device) {
                judged_.coverage.add(last_.nics[nic].row.phase, kind);
            }
        }
    }

    lab::Experiment& experiment_;
    Watcher watcher_;
    Case case_;
    std::vector<std::unique_ptr<Oracle>> oracles_;
    Glance last_;
    Judged judged_;
};

}  // namespace

Parsed<Judged> run(const scenario::Scenario& scenario, std::uint64_t most_hops)
{
    PETREL_FAULT_POINTS_FROM(scenario.setup.seed);
    auto experiment = lab::Experiment::make(scenario);
    if (!experiment) {
        return tl::unexpected(std::move(experiment.error()));
    }
    return Court{**experiment}.run(scenario.duration, most_hops);
}

}  // namespace petrel::swarm
