// How a storm ends if the mitigation stops the ASIC's signals of pause, at once or some time after PFC_WD_STATUS
// changed, while PFC frames (XOFF or XON, the counter does not distinguish them) still arrive.
#include <gmock/gmock.h>

#include <array>

#include "device_sonic/on_switch.hpp"

namespace petrel::test {
namespace {

using testing::Le;
using watchdog::EventKind;

class AfterMitigation : public testing::Test {
protected:
    enum class Peer : std::uint8_t { silent, sends_xoff, sends_xon };

    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        begin({}, OnSwitch::policy());
    }

    void begin(SonicSwitch::Setup setup, const watchdog::Policy& policy)
    {
        on_.emplace(std::move(setup));
        on_->start(policy);
    }

    bool mitigated() { return on_->sonic_->is_treated(kQueue); }

    // The signals of pause stop `lag` after the mitigation.
    void poll(Peer peer, int times = 1, Duration lag = {})
    {
        for (; times != 0; --times) {
            mitigated_for_ = mitigated() ? mitigated_for_ + 200ms : Duration{};
            auto& counters = on_->sonic_->queue(kQueue);
            const bool shows = peer == Peer::sends_xoff && (!mitigated() || mitigated_for_ <= lag);
            counters.rx += peer == Peer::silent ? 0U : 100U;
            counters.paused = shows;
            counters.pause_us += shows ? 200'000U : 0U;
            counters.occupancy = mitigated() ? 0U : 4096U;
            on_->poll(200ms, stamps_behind_);
        }
    }

    void find_storm()
    {
        poll(Peer::silent, 2);
        poll(Peer::sends_xoff, 2);
        ASSERT_EQ(on_->event_count(EventKind::storm_detected), 1);
        ASSERT_TRUE(mitigated());
    }

    auto message_count(const std::string& word)
    {
        return std::ranges::count(on_->sonic_->messages(), kQueue + (" " + word));
    }

    std::optional<OnSwitch> on_;
    Duration mitigated_for_{};
    Duration stamps_behind_{};
};

TEST_F(AfterMitigation, PauseTimeThatMovesOnceMoreDoesNotEndTheStorm)
{
    find_storm();
    poll(Peer::sends_xoff, 2);
    ++on_->sonic_->queue(kQueue).pause_us;
    poll(Peer::sends_xoff, 40);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    EXPECT_GE(on_->event_count(EventKind::probe_failed), 1);
    EXPECT_THAT(message_count("restore"), Le(4)) << "each probe waits twice as long as the one before";
}

TEST_F(AfterMitigation, HardwareThatFollowsLateDoesNotEndTheStorm)
{
    for (const auto lag : {250ms, 500ms}) {
        SetUp();
        find_storm();
        poll(Peer::sends_xoff, 40, lag);
        EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0) << lag.count();
        EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1) << lag.count();
        EXPECT_THAT(message_count("restore"), Le(4)) << lag.count();
    }
}

TEST_F(AfterMitigation, AProbeEndsAStormWhosePeerSendsXonFramesOnly)
{
    find_storm();
    poll(Peer::sends_xoff, 3);
    poll(Peer::sends_xon, 8);
    ASSERT_EQ(on_->event_count(EventKind::storm_restored), 1);
    EXPECT_EQ(std::ranges::find(on_->runner_->events, EventKind::storm_restored, &watchdog::Event::kind)->reason,
              watchdog::Reason::probe);
    EXPECT_FALSE(mitigated());
    poll(Peer::sends_xon, 20);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
}

TEST_F(AfterMitigation, NoFramesAreQuiet)
{
    find_storm();
    poll(Peer::sends_xoff, 3);
    const auto restored = on_->event_count(EventKind::storm_restored);
    poll(Peer::silent, 4);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), restored + 1);
    EXPECT_FALSE(mitigated());
}

// T0 equals the poll interval, as `pfcwd start_default` configures it. The first interval of a probe begins before the
// probe, so it cannot prove pause throughout.
TEST_F(AfterMitigation, AProbeLastsAtLeastOneWholeInterval)
{
    auto policy = OnSwitch::policy(200ms, 200ms);
    policy.poll = 50ms;
    begin({.pause_time = false}, policy);
    poll(Peer::silent, 2);
    poll(Peer::sends_xoff, 2);
    ASSERT_TRUE(mitigated());
    poll(Peer::sends_xoff, 40);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
    EXPECT_THAT(message_count("restore"), Le(5)) << "each probe waits twice as long as the one before";
    poll(Peer::sends_xon, 80);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 1);
}

