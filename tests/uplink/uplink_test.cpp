#include "uplink/uplink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "uplink/simulated_spool.hpp"

namespace petrel::uplink {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr Instant kNow{1h};
constexpr auto kManager = "first process";

class UplinkTest : public testing::Test {
protected:
    // Past the first request, which only asks what the manager has.
    void connect(const Acknowledged& manager_has = {})
    {
        ASSERT_TRUE(uplink.next(spool, false, kNow));
        uplink.stored({kManager, manager_has}, kNow);
    }

    test::SimulatedSpool spool{{"leaf3", "leaf4"}, 5};
    Uplink uplink{{}, spool, 1};
};

TEST_F(UplinkTest, the_first_request_has_no_events_and_names_all_devices)
{
    spool.emit("leaf3", 1);
    const auto batch = uplink.next(spool, false, kNow);
    ASSERT_TRUE(batch);
    EXPECT_TRUE(batch->names_devices);
    EXPECT_EQ(batch->lines, "");
}

TEST_F(UplinkTest, events_go_out_at_once_and_are_not_sent_again_when_stored)
{
    connect();
    spool.emit("leaf3", 2);
    const auto batch = uplink.next(spool, false, kNow);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->lines, "leaf3 1\nleaf3 2\n");
    EXPECT_THAT(batch->upto, ElementsAre(Pair("leaf3", 2U)));
    EXPECT_FALSE(uplink.next(spool, true, kNow)) << "one request at a time";
    uplink.stored({kManager, {{"leaf3", 2}}}, kNow);
    EXPECT_FALSE(uplink.next(spool, false, kNow));
    EXPECT_EQ(uplink.waiting(spool), 0U);
}

TEST_F(UplinkTest, the_manager_is_complete_if_it_has_every_event_and_has_said_which_is_the_last)
{
    EXPECT_FALSE(uplink.complete(spool, "leaf3"));
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 57}}, {{"leaf3", {57, 1}}}}, kNow);
    EXPECT_EQ(uplink.complete(spool, "leaf3"), (LastStored{57, 1})) << "this agent has lost its memory";
    EXPECT_FALSE(uplink.complete(spool, "leaf4")) << "the manager has not said";
    spool.emit("leaf3", 1);
    EXPECT_FALSE(uplink.complete(spool, "leaf3"));
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 1}}, {{"leaf3", {1, 2}}}}, kNow);
    EXPECT_EQ(uplink.complete(spool, "leaf3"), (LastStored{1, 2}));
    ASSERT_TRUE(uplink.next(spool, true, kNow));
    uplink.failed(false, std::nullopt, kNow);
    EXPECT_FALSE(uplink.complete(spool, "leaf3")) << "another manager may answer next";
}

// Its numbers are those of events that the agent has lost with its memory.
TEST_F(UplinkTest, a_manager_with_files_from_before_the_agent_counted_again_gets_all_events)
{
    spool.emit("leaf3", 3);
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 2}}, {{"leaf3", {2, 0}}}}, kNow);
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 3}}, {{"leaf3", {3, 1}}}}, kNow);
    EXPECT_EQ(uplink.waiting(spool), 0U);
    ASSERT_TRUE(uplink.next(spool, true, kNow));
    uplink.failed(false, std::nullopt, kNow);
    ASSERT_TRUE(uplink.next(spool, false, kNow + 10s));
    uplink.stored({"older copy", {{"leaf3", 2}}, {{"leaf3", {2, 0}}}}, kNow + 10s);
    EXPECT_EQ(uplink.waiting(spool), 3U);
}

TEST_F(UplinkTest, events_that_the_manager_did_not_store_are_sent_again)
{
    connect();
    spool.emit("leaf3", 3);
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 1}}}, kNow);
    EXPECT_EQ(uplink.next(spool, false, kNow)->lines, "leaf3 2\nleaf3 3\n");
}

TEST_F(UplinkTest, an_answer_without_progress_is_a_failure)
{
    connect();
    spool.emit("leaf3", 1);
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 0}}}, kNow);
    EXPECT_FALSE(uplink.next(spool, false, kNow));
    EXPECT_GT(uplink.wake(), kNow);
}

