// One run of the swarm: a scenario runs in the lab, and all oracles judge it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "swarm/coverage.hpp"
#include "swarm/oracle.hpp"

namespace petrel::swarm {

struct Judged {
    std::uint64_t digest{};  // of the frames and of the agents' events
    std::vector<Violation> violations;
    Coverage coverage;
    std::uint64_t packet_hops{};
};

inline constexpr std::uint64_t kAnyHops = UINT64_MAX;

// Fails with complaints if the scenario cannot be run. A run that takes more packet hops than `most_hops` is given up:
// it has no violations.
Parsed<Judged> run(const scenario::Scenario&, std::uint64_t most_hops = kAnyHops);

}  // namespace petrel::swarm
