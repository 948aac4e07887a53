// An agent executes each command of its manager exactly once.
#include "uplink/command_inbox.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <vector>

namespace petrel::uplink {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Instant at(Duration since_start) { return Instant{since_start}; }
ManagerCommand command(std::uint64_t id, Duration within = 10s) { return {id, "ann", "{}", within}; }

TEST(CommandInbox, ExecutesInTheOrderOfIdsOneAtATime)
{
    CommandInbox inbox;
    inbox.take({command(8), command(7)}, at(0s), 0s);
    EXPECT_EQ(inbox.begin(at(1s))->command.id, 7U);
    EXPECT_EQ(inbox.record().under_way, 7U);
    EXPECT_FALSE(inbox.begin(at(1s)));
    inbox.finish("seven");
    EXPECT_EQ(inbox.begin(at(1s))->command.id, 8U);
    EXPECT_THAT(inbox.results(), ElementsAre(CommandResult{7, "seven"}));
}

TEST(CommandInbox, ACommandThatComesAgainIsAnsweredAgainAndNotExecuted)
{
    CommandInbox inbox;
    inbox.take({command(7)}, at(0s), 0s);
    inbox.begin(at(0s));
    inbox.take({command(7)}, at(0s), 0s);
    inbox.finish("seven");
    const auto sent = inbox.results();
    inbox.delivered(sent);
    EXPECT_THAT(inbox.results(), IsEmpty());
    inbox.take({command(7), command(3)}, at(1s), 0s);
    EXPECT_FALSE(inbox.begin(at(1s)));
    EXPECT_THAT(inbox.results(), ElementsAre(testing::Field(&CommandResult::answer, testing::HasSubstr("not kept")),
                                             CommandResult{7, "seven"}));
}

TEST(CommandInbox, TimeCountsFromTheRequestAndTheManagersOwnDelayIsFree)
{
    CommandInbox inbox;
    inbox.take({command(7, 10s)}, at(0s), 20s);
    inbox.take({command(8, 10s)}, at(0s), 0s);
    EXPECT_FALSE(inbox.begin(at(30s))->expired);
    inbox.finish("");
    EXPECT_TRUE(inbox.begin(at(30s))->expired);
}

TEST(CommandInbox, ACommandUnderWayAtTheDeathOfTheAgentIsNamed)
{
    CommandInbox before;
    before.take({command(7), command(8)}, at(0s), 0s);
    before.begin(at(0s));
    CommandInbox after{before.record()};
    after.take({command(7), command(8)}, at(0s), 0s);
    const auto first = after.begin(at(0s));
    EXPECT_EQ(first->command.id, 7U);
    EXPECT_TRUE(first->begun_before);
    after.finish("seven");
    EXPECT_FALSE(after.begin(at(0s))->begun_before);
}

TEST(CommandInbox, ResultsAreBounded)
{
    CommandInbox inbox;
    for (std::uint64_t id = 1; id <= 100; ++id) {
        inbox.take({command(id)}, at(0s), 0s);
        inbox.begin(at(0s));
        inbox.finish("x");
        inbox.delivered(inbox.results());
    }
    EXPECT_EQ(inbox.record().results.size(), CommandInbox::kResultsKept);
    EXPECT_EQ(inbox.record().results.back().id, 100U);
}

// A manager that sends what has no result, a network that loses, doubles and delays answers, and an agent that is
// killed at any step: each command is executed exactly once, and the manager has the result of each.
RC_GTEST_PROP(CommandInboxLaw, ExactlyOnce, ())
{
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 8);
    std::map<std::uint64_t, std::string> manager;   // results by id
    std::map<std::uint64_t, unsigned> executed;     // what the device has done; the agent's events say so
    std::vector<std::vector<ManagerCommand>> late;  // answers on their way
    CommandRecord disk;
    CommandInbox inbox;
    const auto die = [&] { inbox = CommandInbox{disk}; };
    const auto dies_here = [&] { return *rc::gen::weightedElement<bool>({{9, false}, {1, true}}); };
    const auto execute_all = [&] {
        while (const auto due = inbox.begin(at(0s))) {
            const auto id = due->command.id;
            if (dies_here()) {
                return die();
            }
            disk = inbox.record();
            if (dies_here()) {
                return die();
            }
            if (!due->begun_before || executed[id] == 0) {
                ++executed[id];
            }
            if (dies_here()) {
                return die();
            }
            inbox.finish(fmt::format("{}", id));
            if (dies_here()) {
                return die();
            }
            disk = inbox.record();
        }
    };
    const auto poll = [&](bool faults) {
        const auto sent = inbox.results();
        const auto happens = [&] { return faults && *rc::gen::arbitrary<bool>(); };
        if (happens()) {
            return;  // the request is lost
        }
        for (const auto& result : sent) {
            RC_ASSERT(!manager.contains(result.id) || manager[result.id] == result.answer);
            manager[result.id] = result.answer;
        }
        std::vector<ManagerCommand> wanted;
        for (std::uint64_t id = 1; id <= count; ++id) {
            if (!manager.contains(id)) {
                wanted.push_back(command(id));
            }
        }
        late.push_back(wanted);
        if (happens()) {
            return;  // the answer is lost or late
        }
        inbox.delivered(sent);
        inbox.take(wanted, at(0s), 0s);
        execute_all();
    };
    const auto steps = *rc::gen::inRange(0, 40);
    for (int step = 0; step < steps; ++step) {
        if (!late.empty() && *rc::gen::weightedElement<bool>({{4, false}, {1, true}})) {
            inbox.take(late[*rc::gen::inRange<std::size_t>(0, late.size())], at(0s), 0s);
            execute_all();
        }
        poll(true);
    }
    while (manager.size() < count) {
        poll(false);
    }
    for (std::uint64_t id = 1; id <= count; ++id) {
        RC_ASSERT(executed[id] == 1U);
        RC_ASSERT(manager[id] == fmt::format("{}", id));
    }
}

}  // namespace
}  // namespace petrel::uplink
