// The agent on a synthetic switch: which looks it requests and when, and what it does if results are late, wrong or
// missing.
#include "agent/agent.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "device/synthetic/faulty_device.hpp"
#include "device/synthetic/removable_ports.hpp"
#include "support/simulated_runner.hpp"
#include "support/synthetic_switch.hpp"
#include "support/world.hpp"

namespace petrel::agent {
namespace {

using namespace std::chrono_literals;
using device::FaultyDevice;
using device::SyntheticSwitch;
using watchdog::Event;
using watchdog::EventKind;
using watchdog::Order;
using watchdog::Phase;
using watchdog::Reason;
using watchdog::Treatment;

Instant at(Duration since_start) { return Instant{since_start}; }

class AgentOnSwitch : public testing::Test {
protected:
    void start(const char* preset = "sonic", const std::function<void(watchdog::Policy&)>& adjust = {})
    {
        auto policy = watchdog::find_preset(preset)->policy;
        if (adjust) {
            adjust(policy);
        }
        runner.emplace(clock, faulty, disk, test::book_of(policy));
        runner->run_until(clock.now().mono);
    }

    const std::vector<Event>& events() const { return runner->events; }
    std::vector<EventKind> kinds() const
    {
        std::vector<EventKind> all;
        for (const auto& e : events()) {
            all.push_back(e.kind);
        }
        return all;
    }

    Target queue() const { return sw.queue(1, Priority{3}); }
    Phase phase() const { return runner->agent().watchdog().phase(sw.slot(queue())); }

    static SyntheticSwitch::Options options()
    {
        SyntheticSwitch::Options o;
        o.ports = 4;
        return o;
    }

