// Commands for agents in the manager: who gets them, what is stored, and what a restart keeps.
#include "manager/commands.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manager/manager.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::manager {
namespace {

using namespace std::chrono_literals;
using fleet::CommandState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using State = fleet::Rollout::State;

constexpr auto kGood = R"({"ok":true,"order":{"words":[]}})";
constexpr auto kBad = R"({"ok":false,"error":{"kind":"invalid","what":"no"}})";

Now at(Duration since_start)
{
    return {Instant{since_start}, WallTime{1'000'000s + std::chrono::floor<std::chrono::microseconds>(since_start)}};
}

fleet::Order red_switch_on()
{
    fleet::Order order;
    order.request = R"({"command":"red-switch","state":"on"})";
    order.what = "red-switch on";
    order.selection.all = true;
    return order;
}

class CommandsTest : public testing::Test {
protected:
    CommandsTest() : manager_(start()) {}

    Manager start() const { return Manager::start(Store::open(folder_ / "manager.db").value()).value(); }
    void restart()
    {
        manager_ = Manager::start(Store::open(folder_ / "other.db").value()).value();  // closes the file
        manager_ = start();
    }

    Commands& commands() { return manager_.commands(); }
    std::uint64_t order(const fleet::Order& order, std::vector<std::string> agents, Now now)
    {
        const auto id = commands().order(order, std::move(agents), "ann", now, troubles());
        EXPECT_TRUE(manager_.commit());
        return id;
    }
    void answer(const std::string& agent, std::uint64_t id, bool good, Now now)
    {
        commands().result(agent, {id, good, good ? kGood : kBad}, now);
        advance(now);
    }
    void advance(Now now)
    {
        commands().advance(now, troubles());
        EXPECT_TRUE(manager_.commit());
    }
    Commands::Troubles troubles()
    {
        return [this](const std::string& agent) { return troubles_[agent]; };
    }
    std::uint64_t waiting(const std::string& agent, Now now)
    {
        const auto all = commands().waiting_for(agent, now.wall);
        return all.empty() ? 0 : all.front().id;
    }