TEST_F(UplinkTest, a_heartbeat_is_sent_when_nothing_else_is)
{
    connect();
    EXPECT_FALSE(uplink.next(spool, false, kNow + Pace{}.heartbeat - 1ns));
    EXPECT_EQ(uplink.wake(), kNow + Pace{}.heartbeat);
    const auto beat = uplink.next(spool, false, uplink.wake());
    ASSERT_TRUE(beat);
    EXPECT_FALSE(beat->names_devices);
}

TEST_F(UplinkTest, the_devices_take_turns)
{
    connect();
    for (const auto* device : {"leaf3", "leaf4"}) {
        spool.set_most(device, 2 * Uplink::kMostEvents);
        spool.emit(device, Uplink::kMostEvents);
    }
    const auto first = uplink.next(spool, false, kNow)->upto;
    uplink.stored({kManager, first}, kNow);
    const auto second = uplink.next(spool, false, kNow)->upto;
    EXPECT_EQ(first.size(), 1U);
    EXPECT_EQ(second.size(), 1U);
    EXPECT_NE(first.begin()->first, second.begin()->first);
}

TEST_F(UplinkTest, the_delay_doubles_with_each_failure_up_to_a_limit_and_has_jitter)
{
    auto now = kNow;
    auto longest = Pace{}.shortest_retry;
    for (int failure = 0; failure != 10; ++failure) {
        ASSERT_TRUE(uplink.next(spool, false, now));
        uplink.failed(false, std::nullopt, now);
        EXPECT_GE(uplink.wake(), now + longest / 2);
        EXPECT_LE(uplink.wake(), now + longest);
        EXPECT_FALSE(uplink.next(spool, true, uplink.wake() - 1ns));
        now = uplink.wake();
        longest = std::min<Duration>(longest * 2, Pace{}.longest_retry);
    }
    Uplink other{{}, spool, 2};
    ASSERT_TRUE(other.next(spool, false, kNow));
    other.failed(false, std::nullopt, kNow);
    Uplink same{{}, spool, 1};
    ASSERT_TRUE(same.next(spool, false, kNow));
    same.failed(false, std::nullopt, kNow);
    EXPECT_NE(other.wake(), same.wake());
}

TEST_F(UplinkTest, the_manager_may_ask_for_a_longer_delay)
{
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.failed(false, 60s, kNow);
    EXPECT_EQ(uplink.wake(), kNow + 60s);
}

TEST_F(UplinkTest, a_request_that_is_too_much_is_sent_in_halves_without_extras)
{
    connect();
    spool.set_most("leaf3", 2000);
    spool.emit("leaf3", 1000);
    ASSERT_EQ(uplink.next(spool, false, kNow)->events, 1000U);
    uplink.failed(true, std::nullopt, kNow);
    const auto again = uplink.wake();
    ASSERT_EQ(uplink.next(spool, false, again)->events, 0U);
    uplink.failed(true, std::nullopt, again);
    const auto third = uplink.wake();
    const auto probe = uplink.next(spool, true, third);
    EXPECT_FALSE(probe->with_extras);
    uplink.stored({kManager, {}}, third);
    EXPECT_EQ(uplink.next(spool, false, third)->events, 500U);
}

TEST_F(UplinkTest, events_that_the_memory_forgot_are_one_gap_and_are_not_waited_for)
{
    connect();
    spool.emit("leaf3", 12);  // the memory keeps 5
    const auto batch = uplink.next(spool, false, kNow);
    EXPECT_EQ(batch->upto.at("leaf3"), 12U);
    EXPECT_EQ(batch->events, 6U) << "the gap is one";
    ASSERT_EQ(batch->gaps.size(), 1U);
    EXPECT_EQ(batch->gaps[0].last, 7U);
    const auto gaps = uplink.take_gaps();
    ASSERT_EQ(gaps.size(), 1U);
    EXPECT_EQ(gaps[0].device, "leaf3");
    EXPECT_EQ(gaps[0].first, 1U);
    EXPECT_EQ(gaps[0].last, 7U);
    uplink.failed(false, std::nullopt, kNow);
    ASSERT_TRUE(uplink.next(spool, false, uplink.wake())->names_devices);
    uplink.stored({kManager, {{"leaf3", 0}}}, kNow);
    EXPECT_EQ(uplink.next(spool, false, kNow)->gaps.size(), 1U) << "the manager does not have it";
    EXPECT_THAT(uplink.take_gaps(), IsEmpty()) << "reported once";
}

