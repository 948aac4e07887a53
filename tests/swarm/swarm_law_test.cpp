// The laws hold in every drawn run. A violation is printed with the command that repeats it.
#include <gtest/gtest.h>

#include "swarm/campaign.hpp"

#ifndef PETREL_SWARM_RUNS
#define PETREL_SWARM_RUNS 300
#endif

namespace petrel::swarm {
namespace {

TEST(Swarm, HoldsTheLaws)
{
    CampaignOptions options;
    options.runs = PETREL_SWARM_RUNS;
    std::uint64_t runs = 0;
    Coverage coverage;
    run_campaign(options, [&](const CampaignRun& run) {
        ++runs;
        coverage.add(run.judged.coverage);
        for (const auto& violation : run.judged.violations) {
            ADD_FAILURE() << violation.oracle << " at " << violation.at / twin::kMs << " ms, " << violation.where
                          << ": " << violation.what << "\n  " << command_of(run.seed);
        }
        return true;
    });
    EXPECT_EQ(runs, options.runs);
    EXPECT_GE(coverage.covered(), 100U) << "too few faults met agents in too few states";
}

TEST(Swarm, TellsRunsInOrderWhateverTheJobs)
{
    std::vector<std::vector<std::uint64_t>> digests;
    for (const auto jobs : {1U, 3U}) {
        auto& told = digests.emplace_back();
        CampaignOptions options;
        options.seed = 40;
        options.runs = 20;
        options.jobs = jobs;
        run_campaign(options, [&](const CampaignRun& run) {
            EXPECT_EQ(run.seed, 40 + told.size());
            told.push_back(run.judged.digest);
            return true;
        });
    }
    EXPECT_EQ(digests[0].size(), 20U);
    EXPECT_EQ(digests[0], digests[1]);
}

TEST(Swarm, StopsWhenTheCallbackReturnsFalse)
{
    CampaignOptions options;
    options.runs = 100;
    options.jobs = 2;
    std::uint64_t runs = 0;
    run_campaign(options, [&](const CampaignRun&) { return ++runs < 5; });
    EXPECT_EQ(runs, 5U);
}

}  // namespace
}  // namespace petrel::swarm
