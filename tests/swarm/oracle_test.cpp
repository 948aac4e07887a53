// Each oracle accepts a run that keeps its law and finds one that breaks it. The runs are glances made by hand.
#include <gtest/gtest.h>

#include "lab/experiment_from_text.hpp"
#include "swarm/oracles.hpp"

namespace petrel::swarm {
namespace {

using watchdog::EventKind;
using watchdog::Phase;
using watchdog::Reason;
using watchdog::Treatment;

constexpr auto kText = R"(
name = "oracles"
duration = "1s"
[topology]
kind = "single-switch"
hosts = 2
[[policy]]
preset = "sai"
detect_ms = 20
restore_ms = 40
poll_ms = 10
)";

// A run of one switch. Each step is a glance 2 ms after the last one.
class OracleTest : public testing::Test {
protected:
    explicit OracleTest(const std::string& text = kText) : experiment(test::experiment(text)) {}

    void step()
    {
        auto now = last;
        now.at += 2 * twin::kMs;
        now.events.clear();
        change(now);
        change = [](Glance&) {};
        if (oracle) {
            oracle->look(last, now);
        }
        last = std::move(now);
    }
    void steps(int count)
    {
        for (int i = 0; i < count; ++i) {
            step();
        }
    }
    QueueGlance& queue() { return last.queues.front(); }
    Treatment action = Treatment::drop;  // of the next events
    void tell(EventKind kind, Reason reason, Ps at)
    {
        change = [=, this](Glance& now) {
            EventGlance told{};
            told.event.kind = kind;
            told.event.reason = reason;
            told.event.at = twin::to_instant(at);
            told.event.action = action;
            told.node = of.places.ports.front().end.node;
            told.port = 0;
            told.queue = 0;
            told.policy = now.queues.front().row.policy;
            told.where = of.places.name(0);
            now.events.push_back(told);
        };
        step();
    }
    void tell(EventKind kind, Reason reason) { tell(kind, reason, last.at + twin::kMs); }
    std::string found()
    {
        oracle->end(last, ending);
        return oracle->violations().empty() ? "" : oracle->violations().front().what;
    }