TEST_F(UplinkTest, events_from_before_the_first_contact_that_are_gone_are_no_gap)
{
    spool.emit("leaf3", 12);
    Uplink late{{}, spool, 1};
    ASSERT_TRUE(late.next(spool, false, kNow));
    late.stored({kManager, {}}, kNow);
    EXPECT_EQ(late.next(spool, false, kNow)->events, 5U);
    EXPECT_THAT(late.take_gaps(), IsEmpty());
}

TEST_F(UplinkTest, a_manager_with_older_files_gets_the_events_again)
{
    connect();
    spool.emit("leaf3", 4);
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 4}}}, kNow);
    ASSERT_TRUE(uplink.next(spool, true, kNow));
    uplink.failed(false, std::nullopt, kNow);
    const auto again = uplink.wake();
    ASSERT_TRUE(uplink.next(spool, false, again)->names_devices);
    uplink.stored({kManager, {{"leaf3", 2}}}, again);
    EXPECT_EQ(uplink.next(spool, false, again)->lines, "leaf3 3\nleaf3 4\n");
}

// It may have older files, although no request failed.
TEST_F(UplinkTest, a_manager_that_restarted_is_asked_what_it_has)
{
    connect();
    spool.emit("leaf3", 3);
    ASSERT_TRUE(uplink.next(spool, false, kNow));
    uplink.stored({kManager, {{"leaf3", 3}}}, kNow);
    spool.emit("leaf3", 1);
    ASSERT_EQ(uplink.next(spool, false, kNow)->lines, "leaf3 4\n");
    uplink.stored({"second process", {{"leaf3", 4}}}, kNow);
    const auto batch = uplink.next(spool, false, kNow);
    ASSERT_TRUE(batch);
    EXPECT_TRUE(batch->names_devices);
    EXPECT_EQ(batch->events, 0U);
    uplink.stored({"second process", {{"leaf3", 1}}}, kNow);
    EXPECT_EQ(uplink.next(spool, false, kNow)->lines, "leaf3 2\nleaf3 3\nleaf3 4\n");
}

TEST_F(UplinkTest, a_memory_that_was_lost_counts_from_its_last_event)
{
    spool.emit("leaf3", 3);
    Uplink after{{{"leaf3", 9}}, spool, 1};
    ASSERT_TRUE(after.next(spool, false, kNow));
    after.stored({kManager, {{"leaf3", 9}}}, kNow);
    spool.emit("leaf3", 1);
    EXPECT_EQ(after.next(spool, false, kNow)->lines, "leaf3 4\n");
}

TEST_F(UplinkTest, a_memory_that_lost_records_of_the_manager_reports_where_it_begins_again)
{
    spool.emit("leaf3", 3);
    spool.emit("leaf4", 3);
    Uplink after{{{"leaf3", 5}, {"leaf4", 3}}, spool, 1};
    EXPECT_THAT(after.next(spool, false, kNow)->recounts, IsEmpty());
    after.stored({kManager, {{"leaf3", 5}, {"leaf4", 3}}}, kNow);
    EXPECT_THAT(after.next(spool, false, kNow)->recounts, ElementsAre(Pair("leaf3", 4))) << "without waiting";
    after.failed(false, std::nullopt, kNow);
    ASSERT_TRUE(after.next(spool, false, after.wake()));
    after.stored({kManager, {{"leaf3", 5}, {"leaf4", 3}}}, kNow);
    EXPECT_THAT(after.next(spool, false, kNow)->recounts, ElementsAre(Pair("leaf3", 4))) << "nobody stored it";
    after.stored({kManager, {{"leaf3", 3}}}, kNow);
    spool.emit("leaf3", 1);
    const auto next = after.next(spool, false, kNow);
    EXPECT_EQ(next->lines, "leaf3 4\n");
    EXPECT_THAT(next->recounts, IsEmpty());
}

}  // namespace
}  // namespace petrel::uplink
