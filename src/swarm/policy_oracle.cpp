// The oracle about the policies by which queues are watched.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/oracles.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Criterion;
using watchdog::Policy;

// Finds the policy of a queue, or of a port as a whole, from the scenario, without the watchlist that the agent made.
class ConfiguredPolicies {
public:
    ConfiguredPolicies(const Case& of, const scenario::Watch& watch)
        : places_(of.places), hardware_(watch.hardware), book_(&watch.book)
    {
        Ps changed = 0;
        for (const auto& fault : of.scenario.agent_faults) {
            const auto* change = std::get_if<scenario::SetPolicy>(&fault.what);
            if (change != nullptr && fault.device == watch.node && fault.at >= changed) {
                book_ = &change->book;
                changed = fault.at;
            }
        }
    }

    // Null: it is not watched.
    const Policy* of(std::uint32_t port, std::optional<std::uint8_t> priority) const
    {
        const auto& place = places_.ports[port];
        const bool has_row = priority ? !hardware_.slingshot
                                      : hardware_.pause_limit != Duration{} && (!hardware_.slingshot || place.nic);
        const Policy* last = nullptr;
        for (const auto& assigned : book_->assigned) {
            const auto& policy = book_->policies[assigned.policy];
            const bool of_port = policy.criterion == Criterion::pause_timeout;
            const bool names_priority = priority && (assigned.priority ? assigned.priority->value == *priority
                                                                       : (policy.priorities >> *priority & 1U) != 0);
            if (has_row && of_port != priority.has_value() && (of_port || names_priority) &&
                (!assigned.port || *assigned.port == place.end.port) && (!policy.host_facing_only || place.nic)) {
                last = &policy;
            }
        }
        return last;
    }

private:
    const Places& places_;
    const scenario::SwitchTraits& hardware_;
    const watchdog::PolicyBook* book_;
};

class PolicyOfQueue final : public Oracle {
public:
    explicit PolicyOfQueue(const Case& of) : Oracle("policy of each queue"), case_(of) {}

    void look(const Glance&, const Glance&) override {}
    void end(const Glance& last, const Ending& ending) override
    {
        for (const auto& watch : case_.scenario.watches) {
            if (last.at <= case_.disturbances.settled(watch.node) + kSettling) {
                continue;
            }
            const ConfiguredPolicies configured{case_, watch};
            for (std::uint32_t port = 0; port < last.ports.size(); ++port) {
                const auto& place = case_.places.ports[port];
                if (place.end.node != watch.node || place.queues == 0 || !ending.queues[place.first_queue].agent_runs) {
                    continue;
                }
                judge(last.at, place.name, configured.of(port, std::nullopt), last.ports[port].row.policy);
                for (auto q = place.first_queue; q < place.first_queue + place.queues; ++q) {
                    judge(last.at, case_.places.name(q), configured.of(port, case_.places.queues[q].priority),
                          last.queues[q].row.policy);
                }
            }
        }
    }

private:
    // The criterion may differ: the agent polls queues that the device cannot watch as configured.
    void judge(Ps at, const std::string& where, const Policy* configured, const PolicyFacts& used)
    {
        const bool same = configured == nullptr
                              ? !used.watched
                              : used.watched && used.detect == configured->detect &&
                                    used.restore == configured->restore && used.action == configured->action &&
                                    used.release == configured->release && used.probe == configured->probe &&
                                    used.backoff_max == configured->backoff_max &&
                                    used.latch_count == configured->latch_count;
        if (!same) {
            violated(at, where,
                     configured == nullptr
                         ? std::string{"It is watched, and no policy names it."}
                         : fmt::format("It is not watched by the last policy that names it, {}.", configured->name));
        }
    }

    const Case& case_;
};

}  // namespace

std::unique_ptr<Oracle> policy_of_each_queue(const Case& of) { return std::make_unique<PolicyOfQueue>(of); }

}  // namespace petrel::swarm
