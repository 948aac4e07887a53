// Many runs at once: results are reported in their order, and a run that cannot be started does not stop the others.
#include <gtest/gtest.h>

#include "lab/pool.hpp"

namespace petrel::lab {
namespace {

constexpr auto kTwoHosts = R"(name = "x"
duration = "100ms"
[parameters]
stop = "1us"
detected_by = "petrel"
[topology]
kind = "single-switch"
hosts = 2
[[traffic]]
name = "data"
from = "h0"
to = "h1"
stop = "${stop}"
[[policy]]
preset = "sai"
detected_by = "${detected_by}"
[[expect]]
kind = "traffic"
item = "data"
delivered = "<= 1000"
[[expect]]
kind = "drops"
frames = 0
)";

struct ReportedRun {
    std::string label;
    bool made{};
    bool failed{};
    std::uint64_t digest{};
    std::string problems;
};

std::vector<ReportedRun> run_pool(const PlanOptions& plan, unsigned jobs)
{
    const auto runs = plan_runs(plan, {kTwoHosts});
    EXPECT_TRUE(runs);
    std::vector<ReportedRun> all;
    run_all(runs.value(), {.jobs = jobs}, [&](const PlannedRun& planned, const RunDone& done) {
        all.push_back({planned.label(), done.outcome.has_value(), done.failed(),
                       done.outcome ? done.outcome->summary.totals.digest : 0, done.problems});
    });
    return all;
}

PlanOptions swept(const std::string& sweep)
{
    PlanOptions plan;
    plan.files = {"x.toml"};
    plan.sweeps = {sweep};
    return plan;
}

// The first run takes a thousand times as long as the others.
TEST(LabPool, RunsAreReportedInOrder)
{
    const auto one = run_pool(swept("stop=2ms,1us,2us,3us,4us,5us"), 1);
    const auto four = run_pool(swept("stop=2ms,1us,2us,3us,4us,5us"), 4);
    ASSERT_EQ(one.size(), 6U);
    ASSERT_EQ(four.size(), 6U);
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].label, four[i].label);
        EXPECT_EQ(one[i].digest, four[i].digest);
        EXPECT_EQ(four[i].failed, i == 0) << four[i].label;
    }
    EXPECT_EQ(four[0].label, "x.toml stop=2ms seed 1");
    EXPECT_EQ(four[5].label, "x.toml stop=5us seed 1");
    EXPECT_NE(four[1].digest, four[2].digest);
}

TEST(LabPool, UsesAllCoresByDefault) { EXPECT_EQ(run_pool(swept("stop=1us,2us,3us"), 0).size(), 3U); }

// The switch has no hardware detector that this policy could use.
TEST(LabPool, ReportsARunThatCannotStart)
{
    const auto reported = run_pool(swept("detected_by=petrel,device,petrel"), 2);
    ASSERT_EQ(reported.size(), 3U);
    EXPECT_TRUE(reported[0].made);
    EXPECT_FALSE(reported[0].failed);
    EXPECT_EQ(reported[0].problems, "");
    EXPECT_FALSE(reported[1].made);
    EXPECT_TRUE(reported[1].failed);
    EXPECT_EQ(reported[1].problems.substr(0, 6), "  x: s");
    EXPECT_TRUE(reported[2].made);
}

TEST(LabPool, StopsAtTheEndOfThePlan)
{
    auto plan = swept("stop=2ms,3ms");
    plan.until = "1us";
    for (const auto& reported : run_pool(plan, 1)) {
        EXPECT_FALSE(reported.failed) << "what is expected at the end is not reached";
    }
}

}  // namespace
}  // namespace petrel::lab
