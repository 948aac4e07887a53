// Values with units: converted exactly, or refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "codec/scenario/values.hpp"

namespace petrel::codec {
namespace {

TEST(ScenarioValues, Exact)
{
    EXPECT_EQ(time_in_ps("20ms"), 20'000'000'000U);
    EXPECT_EQ(time_in_ps("3us"), 3'000'000U);
    EXPECT_EQ(time_in_ps("1.5us"), 1'500'000U);
    EXPECT_EQ(time_in_ps("0.001ns"), 1U);
    EXPECT_EQ(time_in_ps("0s"), 0U);
    EXPECT_EQ(time_in_ps("10080min"), kLongestTimePs);
    EXPECT_EQ(rate_in_bps("100G"), 100'000'000'000U);
    EXPECT_EQ(rate_in_bps("2.5G"), 2'500'000'000U);
    EXPECT_EQ(size_in_bytes("12MiB"), 12U << 20U);
    EXPECT_EQ(size_in_bytes("1kB"), 1'000U);
    EXPECT_EQ(size_in_bytes("64B"), 64U);
}

TEST(ScenarioValues, Refused)
{
    for (const auto* text : {"", "ms", "20", "20 ms", "-1ms", "1..2ms", "1.2.3ms", ".5ms", "5.ms", "0.0001ns", "1e3ms",
                             "10081min", "99999999999999999999s", "0.0000000000000000000000001s", "20Ms"}) {
        EXPECT_EQ(time_in_ps(text), std::nullopt) << text;
    }
    EXPECT_EQ(rate_in_bps("100g"), std::nullopt);
    EXPECT_EQ(rate_in_bps("0.5"), std::nullopt);
    EXPECT_EQ(size_in_bytes("0.5B"), std::nullopt);
}

RC_GTEST_PROP(ScenarioValues, UnitsAreEquivalent, ())
{
    const auto us = *rc::gen::inRange<std::uint64_t>(0, 1'000'000'000);
    RC_ASSERT(time_in_ps(fmt::format("{}us", us)) == us * 1'000'000);
    RC_ASSERT(time_in_ps(fmt::format("{}.{:06}s", us / 1'000'000, us % 1'000'000)) == us * 1'000'000);
}

}  // namespace
}  // namespace petrel::codec