    device::ManualClock clock;
    SyntheticSwitch sw{options(), clock};
    FaultyDevice faulty{sw};
    lab::SimulatedDisk disk;
    std::optional<test::SimulatedRunner> runner;
};

TEST_F(AgentOnSwitch, DetectsAtT0ContainsAndRestoresAtT1)
{
    sw.pause(queue(), device::storm(at(1050ms), at(3s)));
    start();
    runner->run_until(at(10s));
    ASSERT_EQ(kinds(), (std::vector{EventKind::storm_detected, EventKind::storm_restored}));
    // The pause time is known, so the first, partly paused interval counts: T0 after its true beginning.
    EXPECT_EQ(events()[0].at, at(1450ms));
    EXPECT_EQ(events()[0].evidence.proven, 400ms);
    EXPECT_EQ(events()[1].at, at(5s));
    EXPECT_EQ(events()[1].cause, events()[0].seq);
    EXPECT_EQ(sw.in_force(queue()), Treatment::none);
    EXPECT_TRUE(disk.journaled().empty());
}

TEST_F(AgentOnSwitch, RequestsSingleRowsBetweenPolls)
{
    sw.pause(queue(), device::storm(at(1010ms), at(9s)));
    start();
    runner->run_until(at(1410ms));
    ASSERT_EQ(events().size(), 1U);
    EXPECT_EQ(events().front().at, at(1410ms));
    EXPECT_EQ(runner->device_runner().intake()->view().touched.size(), 1U);
    runner->run_until(at(1500ms));
    EXPECT_EQ(runner->agent().counters().looks, 16U + 1U) << "the polls, and one look at a single row";
}

TEST_F(AgentOnSwitch, AFailedWriteIsReportedRetriedAndConfirmed)
{
    sw.pause(queue(), device::storm(at(1s), at(9s)));
    faulty.next(FaultyDevice::Call::apply, FaultyDevice::Fault::fail, 2);
    start();
    runner->run_until(at(2s));
    EXPECT_EQ(kinds(),
              (std::vector{EventKind::storm_detected, EventKind::mitigation_failed, EventKind::mitigation_failed}));
    EXPECT_EQ(phase(), Phase::mitigated);
    EXPECT_EQ(sw.in_force(queue()), Treatment::drop);
}

TEST_F(AgentOnSwitch, ARefusedPortTreatmentStepsDownToTheQueues)
{
    for (const auto priority : {Priority{3}, Priority{4}}) {
        sw.pause(sw.queue(1, priority), device::storm(at(1s), at(3s)));
        sw.demand(sw.queue(1, priority), BitRate{10'000'000'000});
    }
    faulty.next(FaultyDevice::Call::apply, FaultyDevice::Fault::refuse);
    start("rdma-switch");
    runner->run_until(at(2s));
    const auto all = kinds();
    EXPECT_EQ(std::count(all.begin(), all.end(), EventKind::storm_escalated), 0);
    EXPECT_EQ(sw.in_force(sw.port(1)), Treatment::none);
    EXPECT_EQ(sw.in_force(sw.queue(1, Priority{3})), Treatment::drop);
    EXPECT_EQ(sw.in_force(sw.queue(1, Priority{4})), Treatment::drop);
    runner->run_until(at(10s));
    EXPECT_EQ(phase(), Phase::watching);
    EXPECT_EQ(sw.in_force(sw.queue(1, Priority{3})), Treatment::none);
}

TEST_F(AgentOnSwitch, ASilentlyIgnoredWriteIsFoundByReadBack)
{
    sw.pause(queue(), device::storm(at(1s), at(9s)));
    faulty.next(FaultyDevice::Call::apply, FaultyDevice::Fault::have_no_effect);
    start();
    runner->run_until(at(2s));
    ASSERT_GE(events().size(), 2U);
    EXPECT_EQ(events()[1].reason, Reason::differs);
    EXPECT_EQ(sw.in_force(queue()), Treatment::drop);
}

TEST_F(AgentOnSwitch, AFailedRestoreIsReportedAndRetriedUntilDone)
{
    sw.pause(queue(), device::storm(at(1s), at(2s)));
    start();
    runner->run_until(at(3s));
    faulty.next(FaultyDevice::Call::apply, FaultyDevice::Fault::fail, 3);
    runner->run_until(at(12s));
    EXPECT_EQ(kinds(), (std::vector{EventKind::storm_detected, EventKind::restore_failed, EventKind::restore_failed,
                                    EventKind::restore_failed, EventKind::storm_restored}));
    EXPECT_EQ(sw.in_force(queue()), Treatment::none);
}

TEST_F(AgentOnSwitch, AFailedLookIsCountedAndTheNextLookCoversTheWholeTime)
{
    sw.pause(queue(), device::storm(at(1s), at(9s)));
    start();
    runner->run_until(at(1050ms));
    faulty.next(FaultyDevice::Call::look, FaultyDevice::Fault::fail, 3);
    runner->run_until(at(2s));
    EXPECT_GE(runner->agent().counters().looks_failed, 3U);
    ASSERT_FALSE(events().empty());
    EXPECT_EQ(events().front().at, at(1400ms));
}

TEST_F(AgentOnSwitch, AStopRestoresEverythingAndAHoldDoesNot)
{
    for (const auto kind : {Order::Kind::stop, Order::Kind::stop_and_hold}) {
        sw.pause(queue(), device::storm(clock.now().mono + 1s, clock.now().mono + 9s));
        start();
        runner->run_until(clock.now().mono + 2s);
        ASSERT_EQ(sw.in_force(queue()), Treatment::drop);
        runner->order(Order{kind, std::nullopt, "night shift"});
        EXPECT_TRUE(runner->device_runner().stopped());
        EXPECT_EQ(sw.in_force(queue()), kind == Order::Kind::stop ? Treatment::none : Treatment::drop);
        runner->run_until(clock.now().mono + 20s);
    }
}

TEST_F(AgentOnSwitch, TheJournalFollowsPortsThatGetOtherNumbers)
{
    constexpr std::uint32_t kWord = 0x42;
    sw.configure(queue(), kWord);
    sw.pause(queue(), device::storm(at(1s), at(4s)));
    std::set<std::string> removed;
    device::RemovablePorts* opened{};
    device::RemovablePorts ports{faulty, removed, opened};
    runner.emplace(clock, ports, disk, test::book_of(watchdog::find_preset("sonic")->policy));
    runner->run_until(at(2s));
    ASSERT_EQ(disk.journaled().size(), 1U);
    removed.insert(sw.inventory().ports[0].name);
    runner->run_until(at(3s));
    ASSERT_EQ(runner->device_runner().inventory()->ports[0].name, sw.inventory().ports[1].name);
    EXPECT_EQ(sw.in_force(queue()), Treatment::drop);
    runner->run_until(at(10s));
    EXPECT_EQ(sw.configuration(queue()), kWord) << "restored from the journal";
    EXPECT_TRUE(disk.journaled().empty());
}

// An agent without a runner: the test decides when a look is answered.
class SteppedAgent {
public:
    SteppedAgent(SyntheticSwitch& sw, const watchdog::Capabilities& capabilities, device::ManualClock& clock)
        : sw_(sw),
          clock_(clock),
          intake_(sw.inventory(), capabilities),
          agent_(watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), sw.inventory(), capabilities)
                     .value(),
                 Start{}, clock.now(), output)
    {}

    void step(const Input& input, Instant when)
    {
        clock_.set(when);
        output.clear();
        agent_.step(input, clock_.now(), output);
    }
    void answer(std::uint64_t look, Instant when)
    {
        clock_.set(when);
        intake_.begin();
        ASSERT_TRUE(sw_.look({}, intake_));
        step(LookDone{look, &intake_.view()}, when);
    }
    const Counters& counters() const { return agent_.counters(); }

    Output output;

private:
    SyntheticSwitch& sw_;
    device::ManualClock& clock_;
    watchdog::Intake intake_;
    Agent agent_;
};

TEST_F(AgentOnSwitch, ALateLookIsStillUsedAndMissedPollsAreCounted)
{
    SteppedAgent late{sw, sw.capabilities(), clock};
    ASSERT_TRUE(late.output.look);
    sw.pause(queue(), device::storm(at(1ms), at(9s)));
    late.answer(late.output.look->look, at(0ms));
    late.step(Tick{}, at(100ms));
    ASSERT_TRUE(late.output.look);
    const auto second = late.output.look->look;
    late.step(Overdue{second}, at(350ms));
    EXPECT_EQ(late.counters().looks_overdue, 1U);
    EXPECT_FALSE(late.output.look) << "nothing may be queued behind a look that hangs";
    late.answer(second, at(450ms));
    ASSERT_FALSE(late.output.box.events.empty());
    EXPECT_EQ(late.output.box.events.front().kind, EventKind::storm_detected);
    EXPECT_EQ(late.counters().polls_missed, 2U);
}

TEST_F(AgentOnSwitch, PollsThatWereMissedAreNotMadeUpFor)
{
    SteppedAgent late{sw, sw.capabilities(), clock};
    late.answer(late.output.look->look, at(0ms));
    late.step(Tick{}, at(100ms));
    late.answer(late.output.look->look, at(450ms));
    ASSERT_TRUE(late.output.look) << "the next poll is due";
    late.answer(late.output.look->look, at(460ms));
    EXPECT_FALSE(late.output.look);
    EXPECT_EQ(late.output.wake, at(500ms));
}

// The device is read when it has new counters. A look that waits for them is not late and misses no poll.
TEST_F(AgentOnSwitch, ALookThatWaitsIsFollowedByTheNextAtOnce)
{
    auto capabilities = sw.capabilities();
    capabilities.look_waits = 250ms;
    const auto poll = watchdog::find_preset("sonic")->policy.poll;
    SteppedAgent waits{sw, capabilities, clock};
    ASSERT_TRUE(waits.output.look);
    EXPECT_EQ(waits.output.look->deadline, at(0ms) + poll + 250ms);
    waits.answer(waits.output.look->look, at(200ms));
    ASSERT_TRUE(waits.output.look);
    waits.answer(waits.output.look->look, at(210ms));
    EXPECT_FALSE(waits.output.look) << "the device did not wait: two looks begin one poll apart";
    EXPECT_EQ(waits.output.wake, at(200ms) + poll);
    EXPECT_EQ(waits.counters().polls_missed, 0U);
}

TEST_F(AgentOnSwitch, ALookOfAnOldInventoryIsDropped)
{
    SteppedAgent agent{sw, sw.capabilities(), clock};
    const auto look = agent.output.look->look;
    device::SyntheticSwitch::Options more = options();
    more.ports = 64;
    SyntheticSwitch grown{more, clock};
    agent.step(watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), grown.inventory(),
                                 grown.capabilities())
                   .value(),
               at(0ms));
    agent.answer(look, at(0ms));
    EXPECT_EQ(agent.counters().looks_failed, 1U);
}

