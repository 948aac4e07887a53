// A failing draft becomes small and still fails.
#include "swarm/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "swarm/campaign.hpp"
#include "swarm/draw.hpp"

namespace petrel::swarm {
namespace {

constexpr unsigned kTries = 2'000;
constexpr std::uint64_t kMostHops = 50'000;

TEST(Shrink, KeepsOnlyWhatTheFailureNeeds)
{
    const Draft draft{{{"", {{"name", "\"x\""}, {"duration", "\"777ms\""}}},
                       {"[[fault]]", {{"at", "\"123ms\""}, {"kind", "\"storm\""}}},
                       {"[[fault]]", {{"at", "\"5ms\""}, {"kind", "\"kill-agent\""}}},
                       {"[[traffic]]", {{"rate", "\"10M\""}}}}};
    const auto has_kill = [](const Draft& tried) {
        return std::ranges::any_of(tried.tables, [](const DraftTable& table) {
            const auto* kind = table.find("kind");
            return kind != nullptr && *kind == "\"kill-agent\"";
        });
    };
    EXPECT_EQ(text_of(shrink(draft, has_kill, kTries)), "\n[[fault]]\nkind = \"kill-agent\"\n");
}

TEST(Shrink, RoundsNumbersAndLeavesNamesAlone)
{
    const Draft draft{{{"", {{"duration", "\"777ms\""}, {"host", "\"h3\""}}}}};
    const auto whole = [](const Draft& tried) {
        return tried.tables.size() == 1 && tried.tables.front().find("duration") != nullptr &&
               tried.tables.front().find("host") != nullptr && *tried.tables.front().find("duration") >= "\"50ms\"";
    };
    EXPECT_EQ(text_of(shrink(draft, whole, kTries)), "duration = \"700ms\"\nhost = \"h3\"\n");
}

TEST(Shrink, StopsAfterSoManyTries)
{
    unsigned tries = 0;
    const auto counted = [&](const Draft&) {
        ++tries;
        return false;
    };
    shrink(draw(3), counted, 7);
    EXPECT_EQ(tries, 7U);
}

TEST(Shrink, TheCauseIsTheLawAndTheWayItIsBroken)
{
    const Violation early{"early detection", 5, "s0:Ethernet0:3", "Paused for 15.000 ms; T0 is 20.000 ms."};
    auto other = early;
    other.at = 7;
    other.where = "s0:Ethernet1:3";
    other.what = "Paused for 1.250 ms; T0 is 4.000 ms.";
    EXPECT_TRUE(same_cause(early, other));
    other.what = "Not paused.";
    EXPECT_FALSE(same_cause(early, other));
    other = early;
    other.oracle = "action rate";
    EXPECT_FALSE(same_cause(early, other));
}

// Without headroom an incast loses frames where nothing is treated. The storm, the restart and the policy have nothing
// to do with it.
TEST(Shrink, MakesAPlantedViolationSmall)
{
    const std::string oracle = "loss outside treated sites";
    const auto fails = [&](const Draft& tried) {
        const auto violations = run(tried, kMostHops).violations;
        return std::ranges::find(violations, oracle, &Violation::oracle) != violations.end();
    };
    Draft draft{
        {{"", {{"name", "\"planted\""}, {"duration", "\"200ms\""}, {"seed", "7"}}},
         {"[topology]",
          {{"kind", "\"single-switch\""}, {"hosts", "5"}, {"host_links", "{ speed = \"1G\", delay = \"20us\" }"}}},
         {"[[switch]]", {{"limit", "\"20kB\""}, {"headroom", "0"}, {"pipeline", "\"1us\""}}},
         {"[[policy]]", {{"preset", "\"sai\""}, {"detect_ms", "66"}}},
         {"[[traffic]]", {{"pattern", "\"permutation\""}, {"rate", "\"10M\""}, {"dscp", "4"}}},
         {"[[traffic]]", {{"pattern", "\"incast\""}, {"to", "\"h0\""}, {"packets", "321"}}},
         {"[[fault]]", {{"at", "\"90ms\""}, {"kind", "\"storm\""}, {"host", "\"h1\""}, {"until", "\"160ms\""}}},
         {"[[fault]]", {{"at", "\"99ms\""}, {"kind", "\"kill-agent\""}, {"device", "\"s0\""}}},
         {"[[fault]]", {{"at", "\"111ms\""}, {"kind", "\"start-agent\""}, {"device", "\"s0\""}}}}};
    ASSERT_TRUE(fails(draft));
    const auto small = shrink(draft, fails, kTries);
    EXPECT_TRUE(fails(small));
    std::vector<std::string> headings;
    for (const auto& table : small.tables) {
        headings.push_back(table.heading);
    }
    EXPECT_EQ(headings, (std::vector<std::string>{"", "[topology]", "[[switch]]", "[[traffic]]"})) << text_of(small);
}

}  // namespace
}  // namespace petrel::swarm
