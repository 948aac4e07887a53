// The link-down reasons at both ends of a link, and what a sweeping manager logs about it.
#include "lab/link_log.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "lab/experiment_from_text.hpp"
#include "reports/link_text.hpp"
#include "support/golden.hpp"

namespace petrel::lab {
namespace {

using scenario::LinkEndStory;
using scenario::LinkStory;
using test::experiment;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using twin::kMs;

constexpr twin::NodeId kHost{0};
constexpr twin::NodeId kSwitch{2};

// Two hosts on s0, with traffic both ways.
constexpr std::string_view kPair = R"(
name = "pair"
duration = "200ms"

[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G" }

[[traffic]]
pattern = "permutation"
shift = 1
rate = "10M"
)";

std::unique_ptr<Experiment> pair_with(std::string_view more, unsigned threads = 1)
{
    return experiment(std::string{kPair} + std::string{more}, threads);
}

std::unique_ptr<Experiment> from_file(const std::string& name)
{
    const auto folder = std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "scenarios";
    return experiment(test::content(folder / name));
}

std::vector<LinkStory> stories_at(Experiment& experiment, twin::Ps end)
{
    experiment.run_until(end);
    return experiment.summary().links;
}

// LinkDownReason and the neighbour's, of the switch (A) and then of the NIC (B).
using Pair = std::pair<unsigned, unsigned>;
Pair pair_of(const LinkEndStory& end) { return {end.reading.registers.ldr, end.reading.registers.nldr}; }

std::pair<Pair, Pair> registers(const LinkStory& story)
{
    EXPECT_EQ(story.ends[1].port.substr(0, 3), "s0:");
    return {pair_of(story.ends[1]), pair_of(story.ends[0])};
}

std::vector<Pair> logged(const LinkEndStory& end)
{
    std::vector<Pair> pairs;
    for (const auto& event : end.history) {
        pairs.emplace_back(event.ldr, event.nldr);
    }
    return pairs;
}

TEST(LinkLog, FiveWaysToGoDownShowFivePairs)
{
    const auto run = from_file("link-down-reasons.toml");
    const auto links = stories_at(*run, run->scenario().duration);
    ASSERT_EQ(links.size(), 5U);  // the sixth link stays up
    EXPECT_EQ(registers(links[0]), (std::pair{Pair{39, 0}, Pair{0, 39}}));
    EXPECT_EQ(registers(links[1]), (std::pair{Pair{41, 32}, Pair{32, 41}}));
    EXPECT_EQ(registers(links[2]), (std::pair{Pair{33, 0}, Pair{36, 0}}));
    EXPECT_EQ(registers(links[3]), (std::pair{Pair{36, 0}, Pair{36, 0}}));
    EXPECT_EQ(registers(links[4]), (std::pair{Pair{0, 0}, Pair{36, 0}}));
    for (const auto& link : links) {
        for (const auto& end : link.ends) {
            EXPECT_EQ(end.reading.state, link::LinkState::init) << end.port;
            EXPECT_THAT(end.history, IsEmpty()) << end.port;
        }
    }
}

TEST(LinkLog, ShowsTheLastEightOfTenDowns)
{
    const auto run = from_file("link-history.toml");
    const auto links = stories_at(*run, run->scenario().duration);
    ASSERT_EQ(links.size(), 1U);
    const auto& [nic, port] = links[0].ends;
    EXPECT_THAT(logged(port), ElementsAre(Pair{18, 0}, Pair{18, 0}, Pair{39, 0}, Pair{0, 35}, Pair{61, 0}, Pair{36, 0},
                                          Pair{40, 0}, Pair{41, 32}));
    EXPECT_THAT(logged(nic), ElementsAre(Pair{0, 18}, Pair{0, 18}, Pair{0, 39}, Pair{35, 0}, Pair{0, 61}, Pair{36, 0},
                                         Pair{36, 0}, Pair{32, 41}));
    for (const auto& end : links[0].ends) {
        EXPECT_EQ(end.reading.registers, (link::Registers{0, 0, 10})) << end.port;
        EXPECT_EQ(end.reading.state, link::LinkState::active) << end.port;
        EXPECT_EQ(end.history.front().seq, 3U);
        EXPECT_EQ(end.history.back().seq, 10U);
    }
}

constexpr std::string_view kLongDown = R"(
[manager]

[[fault]]
at = "25ms"
kind = "link-down"
port = "s0:Ethernet0"
reason = 20

[[fault]]
at = "95ms"
kind = "link-up"
port = "s0:Ethernet0"
)";

TEST(LinkLog, ANicIsReadWhenItsLinkIsUpASwitchAtOnce)
{
    const auto run = pair_with(kLongDown);
    auto links = stories_at(*run, 90 * kMs);
    ASSERT_EQ(links.size(), 1U);
    ASSERT_EQ(links[0].ends[1].history.size(), 1U);
    EXPECT_EQ(links[0].ends[1].history[0].event_at.time_since_epoch(), std::chrono::milliseconds{25});
    EXPECT_EQ(links[0].ends[1].history[0].observed_at.time_since_epoch(), std::chrono::milliseconds{30});
    EXPECT_THAT(links[0].ends[0].history, IsEmpty());
    EXPECT_EQ(registers(links[0]), (std::pair{Pair{20, 0}, Pair{0, 20}}));
    EXPECT_FALSE(links[0].ends[0].available) << "the NIC is behind the link that is down";
    EXPECT_TRUE(links[0].ends[1].available);
    EXPECT_THAT(reports::links_text(links), ContainsRegex("h0:eth0 .* unavailable +unavailable "));

    links = stories_at(*run, 105 * kMs);  // the sweep at 100 ms arms
    EXPECT_TRUE(links[0].ends[0].available);
    EXPECT_THAT(reports::links_text(links), Not(HasSubstr("unavailable")));
    ASSERT_EQ(links[0].ends[0].history.size(), 1U);
    EXPECT_EQ(links[0].ends[0].history[0].observed_at.time_since_epoch(), std::chrono::milliseconds{100});
    EXPECT_EQ(links[0].ends[0].reading.state, link::LinkState::armed);
    EXPECT_EQ(registers(links[0]), (std::pair{Pair{0, 0}, Pair{0, 0}}));
    links = stories_at(*run, 115 * kMs);
    EXPECT_EQ(links[0].ends[0].reading.state, link::LinkState::active);
    EXPECT_EQ(links[0].ends[1].reading.state, link::LinkState::active);
}

// Without a manager the first reason stays in the registers. The traffic of the fabric is the same.
TEST(LinkLog, WatchingChangesNothingForAnyNumberOfThreads)
{
    constexpr std::string_view kTwice = R"(
[[fault]]
at = "25ms"
kind = "bounce"
port = "s0:Ethernet0"

[[fault]]
at = "75ms"
kind = "bounce"
port = "h0"
reason = 35
)";
    const auto alone = pair_with(kTwice);
    const auto links = stories_at(*alone, 200 * kMs);
    EXPECT_EQ(registers(links.at(0)), (std::pair{Pair{39, 0}, Pair{0, 39}}));
    EXPECT_EQ(links[0].ends[0].reading.suppressed, 1U);
    for (const unsigned threads : {1U, 2U}) {
        const auto watched = pair_with(std::string{kTwice} + "[manager]\nsweep = \"3ms\"\n", threads);
        const auto seen = stories_at(*watched, 200 * kMs);
        EXPECT_THAT(logged(seen.at(0).ends[1]), ElementsAre(Pair{39, 0}, Pair{0, 35}));
        EXPECT_EQ(watched->twin().totals().digest, alone->twin().totals().digest);
    }
}

