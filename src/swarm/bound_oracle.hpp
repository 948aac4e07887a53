// What the oracles about times have in common: the bounds of a policy, and the true pauses of the queues.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "swarm/oracles.hpp"
#include "swarm/pause_history.hpp"

namespace petrel::swarm {

inline std::string ms_text(Ps time) { return fmt::format("{:.3f} ms", static_cast<double>(time) / twin::kMs); }

// With counters that are not always up to date, the looks that the agent requests read nothing new: the grid is fixed.
inline Ps gaps(const PolicyFacts& policy, const twin::SwitchProfile& profile)
{
    return in_ps(policy.poll) * (profile.flaws.refresh != 0 ? 2 : 1);
}

inline bool port_wide(watchdog::Treatment treatment)
{
    return treatment == watchdog::Treatment::lossless_off || treatment == watchdog::Treatment::squeeze;
}

// The time in which stamps that drift cover a limit.
inline Ps by_stamps(Ps limit, const twin::SwitchProfile& profile)
{
    constexpr double kMillion = 1e6;
    return static_cast<Ps>(static_cast<double>(limit) * kMillion / (kMillion + profile.flaws.drift_ppm));
}

// A clock adds times between stamps, which may drift, and pause times, which do not.
inline Ps at_most(Duration limit, const twin::SwitchProfile& profile)
{
    return std::max(in_ps(limit), by_stamps(in_ps(limit), profile));
}

// The time stamps at both ends of the limit may err.
inline Ps at_least(Duration limit, const PolicyFacts& policy, const twin::SwitchProfile& profile)
{
    const auto sure = in_ps(std::max(limit - 2 * policy.uncertainty, Duration::zero()));
    return std::min(sure, by_stamps(sure, profile));
}

class BoundOracle : public Oracle {
protected:
    BoundOracle(std::string_view name, const Case& of) : Oracle(name), case_(of), history_(of.places.queues.size()) {}

    const Places::Port& port_of(std::uint32_t q) const { return case_.places.ports[case_.places.queues[q].port]; }
    NodeId node_of(std::uint32_t q) const { return port_of(q).end.node; }
    const twin::SwitchProfile& profile_of(NodeId node) const
    {
        return case_.scenario.setup.switch_profiles[case_.scenario.setup.profile(node.value)];
    }
    const twin::SwitchProfile& profile_of(std::uint32_t q) const { return profile_of(node_of(q)); }

    const Case& case_;
    PauseHistory history_;
};

}  // namespace petrel::swarm