// The mitigation freezes the pause state at `paused`. Without PFC frames a pause expires, so the state proves nothing.
// After 6 s of a storm the device reads frames once a second.
TEST_F(AfterMitigation, AStateThatIsFrozenDoesNotKeepTheStormOpen)
{
    for (const int polls_of_storm : {13, 60}) {
        begin({.pause_time = false}, OnSwitch::policy());
        poll(Peer::silent, 2);
        poll(Peer::sends_xoff, polls_of_storm, 1h);
        ASSERT_TRUE(mitigated());
        EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
        for (int i = 0; i != 20 && mitigated(); ++i) {
            on_->poll();  // no counter changes, and the state stays `paused`
        }
        EXPECT_FALSE(mitigated()) << polls_of_storm;
        poll(Peer::silent, 4);
        EXPECT_EQ(on_->event_count(EventKind::storm_restored), 1);
        EXPECT_EQ(on_->event_count(EventKind::probe_failed), 0);
    }
}

TEST_F(AfterMitigation, ACounterThatIsResetDoesNotEndTheStorm)
{
    begin({}, OnSwitch::policy(400ms, 4s));  // no probe before the reset
    find_storm();
    poll(Peer::sends_xoff, 8);
    ASSERT_TRUE(mitigated());
    on_->sonic_->queue(kQueue).pause_us = 0;
    poll(Peer::sends_xoff, 30);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    EXPECT_GE(on_->event_count(EventKind::probe_failed), 1);
}

// syncd's time stamps are behind the agent's clock.
TEST_F(AfterMitigation, StampsOfAnotherClockDoNotKeepTheQueueMitigated)
{
    on_.emplace();
    on_->clock_.advance(200s);
    on_->start(OnSwitch::policy());
    stamps_behind_ = 100s;
    find_storm();
    poll(Peer::silent, 5);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 1);
}

// The signals show pause for more than a second after the mitigation, so they survive it. When they stop, the queue is
// quiet.
TEST_F(AfterMitigation, SignalsThatSurviveEndTheStormThoughXonFramesArrive)
{
    find_storm();
    poll(Peer::sends_xoff, 10, 1h);
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    poll(Peer::sends_xon, 3);
    ASSERT_EQ(on_->event_count(EventKind::storm_restored), 1);
    EXPECT_EQ(std::ranges::find(on_->runner_->events, EventKind::storm_restored, &watchdog::Event::kind)->reason,
              watchdog::Reason::quiet);
}

// After 6 s the device reads only the signals of pause of such a storm.
TEST_F(AfterMitigation, ALongStormEndsAsSoonAsAShortOne)
{
    const std::array<SonicSwitch::Setup, 3> switches{
        SonicSwitch::Setup{}, {.transitions = false, .pause_status = false}, {.pause_time = false}};
    for (const auto& setup : switches) {
        for (const auto peer : {Peer::silent, Peer::sends_xon}) {
            std::vector<int> polls_to_end;
            for (const int polls_of_storm : {10, 60}) {
                begin(setup, OnSwitch::policy());
                poll(Peer::silent, 2);
                poll(Peer::sends_xoff, polls_of_storm, 1h);
                EXPECT_TRUE(mitigated());
                EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
                int polls = 0;
                for (; on_->event_count(EventKind::storm_restored) == 0 && polls != 20; ++polls) {
                    poll(peer);
                }
                polls_to_end.push_back(polls);
            }
            EXPECT_EQ(polls_to_end[0], polls_to_end[1]);
            EXPECT_THAT(polls_to_end[0], Le(3)) << "T1 is two polls";
        }
    }
}

// orchagent takes the entry again, shows the queue as `operational` and still treats it. Probes release the queue.
TEST_F(AfterMitigation, AnEntryThatIsWrittenAgainDoesNotEndTheStorm)
{
    find_storm();
    poll(Peer::sends_xoff, 1);
    on_->sonic_->write_entry_again("Ethernet0");
    for (int i = 0; i != 14; ++i) {
        if (i == 4) {
            on_->sonic_->tick();
        }
        poll(Peer::sends_xoff);
        on_->sonic_->catch_up();
    }
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 0);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
}

TEST_F(AfterMitigation, AStormThatEndsWhileItsEntryIsWrittenAgainIsRestored)
{
    find_storm();
    poll(Peer::sends_xoff, 1);
    on_->sonic_->write_entry_again("Ethernet0");
    poll(Peer::silent, 4);
    on_->sonic_->tick();
    poll(Peer::silent, 1);
    on_->sonic_->catch_up();
    EXPECT_FALSE(mitigated());
    EXPECT_EQ(on_->event_count(EventKind::storm_restored), 1);
    EXPECT_EQ(on_->event_count(EventKind::storm_detected), 1);
}

// The device reads the status of such a storm once a second.
TEST_F(AfterMitigation, ALongStormThatOrchagentLosesIsRequestedAgain)
{
    begin({.transitions = false, .pause_status = false}, OnSwitch::policy());
    find_storm();
    poll(Peer::sends_xoff, 60, 1h);
    const auto before = message_count("storm");
    on_->sonic_->set_of_queue(kQueue, "PFC_WD_STATUS", "operational");
    poll(Peer::sends_xoff, 6, 1h);
    on_->sonic_->catch_up();
    EXPECT_GT(message_count("storm"), before);
    EXPECT_TRUE(mitigated());
}

}  // namespace
}  // namespace petrel::test