class MassStorm : public AgentOnSwitch {
protected:
    static constexpr std::uint16_t kPorts = 300;

    MassStorm()
    {
        for (std::uint16_t p = 0; p < kPorts; ++p) {
            many.pause(many.queue(p, Priority{3}), device::storm(at(1s), at(3s)));
        }
    }

    static SyntheticSwitch::Options many_ports()
    {
        SyntheticSwitch::Options o;
        o.ports = kPorts;
        return o;
    }

    SyntheticSwitch many{many_ports(), clock};
};

TEST_F(MassStorm, BeginsAtOnceAndNothingIsLost)
{
    runner.emplace(clock, many, disk, test::book_of(watchdog::find_preset("sonic")->policy));
    runner->run_until(at(10s));
    const auto all = kinds();
    EXPECT_EQ(std::ranges::count(all, EventKind::storm_detected), kPorts);
    EXPECT_EQ(std::ranges::count(all, EventKind::storm_restored), kPorts);
    for (const auto& event : events()) {
        if (event.kind == EventKind::storm_detected) {
            EXPECT_EQ(event.at, at(1400ms));
        }
    }
    EXPECT_TRUE(disk.journaled().empty());
}

TEST_F(MassStorm, TheOutputOfAStepIsBoundedAndTheNextStepContinues)
{
    SteppedAgent agent{many, many.capabilities(), clock};
    agent.answer(agent.output.look->look, at(0ms));
    agent.step(Tick{}, at(1s));
    agent.answer(agent.output.look->look, at(1s));
    agent.step(Tick{}, at(1400ms));
    agent.answer(agent.output.look->look, at(1400ms));
    std::size_t detected = agent.output.box.events.size();
    std::size_t commands = agent.output.box.commands.size();
    while (agent.output.box.overflowed) {
        EXPECT_LE(agent.output.box.events.size(), 256U);
        EXPECT_EQ(agent.output.wake, at(1400ms));
        agent.step(Tick{}, at(1400ms));
        detected += agent.output.box.events.size();
        commands += agent.output.box.commands.size();
    }
    EXPECT_EQ(detected, kPorts);
    EXPECT_EQ(commands, 16U) << "the other commands wait for an outcome";
    EXPECT_GT(agent.output.wake, at(1400ms)) << "an outcome or a deadline wakes the agent";
}

