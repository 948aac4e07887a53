// A storm while orchagent, syncd or Redis fails. Afterwards a queue in a storm is mitigated, a queue without one is
// not, and the agent has reported no storm and no end of a storm that did not happen.
#include <gmock/gmock.h>

#include <sstream>

#include "device_sonic/sonic_trouble.hpp"

namespace petrel::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using watchdog::EventKind;

// Closes the connections of CLIENT LIST that have this flag.
void kill_clients(const RedisServer& server, char flag)
{
    const auto connection = server.connect(0);
    std::string all;
    redis::Pipeline list;
    list.add({"CLIENT", "LIST"});
    ASSERT_TRUE(connection->run(list, [&](std::size_t, redis::View reply) { all = reply.text(); }));
    redis::Pipeline kill;
    std::istringstream lines{all};
    for (std::string line; std::getline(lines, line);) {
        const auto id = line.substr(3, line.find(' ') - 3);
        const auto flags = line.substr(line.find(" flags=") + 7);
        if (flags.substr(0, flags.find(' ')).find(flag) != std::string::npos) {
            kill.add({"CLIENT", "KILL", "ID", id});
        }
    }
    ASSERT_FALSE(kill.empty());
    ASSERT_TRUE(connection->run(kill));
}

// ---- orchagent

TEST_F(SonicTrouble, OrchagentRestartsWithoutTheStorm)
{
    start_and_storm();
    sonic().orchagent_leaves();
    sonic().orchagent_comes(false);
    EXPECT_EQ(status(), "operational");
    storms(1);
    sonic().catch_up();
    EXPECT_EQ(status(), "stormed");
    storms(2);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    ends_well();
}

TEST_F(SonicTrouble, OrchagentRestartsWithTheStorm)
{
    start_and_storm();
    sonic().orchagent_leaves();
    sonic().orchagent_comes(true);
    EXPECT_EQ(status(), "stormed");
    EXPECT_EQ(detected(), "1");
    storms(2);
    ends_well();
    EXPECT_EQ(detected(), "1");
}

TEST_F(SonicTrouble, AStormThatEndsWhileOrchagentIsAwayIsRestoredWhenItIsBack)
{
    start_and_storm();
    sonic().orchagent_leaves();
    quiet(3);
    EXPECT_GT(on_->event_count(EventKind::restore_failed), 0);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    sonic().orchagent_comes(true);
    EXPECT_EQ(status(), "stormed");
    quiet(1);
    sonic().catch_up();
    quiet(20);  // long enough for the agent's next attempt
    EXPECT_EQ(status(), "operational");
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 1);
    EXPECT_THAT(on_->disk_.journaled(), IsEmpty());
}

TEST_F(SonicTrouble, AStormWithOrchagentAwayIsMitigatedWhenItComes)
{
    on_->start(OnSwitch::policy());
    quiet(2);
    sonic().orchagent_leaves();
    storms(4);
    EXPECT_GT(on_->event_count(EventKind::mitigation_failed), 0);
    sonic().orchagent_comes(false);
    storms(1);
    sonic().catch_up();
    EXPECT_EQ(status(), "stormed");
    storms(20);
    ends_well();
}

TEST_F(SonicTrouble, AnOrchagentThatIsSlowerThanTheStormIsReportedOnce)
{
    auto settings = on_->with_reports();
    settings.orchagent = 1ms;
    on_->start(OnSwitch::policy(), settings);
    quiet(2);
    sonic().hold();
    storms(20);
    EXPECT_GT(on_->runner_->device_runner().report().commands_failed, 3U);
    EXPECT_EQ(on_->event_count(EventKind::mitigation_failed), 1);
    sonic().release();
    sonic().catch_up();
    EXPECT_EQ(status(), "stormed");
    storms(30);  // long enough for the agent's next attempt, which finds the storm treated
    ends_well();
}

TEST_F(SonicTrouble, AWatchIsStoppedAndStartedAgainDuringAStorm)
{
    start_and_storm();
    sonic().unwatch("Ethernet0");
    storms(2);
    EXPECT_EQ(status(), "");
    sonic().watch("Ethernet0");
    storms(1);
    sonic().catch_up();
    EXPECT_EQ(status(), "stormed");
    storms(2);
    ends_well();
}

TEST_F(SonicTrouble, AStormByOrderIsTreatedLikeAnyOther)
{
    on_->start(OnSwitch::policy());
    quiet(2);
    sonic().set_of_queue(kQueue, "DEBUG_STORM", "enabled");
    quiet(5);  // the agent reads DEBUG_STORM once a second
    quiet(2);
    EXPECT_EQ(status(), "stormed");
    quiet(5);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    sonic().set_of_queue(kQueue, "DEBUG_STORM", "disabled");
    quiet(5);
    ends_well();
}

