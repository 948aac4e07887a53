// A scenario as text: every kind of fault, policy and expectation has its sentence.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "reports/scenario_text.hpp"
#include "support/golden.hpp"

namespace petrel::reports {
namespace {

std::string story(std::string_view file)
{
    const auto scenario = codec::read_scenario(petrel::test::content(petrel::test::golden("report") / file), file);
    if (!scenario) {
        ADD_FAILURE() << to_text(scenario.error().front());
        return {};
    }
    return fmt::format("{}\n", fmt::join(explain(*scenario), "\n"));
}

TEST(ScenarioText, EveryPartHasASentence)
{
    petrel::test::expect_golden(petrel::test::golden("report/words.txt"), story("words.toml"));
}

TEST(ScenarioText, ValuesKeepTheirSignificantDigits)
{
    EXPECT_EQ(time_text(0), "0");
    EXPECT_EQ(time_text(33'553'920'000), "33.5539 ms");
    EXPECT_EQ(time_text(1'100 * twin::kMs), "1.1 s");
    EXPECT_EQ(time_text(500), "0.5 ns");
    EXPECT_EQ(rate_text(2.5e9), "2.5 Gb/s");
    EXPECT_EQ(rate_text(64e3), "64 kb/s");
    EXPECT_EQ(size_text(1'500'000), "1.5 MB");
    EXPECT_EQ(size_text(64), "64 B");
}

}  // namespace
}  // namespace petrel::reports