TEST_F(AgentOnSwitch, APortThatTheDeviceDoesNotShowTreatedIsNotTreatedAgain)
{
    sw.pause(queue(), device::storm(at(1s), at(3s)));
    sw.demand(queue(), BitRate{10'000'000'000});
    start("rdma-switch");
    runner->run_until(at(2s));
    ASSERT_EQ(sw.in_force(sw.port(1)), Treatment::lossless_off);
    Start next;
    next.remembered = runner->agent().save(clock.now().mono);
    runner->run_until(at(5s));
    ASSERT_EQ(sw.in_force(sw.port(1)), Treatment::none);
    auto list = watchdog::compile(test::book_of(watchdog::find_preset("rdma-switch")->policy), sw.inventory(),
                                  sw.capabilities());
    ASSERT_TRUE(list);
    Output out;
    Agent reborn{std::move(*list), next, clock.now(), out};
    for (const auto& command : out.box.commands) {
        EXPECT_EQ(command.want, Treatment::none);
    }
}

// Several queues at once: no command follows from the checkpoint alone, before it is compared with the device.
TEST_F(AgentOnSwitch, NoQueueThatTheDeviceDoesNotShowTreatedIsTreatedAgain)
{
    for (std::uint16_t port = 0; port < 3; ++port) {
        sw.pause(sw.queue(port, Priority{3}), device::storm(at(1s), at(3s)));
    }
    start();
    runner->run_until(at(2s));
    ASSERT_EQ(disk.journaled().size(), 3U);
    Start next;
    next.remembered = runner->agent().save(clock.now().mono);
    auto list =
        watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), sw.inventory(), sw.capabilities());
    ASSERT_TRUE(list);
    Output out;
    const Agent reborn{std::move(*list), next, clock.now(), out};
    EXPECT_EQ(out.box.commands.size(), 3U);
    for (const auto& command : out.box.commands) {
        EXPECT_EQ(command.want, Treatment::none);
    }
}