    test::TemporaryFolder folder_;
    Manager manager_;
    std::map<std::string, std::set<std::string>> troubles_;
};

TEST_F(CommandsTest, AnAgentGetsACommandOnlyWhenItIsStored)
{
    const auto id = commands().order(red_switch_on(), {"leaf1"}, "ann", at(0s), troubles());
    EXPECT_THAT(commands().waiting_for("leaf1", at(0s).wall), IsEmpty());
    EXPECT_TRUE(manager_.commit());
    const auto waiting = commands().waiting_for("leaf1", at(10s).wall);
    ASSERT_THAT(waiting, SizeIs(1));
    EXPECT_EQ(waiting[0].by, "ann");
    EXPECT_EQ(waiting[0].within, 20s);
    EXPECT_THAT(waiting[0].request, HasSubstr("red-switch"));
    EXPECT_GT(waiting[0].id, id);
    EXPECT_THAT(commands().waiting_for("leaf2", at(0s).wall), IsEmpty());
}

TEST_F(CommandsTest, AResultCountsOnceAndOnlyFromItsAgent)
{
    const auto id = order(red_switch_on(), {"leaf1", "leaf2"}, at(0s));
    const auto command = waiting("leaf1", at(0s));
    answer("leaf2", command, false, at(1s));
    answer("leaf1", command, true, at(1s));
    answer("leaf1", command, false, at(2s));
    const auto shown = commands().show(id).value();
    ASSERT_THAT(shown.commands, SizeIs(2));
    EXPECT_EQ(shown.commands[0].state, CommandState::done);
    EXPECT_EQ(shown.commands[0].answer, kGood);
    EXPECT_EQ(shown.commands[1].state, CommandState::waiting);
    EXPECT_EQ(shown.state, State::running);
    answer("leaf2", waiting("leaf2", at(2s)), true, at(2s));
    EXPECT_EQ(commands().show(id)->state, State::done);
    EXPECT_EQ(waiting("leaf2", at(2s)), 0U);
}

TEST_F(CommandsTest, AfterTheDeadlineACommandIsNotSentAndALateResultStillCounts)
{
    const auto id = order(red_switch_on(), {"leaf1"}, at(0s));
    const auto command = waiting("leaf1", at(0s));
    EXPECT_EQ(waiting("leaf1", at(30s)), 0U);
    advance(at(35s));
    EXPECT_EQ(commands().show(id)->state, State::running) << "a result may be on its way";
    advance(at(36s));
    EXPECT_EQ(commands().show(id)->commands[0].state, CommandState::expired);
    EXPECT_EQ(commands().show(id)->state, State::done);
    answer("leaf1", command, true, at(40s));
    EXPECT_EQ(commands().show(id)->commands[0].state, CommandState::done);
}

TEST_F(CommandsTest, ACanaryStopsAtANewTrouble)
{
    auto careful = red_switch_on();
    careful.canary = 1;
    careful.watch = 10s;
    troubles_["leaf1"] = {"leaf1:Ethernet0 is in error"};
    const auto id = order(careful, {"leaf1", "leaf2"}, at(0s));
    answer("leaf1", waiting("leaf1", at(0s)), true, at(1s));
    advance(at(5s));
    EXPECT_EQ(commands().show(id)->state, State::running) << "this trouble was there before";
    troubles_["leaf1"].insert("leaf1:Ethernet4 is in error");
    advance(at(6s));
    EXPECT_EQ(commands().show(id)->state, State::stopped);
    EXPECT_EQ(commands().show(id)->why, "leaf1:Ethernet4 is in error");
    advance(at(60s));
    EXPECT_FALSE(commands().show(id)->commands[1].sent);
}

TEST_F(CommandsTest, ARestartGoesOn)
{
    auto careful = red_switch_on();
    careful.canary = 1;
    careful.watch = 10s;
    const auto id = order(careful, {"leaf1", "leaf2"}, at(0s));
    const auto first = waiting("leaf1", at(0s));
    restart();
    EXPECT_EQ(waiting("leaf1", at(1s)), first);
    answer("leaf1", first, true, at(1s));
    restart();
    EXPECT_EQ(waiting("leaf1", at(2s)), 0U);
    advance(at(2s));
    advance(at(12s));
    const auto second = waiting("leaf2", at(12s));
    EXPECT_GT(second, first);
    answer("leaf2", second, false, at(13s));
    restart();
    const auto shown = commands().show(id).value();
    EXPECT_EQ(shown.state, State::done);
    EXPECT_EQ(shown.commands[1].state, CommandState::failed);
    EXPECT_EQ(shown.commands[1].answer, kBad);
    std::vector<std::string> audit;
    const auto entries = manager_.store().audit(100).value();
    for (const auto& entry : entries) {
        audit.push_back(fmt::format("{} {} {}", entry.who, entry.what, entry.on));
    }
    EXPECT_THAT(audit, ElementsAre("manager command_end red-switch on", "leaf2 command_result red-switch on",
                                   "leaf1 command_result red-switch on", "ann command red-switch on"));
}

TEST_F(CommandsTest, WhatOnlyReadsIsNeitherStoredNorInTheAudit)
{
    fleet::Order status;
    status.request = R"({"command":"status"})";
    status.reads = true;
    const auto id = order(status, {"leaf1"}, at(0s));
    answer("leaf1", waiting("leaf1", at(0s)), true, at(1s));
    EXPECT_EQ(commands().show(id)->commands[0].answer, kGood);
    EXPECT_THAT(manager_.store().audit(100).value(), IsEmpty());
    EXPECT_THAT(manager_.store().rollouts().value(), IsEmpty());
    for (int i = 0; i != 5; ++i) {
        order(status, {"leaf1"}, at(2s));
    }
    EXPECT_FALSE(commands().show(id)) << "answers of reads are kept for a few of them";
    EXPECT_THAT(commands().list(100), IsEmpty());
}

TEST_F(CommandsTest, OldOrdersAreForgotten)
{
    std::uint64_t first = 0;
    for (std::size_t i = 0; i != Commands::kRolloutsKept + 2; ++i) {
        const auto id = commands().order(red_switch_on(), {"leaf1"}, "ann", at(0s), troubles());
        first = first == 0 ? id : first;
        const auto shown = commands().show(id).value();
        for (const auto& command : shown.commands) {
            EXPECT_EQ(command.state, CommandState::waiting);
        }
        commands().stored();
        answer("leaf1", waiting("leaf1", at(0s)), true, at(0s));
    }
    EXPECT_FALSE(commands().show(first));
    EXPECT_THAT(commands().list(5000), SizeIs(Commands::kRolloutsKept));
}

}  // namespace
}  // namespace petrel::manager