TEST(LinkLog, ALinkThatFlapsTooOftenIsNotArmedAnyMore)
{
    const auto flaps = [](std::string_view times) {
        return fmt::format(
            "[manager]\nsweep = \"1ms\"\n[[fault]]\nat = \"1ms\"\nkind = \"flap\"\nport = \"s0:Ethernet0\"\n"
            "down = \"2ms\"\nup = \"3ms\"\ntimes = {}\n",
            times);
    };
    const auto often = pair_with(flaps("24"));
    EXPECT_EQ(stories_at(*often, 200 * kMs).at(0).ends[1].reading.state, link::LinkState::active);
    const auto too_often = pair_with(flaps("25"));
    EXPECT_EQ(stories_at(*too_often, 200 * kMs).at(0).ends[1].reading.state, link::LinkState::init);
}

// 65,535 quanta last 33.5 ms at 1 Gb/s; the next pause frame comes after 30 ms.
TEST(LinkLog, APauseDoesNotSurviveALinkThatWentDown)
{
    constexpr std::string_view kStorm = R"(
[[fault]]
at = "10ms"
kind = "storm"
host = "h0"
period = "30ms"
)";
    constexpr std::string_view kBounce = R"(
[[fault]]
at = "15ms"
kind = "bounce"
port = "s0:Ethernet0"
down = "2ms"
)";
    const auto paused = [](Experiment& run, twin::Ps at) {
        run.run_until(at);
        return run.twin().switch_view(kSwitch).queue(0, 3, at).paused;
    };
    const auto calm = pair_with(kStorm);
    EXPECT_TRUE(paused(*calm, 12 * kMs));
    EXPECT_TRUE(paused(*calm, 20 * kMs));
    const auto bounced = pair_with(std::string{kStorm} + std::string{kBounce});
    EXPECT_TRUE(paused(*bounced, 14 * kMs));
    EXPECT_FALSE(paused(*bounced, 18 * kMs));
    EXPECT_TRUE(bounced->twin().nic_view(kHost).link_up());
    EXPECT_FALSE(paused(*bounced, 39 * kMs));
    EXPECT_TRUE(paused(*bounced, 41 * kMs));  // the next pause frame pauses the queue again
}

}  // namespace
}  // namespace petrel::lab
