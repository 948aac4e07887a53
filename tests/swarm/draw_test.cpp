// A draft depends only on its seed, and is a valid scenario.
#include "swarm/draw.hpp"

#include <gtest/gtest.h>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "lab/experiment.hpp"
#include "swarm/run.hpp"

namespace petrel::swarm {
namespace {

std::string complaints_text(const std::vector<Complaint>& complaints)
{
    std::string text;
    for (const auto& complaint : complaints) {
        text += to_text(complaint) + '\n';
    }
    return text;
}

scenario::Scenario drawn(std::uint64_t seed)
{
    const auto text = text_of(draw(seed));
    auto scenario = codec::read_scenario(text, "drawn.toml");
    if (!scenario) {
        ADD_FAILURE() << text << complaints_text(scenario.error());
        return {};
    }
    return std::move(*scenario);
}

TEST(Draw, GivesAScenarioThatCanBeRun)
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto experiment = lab::Experiment::make(drawn(seed));
        ASSERT_TRUE(experiment) << text_of(draw(seed)) << complaints_text(experiment.error());
    }
}

TEST(Draw, DependsOnTheSeedAlone)
{
    EXPECT_EQ(text_of(draw(7)), text_of(draw(7)));
    EXPECT_NE(text_of(draw(7)), text_of(draw(8)));
}

TEST(SwarmRun, HasTheSameDigestEachTime)
{
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto scenario = drawn(seed);
        const auto one = run(scenario);
        const auto other = run(scenario);
        ASSERT_TRUE(one && other);
        EXPECT_EQ(one->digest, other->digest) << "seed " << seed;
    }
    EXPECT_NE(run(drawn(1))->digest, run(drawn(2))->digest);
}

}  // namespace
}  // namespace petrel::swarm