// As on switches where a mitigated queue ignores pause: only a probe shows that the storm continues.
TEST_F(SonicTrouble, SignalsFrozenByTheMitigationProveNoQuiet)
{
    start_and_storm();
    frozen_storm(10);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    EXPECT_GE(on_->event_count(EventKind::probe_failed), 1);
    ends_well();
}

// The look that detected the storm was late: syncd had polled once more before the mitigation. The pause in that poll
// is older than the mitigation and does not show that the signals survive it.
TEST_F(SonicTrouble, APollFromBeforeTheMitigationIsNotUsed)
{
    on_->start(OnSwitch::policy());
    quiet(2);
    storms(1);
    auto& queue = sonic().queue(kQueue);
    const auto storm_seen_at = [&](Instant poll, Instant look) {
        queue.rx += 100;
        queue.pause_us += 200'000;
        sonic().poll(poll);
        on_->clock_.set(look);
        on_->runner_->run_until(look);
    };
    const auto proof = on_->clock_.now().mono + 200ms;
    storm_seen_at(proof, proof + 250ms);
    storm_seen_at(proof + 200ms, proof + 400ms);
    ASSERT_EQ(status(), "stormed");
    queue.pause_us += 50'000;
    frozen_storm(10);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    ends_well();
}

// ---- Redis

TEST_F(SonicTrouble, RedisIsKilledDuringAStormAndComesBackEmptyWithTheSwitch)
{
    start_and_storm();
    on_->server_.kill();
    on_->runner_->run_until(on_->clock_.now().mono + 2s);
    EXPECT_GT(on_->runner_->agent().counters().looks_failed, 0U);
    on_->server_.start();
    const auto before = sonic().queue(kQueue);
    on_->restart_switch();
    sonic().queue(kQueue) = before;
    storms(2);
    sonic().catch_up();
    EXPECT_EQ(status(), "stormed");
    storms(2);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    ends_well();
    EXPECT_FALSE(sonic().has_plugins());
}

TEST_F(SonicTrouble, FlushedDatabasesGiveNoSamplesUntilTheyAreFilled)
{
    start_and_storm();
    redis::Pipeline flush;
    flush.add({"FLUSHALL"});
    ASSERT_TRUE(on_->server_.connect(0)->run(flush));
    on_->runner_->run_until(on_->clock_.now().mono + 5s);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0) << "no quiet was seen";
    on_->restart_switch();
    quiet(3);
    sonic().catch_up();  // orchagent carries out the agent's earlier requests; then quiet is proven
    quiet(3);
    ends_well();
}

TEST_F(SonicTrouble, TheAgentDoesNotWaitForAFrozenRedisAndMissesNoStorm)
{
    on_->start(OnSwitch::policy(), {500ms, 60s, 50ms, 0ms});
    quiet(2);
    storms(3);
    ASSERT_EQ(status(), "stormed");
    on_->server_.freeze();
    on_->runner_->run_until(on_->clock_.now().mono + 400ms);
    on_->server_.thaw();
    EXPECT_GT(on_->runner_->agent().counters().looks_failed, 0U);
    storms(2);
    ends_well();
}

TEST_F(SonicTrouble, AHangingSyncdProvesNothing)
{
    on_->start(OnSwitch::policy());
    quiet(2);
    storms(2);  // the second poll proves 400 ms
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    on_->runner_->run_until(on_->clock_.now().mono + 10s);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    EXPECT_EQ(status(), "stormed");
    ends_well();
}

TEST_F(SonicTrouble, AnOlderHangingSyncdProvesNothing)
{
    on_.emplace(SonicSwitch::Setup{.stamps = false});
    auto policy = OnSwitch::policy();
    policy.poll = 50ms;  // without time stamps, a poll is only proven to lie between two looks
    on_->start(policy);
    quiet(2);
    storms(1);
    on_->runner_->run_until(on_->clock_.now().mono + 10s);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 0) << "paused when it was last read";
    storms(4);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    on_->runner_->run_until(on_->clock_.now().mono + 10s);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    quiet(1);  // the time of a poll is known only to within one interval, so the proof needs one poll more
    ends_well();
}

// ---- syncd does not poll

class SonicBlind : public SonicTrouble {
protected:
    // The error of a look after this time, or nothing.
    std::string after(Duration time)
    {
        on_->clock_.advance(time);
        watchdog::Intake intake{on_->device_->inventory(), on_->device_->capabilities()};
        const auto looked = on_->device_->look({}, intake);
        return looked ? "" : looked.error().what;
    }

    std::string after_poll()
    {
        on_->clock_.advance(200ms);
        sonic().poll(on_->clock_.now().mono);
        return after(0ms);
    }

    void open()
    {
        ASSERT_TRUE(on_->open(kPatient));
        ASSERT_EQ(after_poll(), "");
        ASSERT_EQ(after_poll(), "");
    }
};