    std::unique_ptr<lab::Experiment> experiment;
    Watcher watcher{*experiment};
    Case of{experiment->scenario(), watcher.places(), Disturbances{experiment->scenario()}};
    Ending ending = [this] {
        experiment->run_until(twin::kMs);  // the agent has started
        return watcher.ending();
    }();
    Glance last = watcher.glance();
    std::function<void(Glance&)> change = [](Glance&) {};
    std::unique_ptr<Oracle> oracle;
};

TEST_F(OracleTest, AFrameThatIsNowhereIsFound)
{
    oracle = conservation();
    ending.totals = {};
    ending.totals.injected = 3;
    ending.totals.delivered = 1;
    ending.totals.in_flight = 1;
    ending.totals.drops[twin::Drop::headroom] = 1;
    EXPECT_EQ(found(), "");
    ++ending.totals.injected;
    EXPECT_EQ(found(), "Hosts sent 4 frames, but 3 are delivered, in flight or dropped.");
}

TEST_F(OracleTest, LossIsExplainedByATreatmentOnly)
{
    oracle = loss_outside_sites(of);
    queue().treated = true;
    change = [](Glance& now) { now.queues.front().tx_drops = 5; };
    step();
    EXPECT_EQ(found(), "");
    queue().treated = false;
    steps(400);
    change = [](Glance& now) { ++now.queues.front().tx_drops; };
    step();
    EXPECT_EQ(found(), "1 frames to an untreated queue were dropped.");
}

TEST_F(OracleTest, LossIsExplainedByALinkThatGoesDown)
{
    oracle = loss_outside_sites(of);
    change = [](Glance& now) {
        ++now.queues.front().tx_drops;
        ++now.ports.front().epoch;
    };
    step();
    EXPECT_EQ(found(), "");
    steps(400);
    change = [](Glance& now) { ++now.queues.front().rx_drops; };
    step();
    EXPECT_NE(found(), "");
}

TEST_F(OracleTest, ATreatmentNeedsAReasonAtTheEnd)
{
    oracle = treatment_left(of);
    queue().treated = true;
    queue().paused = true;
    steps(10);
    EXPECT_EQ(found(), "");  // the storm goes on
    queue().paused = false;
    steps(20);
    EXPECT_EQ(found(), "");  // T1 and all retries are not over yet
    queue().row.phase = Phase::latched;
    steps(1000);
    EXPECT_EQ(found(), "");
    queue().row.phase = Phase::mitigated;
    EXPECT_NE(found(), "");
}

TEST_F(OracleTest, ADroppedQueueSendsNoPause)
{
    oracle = pause_from_dropping(of);
    queue().mute = queue().discards = true;
    ++queue().pause_sent;
    steps(2);
    EXPECT_EQ(found(), "");
    change = [](Glance& now) { ++now.queues.front().pause_sent; };
    step();
    EXPECT_EQ(found(), "1 pause frames were sent for a queue that is dropped.");
}

TEST_F(OracleTest, ADroppedQueueHoldsNothing)
{
    oracle = pause_from_dropping(of);
    queue().bytes = 100;
    step();
    EXPECT_EQ(found(), "");
    queue().discards = true;
    step();
    EXPECT_EQ(found(), "The queue discards its packets and holds 100 bytes.");
}

TEST_F(OracleTest, TheAgentBelievesWhatTheRegistersShow)
{
    oracle = belief(of);
    steps(100);
    EXPECT_EQ(found(), "");
    queue().treated = true;
    EXPECT_EQ(found(), "The registers show a treatment that the agent has no record of.");
}

TEST_F(OracleTest, AStormIsFoundWithinItsBound)
{
    oracle = detection_bound(of);
    steps(2);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(16);  // T0 + T2 are 30 ms
    EXPECT_EQ(found(), "");
    step();
    EXPECT_EQ(found(), "The queue has been paused for 32.000 ms and is only watched; the bound is 30.000 ms.");
}

TEST_F(OracleTest, ABreakRestartsTheBound)
{
    oracle = detection_bound(of);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(12);
    change = [](Glance& now) { ++now.queues.front().pauses_ended; };
    steps(12);
    EXPECT_EQ(found(), "");
}

TEST_F(OracleTest, NoStormIsFoundBeforeT0)
{
    oracle = early_detection(of);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(10);
    tell(EventKind::storm_detected, Reason::proven);
    EXPECT_EQ(found(), "");

    queue().paused = false;
    ++queue().pauses_ended;
    steps(30);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(7);
    tell(EventKind::storm_detected, Reason::proven);
    EXPECT_EQ(found(), "A storm is announced, but the queue was paused for 15.000 ms at most; T0 is 20.000 ms.");
}

TEST_F(OracleTest, AStormThatIsOverIsClosedWithinItsBound)
{
    oracle = restore_bound(of);
    queue().row.phase = Phase::mitigated;
    queue().paused = true;
    steps(100);
    EXPECT_EQ(found(), "");
    change = [](Glance& now) { now.queues.front().paused = false; };
    steps(31);  // T1 + 2 T2 are 60 ms
    EXPECT_EQ(found(), "");
    step();
    EXPECT_NE(found(), "");
}

TEST_F(OracleTest, AStormIsNotClosedBeforeT1)
{
    oracle = early_restore(of);
    steps(40);
    tell(EventKind::storm_restored, Reason::quiet);
    EXPECT_EQ(found(), "");
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(13);  // longer than two polls
    queue().paused = false;
    steps(5);
    tell(EventKind::storm_restored, Reason::quiet);
    EXPECT_EQ(found(), "The storm is closed as quiet, but the queue was paused 11.000 ms before; T1 is 40.000 ms.");
}

TEST_F(OracleTest, StormsOfAQueueAreApart)
{
    oracle = action_rate(of);
    tell(EventKind::storm_detected, Reason::proven);
    steps(30);  // T0 + T1 are 60 ms
    tell(EventKind::storm_detected, Reason::proven);
    EXPECT_EQ(found(), "");
    steps(23);
    tell(EventKind::storm_detected, Reason::proven);
    EXPECT_EQ(found(), "This storm is announced 48.000 ms after the last; T0 and T1 are 60.000 ms together.");
}

TEST_F(OracleTest, AStormIsNotAnnouncedTwice)
{
    oracle = closed_once(of);
    tell(EventKind::storm_detected, Reason::proven);
    tell(EventKind::storm_restored, Reason::quiet);
    tell(EventKind::storm_detected, Reason::proven);
    queue().row.phase = Phase::mitigated;
    EXPECT_EQ(found(), "");
    tell(EventKind::storm_detected, Reason::proven);
    EXPECT_NE(found(), "");
}

TEST_F(OracleTest, AStormIsNotClosedTwice)
{
    oracle = closed_once(of);
    tell(EventKind::storm_detected, Reason::proven);
    tell(EventKind::storm_restored, Reason::quiet);
    EXPECT_EQ(found(), "");
    tell(EventKind::storm_restored, Reason::quiet);
    EXPECT_EQ(found(), "A storm is closed that was not announced, or was closed before.");
}

TEST_F(OracleTest, AStormIsClosedAtTheEnd)
{
    oracle = closed_once(of);
    tell(EventKind::storm_detected, Reason::proven);
    queue().row.phase = Phase::mitigated;
    steps(200);
    EXPECT_EQ(found(), "");
    queue().row.phase = Phase::watching;
    steps(150);
    EXPECT_EQ(found(), "") << "the event that closes it may wait";
    step();
    EXPECT_NE(found(), "");
}

TEST_F(OracleTest, EvidenceLeadsToTheDecision)
{
    using namespace std::chrono_literals;
    oracle = evidence_replays(of);
    const auto storm = [this](std::uint8_t second_look) {
        tell(EventKind::storm_detected, Reason::proven);
        auto told = last.events.front();
        auto& evidence = told.event.evidence;
        evidence.rule.criterion = watchdog::Criterion::continuous;
        evidence.rule.source = watchdog::Source::state;
        evidence.proven = evidence.limit = 20ms;
        evidence.looks = 2;
        evidence.last[0] = {10'000, bit(watchdog::Field::pause_state), watchdog::kThroughout, {}};
        evidence.last[1] = {10'000, bit(watchdog::Field::pause_state), second_look, {}};
        change = [told](Glance& now) { now.events.push_back(told); };
        oracle = evidence_replays(of);  // a new oracle, which has not seen the event of tell()
        step();
        return found();
    };
    EXPECT_EQ(storm(watchdog::kThroughout), "");
    EXPECT_EQ(storm(watchdog::kNotPausedNow), "The looks in the evidence do not lead to the decision.");
}

TEST_F(OracleTest, EvidenceOfProgressLeaks)
{
    using namespace std::chrono_literals;
    const auto storm = [this](Duration proven) {
        tell(EventKind::storm_detected, Reason::proven);
        auto told = last.events.front();
        auto& evidence = told.event.evidence;
        evidence.rule.criterion = watchdog::Criterion::progress;
        evidence.rule.source = watchdog::Source::state;
        evidence.rule.leak = 2;
        evidence.proven = proven;
        evidence.limit = 20ms;
        evidence.looks = 3;
        for (const auto i : {0U, 2U}) {
            evidence.last[i] = {10'000, bit(watchdog::Field::pause_state), watchdog::kThroughout, {}};
        }
        evidence.last[1] = {1'000, bit(watchdog::Field::pause_state), 0, {}};
        change = [told](Glance& now) { now.events.push_back(told); };
        oracle = evidence_replays(of);  // a new oracle has no events yet
        step();
        return found();
    };
    EXPECT_EQ(storm(20ms), "");  // 2 ms before, and 2 ms leak
    EXPECT_EQ(storm(17ms), "The evidence of the storm proves less than the limit of its clock.");
    EXPECT_EQ(storm(35ms), "The evidence was complete one look before the decision.");
    EXPECT_EQ(storm(51ms), "The looks in the evidence do not lead to the decision.");
}

TEST_F(OracleTest, AnAlertedStormMayBeAnnouncedOnceMoreWithItsTreatment)
{
    oracle = closed_once(of);
    queue().row.phase = Phase::alerted;
    action = Treatment::none;
    tell(EventKind::pause_too_long, Reason::proven);
    action = Treatment::squeeze;
    tell(EventKind::pause_too_long, Reason::proven);
    EXPECT_EQ(found(), "");
    tell(EventKind::pause_too_long, Reason::proven);
    EXPECT_NE(found(), "");
}

TEST_F(OracleTest, AWithheldStormIsMitigatedWithEvidence)
{
    oracle = evidence_replays(of);
    tell(EventKind::storm_alert, Reason::blast_radius);
    tell(EventKind::storm_detected, Reason::proven);
    EXPECT_EQ(found(), "The evidence of the storm proves less than the limit of its clock.");
}

TEST_F(OracleTest, AQueueIsWatchedByItsPolicy)
{
    oracle = policy_of_each_queue(of);
    steps(100);
    EXPECT_EQ(found(), "");
    queue().row.policy.detect += std::chrono::milliseconds{1};
    EXPECT_EQ(found(), "It is not watched by the last policy that names it, sai.");
}

// A switch that is watched by the pause-timeout status of its ports. T0 and T1 are zero.
class StatusOracleTest : public OracleTest {
protected:
    StatusOracleTest()
        : OracleTest(R"(
name = "status"
duration = "1s"
[topology]
kind = "single-switch"
hosts = 2
[[switch]]
pause_limit = "10ms"
[[policy]]
preset = "pause-too-long"
poll_ms = 10
)")
    {}

    PortGlance& port() { return last.ports.front(); }
    void tell_of_port(EventKind kind)
    {
        change = [=, this](Glance& now) {
            EventGlance told{};
            told.event.kind = kind;
            told.event.reason = Reason::proven;
            told.event.at = twin::to_instant(last.at + twin::kMs);
            told.node = of.places.ports.front().end.node;
            told.port = 0;
            told.policy = now.ports.front().row.policy;
            told.where = of.places.ports.front().name;
            now.events.push_back(told);
        };
        step();
    }
};

TEST_F(StatusOracleTest, AStatusIsFoundWithinItsBound)
{
    oracle = detection_bound_of_status(of);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(16);  // the limit and two polls are 30 ms
    EXPECT_EQ(found(), "");
    step();
    EXPECT_EQ(found(), "The status shows a pause for 22.000 ms and the port is only watched; the bound is 20.000 ms.");
}

TEST_F(StatusOracleTest, NoStatusIsFoundBeforeItsLimit)
{
    oracle = early_detection_by_status(of);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(6);
    tell_of_port(EventKind::pause_too_long);
    EXPECT_EQ(found(), "");
    queue().paused = false;
    ++queue().pauses_ended;
    steps(30);
    change = [](Glance& now) { now.queues.front().paused = true; };
    steps(2);
    tell_of_port(EventKind::pause_too_long);
    EXPECT_EQ(found(), "A storm is announced, but no queue of the port was paused for 10.000 ms.");
}

TEST_F(StatusOracleTest, AStatusThatIsOverIsClosedWithinItsBound)
{
    oracle = restore_bound_of_status(of);
    port().row.phase = Phase::mitigated;
    queue().paused = true;
    steps(100);
    EXPECT_EQ(found(), "");
    change = [](Glance& now) { now.queues.front().paused = false; };
    steps(11);  // two polls are 20 ms
    EXPECT_EQ(found(), "");
    step();
    EXPECT_EQ(found(), "The port has been quiet for 22.000 ms and is still mitigated; the bound is 20.000 ms.");
}

TEST_F(StatusOracleTest, AStormOfAPortIsClosedAtTheEnd)
{
    oracle = closed_once(of);
    tell_of_port(EventKind::pause_too_long);
    port().row.phase = Phase::mitigated;
    steps(200);
    EXPECT_EQ(found(), "");
    port().row.phase = Phase::watching;
    steps(151);
    EXPECT_NE(found(), "");
}

// T0 is 80 ms.
class NicOracleTest : public OracleTest {
protected:
    NicOracleTest()
        : OracleTest(std::string{kText} + "[[policy]]\npreset = \"rdma-nic\"\ndetect_ms = 80\npoll_ms = 10\n")
    {}

    NicGlance& nic() { return last.nics.front(); }
    void pause_for(int count)
    {
        for (int i = 0; i < count; ++i) {
            change = [](Glance& now) { now.nics.front().pausing_for[3] += 2 * twin::kMs; };
            step();
        }
    }
    void tell_of_nic(EventKind kind)
    {
        change = [=, this](Glance& now) {
            EventGlance told{};
            told.event.kind = kind;
            told.event.reason = Reason::proven;
            told.event.at = twin::to_instant(last.at + twin::kMs);
            told.node = of.places.nics.front().node;
            told.nic = 0;
            told.policy = now.nics.front().row.policy;
            told.where = of.places.nics.front().name;
            now.events.push_back(told);
        };
        step();
    }
};

TEST_F(NicOracleTest, AStallIsFoundWithinItsBound)
{
    oracle = detection_bound_of_nics(of);
    step();
    pause_for(40);
    change = [](Glance& now) { ++now.nics.front().taken; };
    step();
    pause_for(50);  // T0 and two polls are 100 ms
    EXPECT_EQ(found(), "");
    pause_for(1);
    EXPECT_EQ(found(),
              "The NIC has taken no frame and paused its switch for 102.000 ms, and is only watched; the bound "
              "is 100.000 ms.");
}

TEST_F(NicOracleTest, NoStallIsFoundBeforeT0)
{
    oracle = early_detection_in_nics(of);
    change = [](Glance& now) { ++now.nics.front().taken; };
    steps(41);
    tell_of_nic(EventKind::nic_latched);
    EXPECT_EQ(found(), "");
    change = [](Glance& now) { ++now.nics.front().taken; };
    steps(38);
    tell_of_nic(EventKind::nic_latched);
    EXPECT_EQ(found(), "A stall is announced, but the NIC took a frame 77.000 ms before at most; T0 is 80.000 ms.");
}

TEST_F(NicOracleTest, TheAgentBelievesWhatTheNicShows)
{
    oracle = belief_about_nics(of);
    steps(100);
    EXPECT_EQ(found(), "");
    nic().muted = true;
    EXPECT_EQ(found(), "The NIC is muted, and the agent has no record of it.");
}

TEST_F(NicOracleTest, AMutedNicNeedsAReasonAtTheEnd)
{
    oracle = treatment_left_in_nics(of);
    pause_for(50);
    nic().muted = true;
    nic().row.policy.release = watchdog::Release::quiet;
    nic().row.phase = Phase::mitigated;
    EXPECT_EQ(found(), "");
    steps(1000);
    nic().row.phase = Phase::latched;
    EXPECT_EQ(found(), "");
    nic().row.phase = Phase::mitigated;
    EXPECT_NE(found(), "");
}

// The end of a run of one switch with more tables, whose rows the test may change.
class PolicyOracleTest : public testing::Test {
protected:
    void run(const std::string& more)
    {
        experiment = test::experiment(kText + more);
        watcher.emplace(*experiment);
        experiment->run_until(500 * twin::kMs);
        last = watcher->glance();
    }
    std::string found() const
    {
        const Case of{experiment->scenario(), watcher->places(), Disturbances{experiment->scenario()}};
        const auto oracle = policy_of_each_queue(of);
        oracle->end(last, watcher->ending());
        const auto& found = oracle->violations();
        return found.empty() ? "" : found.front().where + ": " + found.front().what;
    }

    std::unique_ptr<lab::Experiment> experiment;
    std::optional<Watcher> watcher;
    Glance last;
};

TEST_F(PolicyOracleTest, APolicyOfOneQueueOverridesTheOneBeforeIt)
{
    run("[[policy]]\npreset = \"sonic\"\nports = [\"Ethernet1\"]\npriorities = [4]\n");
    EXPECT_EQ(found(), "");
    ASSERT_EQ(last.queues.size(), 4U);
    EXPECT_NE(last.queues[2].row.policy.detect, last.queues[3].row.policy.detect);
    last.queues[3].row.policy = last.queues[2].row.policy;
    EXPECT_EQ(found(), "s0:Ethernet1:4: It is not watched by the last policy that names it, sonic.");
}

TEST_F(PolicyOracleTest, AQueueThatNoPolicyNamesIsNotWatched)
{
    run("[[fault]]\nat = \"10ms\"\nkind = \"set-policy\"\ndevice = \"s0\"\npreset = \"sonic\"\nports = "
        "[\"Ethernet0\"]\n");
    EXPECT_EQ(found(), "");
    EXPECT_FALSE(last.queues[2].row.policy.watched);
    last.queues[2].row.policy = last.queues[0].row.policy;
    EXPECT_EQ(found(), "s0:Ethernet1:3: It is watched, and no policy names it.");
}

// The device of the runs that are made by hand, with one fault.
class SightTest : public testing::Test {
protected:
    // The condition is shown every 2 ms for 40 ms.
    static std::string judge(const std::string& fault, runner::DeviceRunner::Condition condition)
    {
        const auto experiment = test::experiment(kText + fault);
        const Watcher watcher{*experiment};
        const Case of{experiment->scenario(), watcher.places(), Disturbances{experiment->scenario()}};
        const auto oracle = out_of_sight(of);
        Glance now;
        now.devices.push_back({experiment->scenario().watches.front().node, condition, std::chrono::milliseconds{10}});
        for (int i = 0; i < 20; ++i) {
            const auto before = now;
            now.at += 2 * twin::kMs;
            oracle->look(before, now);
        }
        return oracle->violations().empty() ? "" : oracle->violations().front().what;
    }
};

TEST_F(SightTest, AnUndisturbedDeviceIsWatched)
{
    using Condition = runner::DeviceRunner::Condition;
    EXPECT_EQ(judge("", Condition::watching), "");
    EXPECT_EQ(judge("", Condition::failing), "The device can be seen and is reported as failing.");
}

TEST_F(SightTest, ADeviceThatCannotBeReadIsReported)
{
    using Condition = runner::DeviceRunner::Condition;
    const std::string fault = "[[fault]]\nat = \"1ms\"\nkind = \"skip-looks\"\ndevice = \"s0\"\n";
    EXPECT_EQ(judge(fault, Condition::failing), "");
    EXPECT_EQ(judge(fault, Condition::watching), "The device cannot be seen and is reported as watching.");
}

TEST_F(SightTest, ADeviceThatHangsIsReported)
{
    using Condition = runner::DeviceRunner::Condition;
    const std::string fault = "[limits]\nhang_ms = 10\n[[fault]]\nat = \"1ms\"\nkind = \"hang-device\"\n"
                              "device = \"s0\"\nuntil = \"1s\"\n";
    EXPECT_EQ(judge(fault, Condition::not_answering), "");
    EXPECT_EQ(judge(fault, Condition::watching), "The device cannot be seen and is reported as watching.");
}

}  // namespace
}  // namespace petrel::swarm
