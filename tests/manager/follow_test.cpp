// Managers that share a log: the leader prepares its entries, and all of them follow.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/group/log_entry.hpp"
#include "manager/manager.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::manager {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kArrival{1h};

class FollowTest : public testing::Test {
protected:
    Manager start(const std::string& name) const
    {
        return Manager::start(Store::open(folder / (name + ".db")).value()).value();
    }

    static void take(Manager& manager, std::uint64_t seq, const std::string& what, std::int64_t time_us = 1000)
    {
        const auto text = fmt::format(
            "{{\"report\":1,\"agent\":\"leaf3\",\"boot\":\"0123456789abcdef0123456789abcdef\",\"version\":\"x\"}}\n"
            R"({{"seq":{},"time_us":{},"event":"{}","device":"leaf3","port":"Ethernet20","queue":3,"policy":"tor",)"
            R"("reason":"proven","action":"drop","cause":null,"evidence":null}})",
            seq, time_us, what);
        manager.take(codec::read_report(text).value(), "127.0.0.1", {kArrival, WallTime{5s}});
    }

    // As the other managers get it.
    static Batch through_the_log(const Batch& batch)
    {
        const auto texts = codec::log_entries({1, "x", false, batch});
        EXPECT_THAT(texts, SizeIs(1));
        const auto entry = codec::read_log_entry(texts.at(0));
        EXPECT_TRUE(entry) << entry.error().what;
        EXPECT_EQ(entry->batch, batch);
        return entry->batch;
    }

    test::TemporaryFolder folder;
};

TEST_F(FollowTest, AllManagersHaveTheSameEventsWithTheSameCursors)
{
    auto leader = start("a");
    auto follower = start("b");
    for (std::uint64_t entry = 1; entry <= 3; ++entry) {
        take(leader, entry, "storm_detected");
        const auto batch = leader.prepare().value();
        EXPECT_THAT(leader.store().events({}).value(), SizeIs(entry - 1)) << "it is not in the log yet";
        EXPECT_THAT(leader.follow({&batch, 1}, {"log", entry}, kArrival).value(), SizeIs(1));
        const auto read = through_the_log(batch);
        EXPECT_THAT(follower.follow({&read, 1}, {"log", entry}, kArrival).value(), SizeIs(1));
    }
    EXPECT_EQ(follower.store().events({}).value(), leader.store().events({}).value());
    EXPECT_EQ(follower.store().audit(10).value(), leader.store().audit(10).value());
    EXPECT_EQ(follower.view().ports(kArrival), leader.view().ports(kArrival));
    EXPECT_EQ(follower.view().devices(kArrival), leader.view().devices(kArrival));
    EXPECT_EQ(follower.agent_of("leaf3"), leader.agent_of("leaf3"));
    EXPECT_EQ(follower.store().position().value(), (LogPosition{"log", 3}));
}

TEST_F(FollowTest, KnownMessagesAreNotInTheLogAgain)
{
    auto leader = start("a");
    take(leader, 1, "storm_detected");
    take(leader, 1, "storm_detected");
    auto batch = leader.prepare().value();
    EXPECT_THAT(batch.messages, SizeIs(1)) << "it came twice";
    ASSERT_TRUE(leader.follow({&batch, 1}, {"log", 1}, kArrival));
    take(leader, 1, "storm_detected");
    take(leader, 2, "storm_restored");
    batch = leader.prepare().value();
    ASSERT_THAT(batch.messages, SizeIs(1));
    EXPECT_EQ(batch.messages[0].message.position.number, 2U);
    EXPECT_EQ(batch.messages[0].cursor, 2);
}

// Each manager forgets old events when it likes.
TEST_F(FollowTest, WhatAManagerHasForgottenChangesNoCursor)
{
    auto leader = start("a");
    auto follower = start("b");
    std::uint64_t entry = 0;
    const auto share = [&] {
        const auto batch = leader.prepare().value();
        ++entry;
        ASSERT_TRUE(leader.follow({&batch, 1}, {"log", entry}, kArrival));
        ASSERT_TRUE(follower.follow({&batch, 1}, {"log", entry}, kArrival));
    };
    for (std::uint64_t seq = 1; seq <= 10; ++seq) {
        take(leader, seq, "order_taken");
        share();
    }
    ASSERT_TRUE(follower.prune({.most_events = 2}, WallTime{6s}));
    take(leader, 11, "order_taken");
    share();
    EXPECT_EQ(follower.store().events({}).value().back(), leader.store().events({}).value().back());
    // The follower leads now. It does not have event 3 any more, and does not take it for new.
    ASSERT_TRUE(follower.lead(kArrival));
    take(follower, 3, "order_taken");
    EXPECT_THAT(follower.prepare().value().messages, IsEmpty());
}

TEST_F(FollowTest, OldEntriesDoNotShowThatADeviceReportsNow)
{
    auto leader = start("a");
    auto follower = start("b");
    take(leader, 1, "storm_detected");
    const auto batch = leader.prepare().value();
    ASSERT_TRUE(follower.follow({&batch, 1}, {"log", 1}, std::nullopt));
    EXPECT_EQ(follower.view().devices(kArrival).at(0), (fabric::ShownDevice{"leaf3", {false, WallTime{5s}}, 0}));
}

// The state folder of the agent was erased, and the manager that noticed it died before anybody knew.
TEST_F(FollowTest, ALeaderBeginsWithWhatIsStored)
{
    auto first = start("a");
    auto second = start("b");
    take(first, 1, "storm_detected");
    take(first, 2, "storm_restored", 2000);
    auto batch = first.prepare().value();
    ASSERT_TRUE(first.follow({&batch, 1}, {"log", 1}, kArrival));
    ASSERT_TRUE(second.follow({&batch, 1}, {"log", 1}, kArrival));
    take(first, 1, "storm_detected", 3000);
    ASSERT_TRUE(first.prepare());  // never appended
    for (auto* manager : {&first, &second}) {
        ASSERT_TRUE(manager->lead(kArrival));
        take(*manager, 1, "storm_detected", 3000);
        const auto prepared = manager->prepare().value();
        ASSERT_THAT(prepared.messages, SizeIs(1));
        EXPECT_EQ(prepared.messages[0].message.position, (fabric::Position{1, 1}));
    }
}

TEST_F(FollowTest, AStoreKnowsItsLogUntilItLeaves)
{
    {
        auto manager = start("a");
        EXPECT_TRUE(manager.store().empty().value());
        EXPECT_EQ(manager.store().position().value(), std::nullopt);
        const Batch nothing;
        ASSERT_TRUE(manager.follow({&nothing, 1}, {"log", 7}, kArrival));
    }
    auto manager = start("a");
    EXPECT_TRUE(manager.store().empty().value());
    EXPECT_EQ(manager.store().position().value(), (LogPosition{"log", 7}));
    take(manager, 1, "order_taken");
    ASSERT_TRUE(manager.commit());
    EXPECT_FALSE(manager.store().empty().value());
    ASSERT_TRUE(manager.store().leave_log());
    EXPECT_EQ(manager.store().position().value(), std::nullopt);
}

}  // namespace
}  // namespace petrel::manager
