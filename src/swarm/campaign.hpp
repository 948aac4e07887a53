// Many runs of the swarm, on several cores: run i is drawn from seed + i.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "swarm/draft.hpp"
#include "swarm/run.hpp"

namespace petrel::swarm {

struct CampaignOptions {
    std::uint64_t seed{1};
    std::uint64_t runs{};
    std::optional<std::chrono::minutes> minutes;  // no run starts later than this
    unsigned jobs{};                              // runs at the same time; 0 = one per core
};

struct CampaignRun {
    std::uint64_t seed{};
    Draft draft;
    Judged judged;
};

// The command that repeats the run of a seed.
std::string command_of(std::uint64_t seed);

// The scenario of a draft, run and judged. Complaints about the scenario are one violation: of "the draw".
Judged run(const Draft&, std::uint64_t most_hops = kAnyHops);

// `told` gets the runs in the order of their seeds, one at a time, from any thread. If it returns false, no further run
// starts and none is reported.
void run_campaign(const CampaignOptions&, const std::function<bool(CampaignRun)>& told);

}  // namespace petrel::swarm
