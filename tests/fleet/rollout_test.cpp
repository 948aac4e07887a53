// Which agents get a command, and when a roll-out stops.
#include "fleet/rollout.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace petrel::fleet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using State = Rollout::State;

std::vector<std::string> agents(std::size_t count)
{
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= count; ++i) {
        names.push_back(fmt::format("leaf{}", i));
    }
    return names;
}

Instant at(Duration since_start) { return Instant{since_start}; }

class CanaryTest : public testing::Test {
protected:
    void succeed(const std::vector<std::string>& wave)
    {
        for (const auto& agent : wave) {
            rollout.result(agent, CommandState::done);
        }
    }

    Rollout rollout{{agents(5), 2, 40, 10s}};
};

TEST(Waves, AreTheCanaryAndThenEqualShares)
{
    EXPECT_THAT(waves({agents(5), 2, 40, 10s}),
                ElementsAre(ElementsAre("leaf1", "leaf2"), ElementsAre("leaf3", "leaf4"), ElementsAre("leaf5")));
    EXPECT_THAT(waves({agents(3), 1, 1, 10s}),
                ElementsAre(ElementsAre("leaf1"), ElementsAre("leaf2"), ElementsAre("leaf3")));
    EXPECT_EQ(waves({agents(500), 2, 10, 10s}).size(), 11U);
    EXPECT_EQ(waves({agents(500)}).size(), 1U);
    EXPECT_THAT(waves({}), IsEmpty());
}

TEST_F(CanaryTest, EachWaveWaitsForTheOneBeforeAndIsWatched)
{
    const auto first = rollout.next(at(0s));
    EXPECT_THAT(first, ElementsAre("leaf1", "leaf2"));
    rollout.result("leaf1", CommandState::done);
    EXPECT_THAT(rollout.next(at(100s)), IsEmpty());
    EXPECT_EQ(rollout.wake(), kNever);
    rollout.result("leaf2", CommandState::done);
    EXPECT_THAT(rollout.next(at(101s)), IsEmpty());
    EXPECT_EQ(rollout.wake(), at(111s));
    EXPECT_THAT(rollout.next(at(110s)), IsEmpty());
    const auto second = rollout.next(at(111s));
    EXPECT_THAT(second, ElementsAre("leaf3", "leaf4"));
    succeed(second);
    EXPECT_THAT(rollout.next(at(112s)), IsEmpty());
    succeed(rollout.next(at(122s)));
    EXPECT_TRUE(rollout.reached("leaf5"));
    EXPECT_EQ(rollout.state(), State::running);
    EXPECT_THAT(rollout.next(at(123s)), IsEmpty());
    EXPECT_EQ(rollout.state(), State::done);
}

TEST_F(CanaryTest, TheFirstAlarmStopsIt)
{
    succeed(rollout.next(at(0s)));
    rollout.next(at(1s));
    rollout.alarm("leaf2:Ethernet4:3 is in a storm");
    rollout.alarm("and another one");
    EXPECT_EQ(rollout.state(), State::stopped);
    EXPECT_EQ(rollout.why(), "leaf2:Ethernet4:3 is in a storm");
    EXPECT_THAT(rollout.next(at(60s)), IsEmpty());
    EXPECT_FALSE(rollout.reached("leaf3"));
}

TEST_F(CanaryTest, ACommandThatFailsOrHasNoResultIsAnAlarm)
{
    for (const auto state : {CommandState::failed, CommandState::expired}) {
        Rollout one{{agents(5), 2, 40, 10s}};
        one.next(at(0s));
        one.result("leaf2", state);
        EXPECT_EQ(one.state(), State::stopped);
        EXPECT_THAT(one.why(), testing::StartsWith("leaf2: the command "));
    }
}

TEST_F(CanaryTest, AfterTheLastWaveThereIsNothingToStop)
{
    succeed(rollout.next(at(0s)));
    rollout.next(at(0s));
    succeed(rollout.next(at(10s)));
    rollout.next(at(10s));
    EXPECT_THAT(rollout.next(at(20s)), ElementsAre("leaf5"));
    rollout.alarm("leaf1:Ethernet4:3 is in a storm");
    rollout.result("leaf5", CommandState::failed);
    rollout.next(at(21s));
    EXPECT_EQ(rollout.state(), State::done);
}

TEST(WithoutACanary, AllGetItAtOnceAndEachHasItsOwnResult)
{
    Rollout rollout{{agents(3)}};
    EXPECT_THAT(rollout.next(at(0s)), ElementsAre("leaf1", "leaf2", "leaf3"));
    rollout.result("leaf1", CommandState::failed);
    rollout.result("leaf2", CommandState::expired);
    rollout.next(at(1s));
    EXPECT_EQ(rollout.state(), State::running);
    rollout.result("leaf3", CommandState::done);
    rollout.next(at(2s));
    EXPECT_EQ(rollout.state(), State::done);
}

TEST(AfterARestart, ItGoesOnWhereItWas)
{
    const RolloutPlan plan{agents(5), 2, 40, 10s};
    Rollout rollout{plan, {{"leaf1", CommandState::done}, {"leaf2", CommandState::waiting}}};
    EXPECT_THAT(rollout.next(at(0s)), IsEmpty());
    rollout.result("leaf2", CommandState::done);
    EXPECT_THAT(rollout.next(at(1s)), IsEmpty());
    EXPECT_THAT(rollout.next(at(11s)), ElementsAre("leaf3", "leaf4"));

    Rollout failed{plan, {{"leaf1", CommandState::failed}, {"leaf2", CommandState::done}}};
    EXPECT_EQ(failed.state(), State::stopped);
    Rollout single{{agents(2)}, {{"leaf1", CommandState::failed}, {"leaf2", CommandState::done}}};
    single.next(at(0s));
    EXPECT_EQ(single.state(), State::done);
}

}  // namespace
}  // namespace petrel::fleet