// Whatever a device does wrong: once it works again and the storms are over, no queue stays mitigated.
RC_GTEST_PROP(AgentLaw, NothingStaysMitigatedOnceTheDeviceBehaves, ())
{
    device::ManualClock clock;
    SyntheticSwitch::Options options;
    options.ports = 3;
    SyntheticSwitch sw{options, clock};
    FaultyDevice faulty{sw};
    lab::SimulatedDisk disk;
    const auto policy = watchdog::find_preset(*rc::gen::element<std::string>("sonic", "progress", "sai"))->policy;
    for (std::uint16_t p = 0; p < options.ports; ++p) {
        const auto from = *rc::gen::inRange(100, 2000);
        sw.pause(sw.queue(p, Priority{3}),
                 device::storm(Instant{std::chrono::milliseconds{from}},
                               Instant{std::chrono::milliseconds{from + *rc::gen::inRange(10, 3000)}}));
        sw.demand(sw.queue(p, Priority{3}), BitRate{10'000'000'000});
    }
    test::SimulatedRunner runner{clock, faulty, disk, test::book_of(policy)};
    const auto faults = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange(1, 6), rc::gen::inRange(0, 500)));
    for (const auto& [call, fault, gap] : faults) {
        const auto which = static_cast<FaultyDevice::Call>(call);
        const auto how = static_cast<FaultyDevice::Fault>(fault);
        // No false read-back: the agent cannot detect that a device ignores a write and reads it back as done.
        const bool lie = which == FaultyDevice::Call::read_back && how == FaultyDevice::Fault::have_no_effect;
        runner.run_until(clock.now().mono + std::chrono::milliseconds{gap});
        faulty.next(which, lie ? FaultyDevice::Fault::fail : how);
    }
    runner.run_until(clock.now().mono + 60s);
    for (std::uint16_t p = 0; p < options.ports; ++p) {
        RC_ASSERT(sw.in_force(sw.queue(p, Priority{3})) == Treatment::none);
        RC_ASSERT(runner.agent().watchdog().phase(sw.slot(sw.queue(p, Priority{3}))) == Phase::watching);
    }
    RC_ASSERT(disk.journaled().empty());
    std::size_t begun = 0;
    std::size_t ended = 0;
    for (const auto& e : runner.events) {
        begun += e.kind == EventKind::storm_detected || (e.kind == EventKind::storm_alert) ? 1 : 0;
        ended += e.kind == EventKind::storm_restored ? 1 : 0;
    }
    RC_ASSERT(begun == ended);
}

}  // namespace
}  // namespace petrel::agent