TEST_F(SonicBlind, MissingPollsAreReportedAndSoIsTheirReturn)
{
    for (const bool stamps : {true, false}) {
        on_.emplace(SonicSwitch::Setup{.stamps = stamps});
        open();
        EXPECT_EQ(after(900ms), "") << stamps;
        EXPECT_EQ(after(100ms), "") << stamps;
        EXPECT_THAT(after(100ms), HasSubstr("syncd does not poll")) << stamps;
        const auto still = after(5s);
        EXPECT_THAT(still, HasSubstr("syncd does not poll")) << stamps;
        EXPECT_EQ(after(3s), still) << "the same text: it is reported once";
        EXPECT_EQ(after_poll(), "") << stamps;
        EXPECT_EQ(after(1s), "") << stamps;
    }
}

TEST_F(SonicBlind, DisabledPollingIsReportedWithTheReason)
{
    open();
    sonic().counter_poll("disable");
    for (int i = 0; i != 5; ++i) {
        EXPECT_EQ(after_poll(), "");
    }
    EXPECT_THAT(after_poll(), HasSubstr("pfcwd counter_poll enable"));
    sonic().counter_poll("enable");
    EXPECT_EQ(after_poll(), "");
}

TEST_F(SonicBlind, RarePollsAreWaitedFor)
{
    on_.emplace(SonicSwitch::Setup{.poll = 1000ms});
    open();
    EXPECT_EQ(after(5s), "");
    EXPECT_NE(after(1s), "");
}

// If no queue is registered, syncd has nothing to poll.
TEST_F(SonicBlind, MissingPollsAreNotReportedWithoutAWatchedQueue)
{
    open();
    sonic().unwatch("Ethernet0");
    sonic().unwatch("Ethernet4");
    EXPECT_EQ(after(2s), "");
    EXPECT_EQ(after(10s), "");
    sonic().watch("Ethernet4");
    EXPECT_EQ(after(1s), "") << "the first poll may be under way";
    EXPECT_NE(after(2s), "");
    EXPECT_EQ(after_poll(), "");
}

TEST_F(SonicBlind, AStormGoesOnWhileNothingIsSeenAndEndsWithTheFirstQuiet)
{
    start_and_storm();
    sonic().counter_poll("disable");
    storms(20);
    EXPECT_GT(on_->runner_->agent().counters().looks_failed, 0U);
    EXPECT_EQ(status(), "stormed");
    sonic().counter_poll("enable");
    const auto failed = on_->runner_->agent().counters().looks_failed;
    storms(3);
    EXPECT_EQ(on_->runner_->agent().counters().looks_failed, failed);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    ends_well();
}

// Without stamps a write counts as a poll, and counters that stand still look like quiet. The agent itself writes to
// all queues when it puts the scripts back, and orchagent writes its statistics to the queue in the storm.
TEST_F(SonicBlind, OtherWritesWhileSyncdIsSilentDoNotEndAStorm)
{
    on_.emplace(SonicSwitch::Setup{.stamps = false, .transitions = false, .pause_status = false});
    start_and_storm();
    for (const auto* queue : {"Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"}) {
        sonic().set_of_queue(queue, "PFC_WD_DETECTION_TIME_LEFT", "1");  // the scripts store it, the agent removes it
    }
    for (int i = 0; i != 15; ++i) {
        sonic().set_of_queue(kQueue, "PFC_WD_QUEUE_STATS_TX_PACKETS", std::to_string(i));
        on_->runner_->run_until(on_->clock_.now().mono + 200ms);
    }
    EXPECT_GT(on_->runner_->agent().counters().looks_failed, 0U);
    EXPECT_EQ(status(), "stormed");
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
}

// ---- reports of writes

TEST_F(SonicTrouble, StormsAreFoundAfterTheNotificationConnectionBroke)
{
    for (const char flag : {'t', 'P'}) {  // the connection that requests reports; those that receive messages
        on_.emplace();
        on_->start(OnSwitch::policy());
        quiet(3);
        kill_clients(on_->server_, flag);
        quiet(3);
        storms(3);
        EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1) << flag;
    }
}

TEST_F(SonicTrouble, StormsAreFoundThoughSyncdDoesNotWriteTheLastQueue)
{
    on_->start(OnSwitch::policy());
    quiet(3);
    sonic().skip("Ethernet4:4");
    quiet(3);
    storms(3);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
}

// The agent reads syncd's poll interval, and attributes writes that come much sooner to another process.
TEST_F(SonicTrouble, AnIntervalThatBecomesShorterIsFollowed)
{
    on_.emplace(SonicSwitch::Setup{.stamps = false, .poll = 1000ms});
    on_->start(OnSwitch::policy());
    for (int i = 0; i != 3; ++i) {
        on_->poll(1000ms);
    }
    sonic().set(Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "POLL_INTERVAL", "200");
    quiet(2);
    storms(3);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
}

}  // namespace
}  // namespace petrel::test
