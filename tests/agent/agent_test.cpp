// The agent on a synthetic switch: which looks it requests and when, and what it does if results are late, wrong or
// missing.
#include "agent/agent.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "device/synthetic/faulty_device.hpp"
#include "device/synthetic/memory_journal.hpp"
#include "support/inline_runner.hpp"
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
        auto book = test::book_of(policy);
        book.max_mitigated = max_mitigated;
        auto list = watchdog::compile(book, sw.inventory(), sw.capabilities());
        ASSERT_TRUE(list);
        agent.emplace(std::move(*list), Start{}, clock.now(), output);
        runner.emplace(*agent, output, faulty, journal, clock);
        runner->on_event([this](const Event& e) { events.push_back(e); });
    }

    std::vector<EventKind> kinds() const
    {
        std::vector<EventKind> all;
        for (const auto& e : events) {
            all.push_back(e.kind);
        }
        return all;
    }

    Target queue() const { return sw.queue(1, Priority{3}); }
    Phase phase() const { return agent->watchdog().phase(sw.slot(queue())); }

    static SyntheticSwitch::Options options()
    {
        SyntheticSwitch::Options o;
        o.ports = 4;
        return o;
    }

    std::uint32_t max_mitigated{};
    device::ManualClock clock;
    SyntheticSwitch sw{options(), clock};
    FaultyDevice faulty{sw};
    device::MemoryJournal journal;
    Output output;
    std::optional<Agent> agent;
    std::optional<runtime::InlineRunner> runner;
    std::vector<Event> events;
};

TEST_F(AgentOnSwitch, DetectsAtT0ContainsAndRestoresAtT1)
{
    sw.pause(queue(), device::storm(at(1050ms), at(3s)));
    start();
    runner->run_until(at(10s));
    ASSERT_EQ(kinds(), (std::vector{EventKind::storm_detected, EventKind::storm_restored}));
    // The pause time is known, so the first, partly paused interval counts: T0 after its true beginning.
    EXPECT_EQ(events[0].at, at(1450ms));
    EXPECT_EQ(events[0].evidence.proven, 400ms);
    EXPECT_EQ(events[1].at, at(5s));
    EXPECT_EQ(events[1].cause, events[0].seq);
    EXPECT_EQ(sw.in_force(queue()), Treatment::none);
    EXPECT_TRUE(journal.active()->empty());
}

TEST_F(AgentOnSwitch, AsksForSingleRowsBetweenPolls)
{
    sw.pause(queue(), device::storm(at(1010ms), at(9s)));
    start();
    std::vector<std::size_t> rows_read;
    runner->on_look([&](const watchdog::Observations& seen) { rows_read.push_back(seen.touched.size()); });
    runner->run_until(at(1500ms));
    EXPECT_EQ(events.front().at, at(1410ms));
    EXPECT_EQ(std::count(rows_read.begin(), rows_read.end(), 1), 1);
}

TEST_F(AgentOnSwitch, FailedWriteIsToldRetriedAndConfirmed)
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

TEST_F(AgentOnSwitch, SilentlyIgnoredWriteIsFoundByReadBack)
{
    sw.pause(queue(), device::storm(at(1s), at(9s)));
    faulty.next(FaultyDevice::Call::apply, FaultyDevice::Fault::have_no_effect);
    start();
    runner->run_until(at(2s));
    ASSERT_GE(events.size(), 2U);
    EXPECT_EQ(events[1].reason, Reason::differs);
    EXPECT_EQ(sw.in_force(queue()), Treatment::drop);
}

TEST_F(AgentOnSwitch, FailedRestoreIsToldAndRetriedUntilDone)
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

TEST_F(AgentOnSwitch, UnreadableDeviceIsCountedAndTheNextLookCountsTheWholeTime)
{
    sw.pause(queue(), device::storm(at(1s), at(9s)));
    start();
    runner->run_until(at(1050ms));
    faulty.next(FaultyDevice::Call::look, FaultyDevice::Fault::fail, 3);
    runner->run_until(at(2s));
    EXPECT_GE(agent->counters().looks_failed, 3U);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.front().at, at(1400ms));
}

TEST_F(AgentOnSwitch, StopRestoresEverythingAndHoldDoesNot)
{
    for (const auto kind : {Order::Kind::stop, Order::Kind::stop_and_hold}) {
        sw.pause(queue(), device::storm(clock.now().mono + 1s, clock.now().mono + 9s));
        start();
        runner->run_until(clock.now().mono + 2s);
        ASSERT_EQ(sw.in_force(queue()), Treatment::drop);
        runner->give(Order{kind, std::nullopt, "night shift"});
        EXPECT_TRUE(agent->stopped());
        EXPECT_EQ(sw.in_force(queue()), kind == Order::Kind::stop ? Treatment::none : Treatment::drop);
        runner->run_until(clock.now().mono + 20s);
    }
}

TEST_F(AgentOnSwitch, JournalFollowsWhenPortsGetOtherNumbers)
{
    sw.pause(queue(), device::storm(at(1s), at(9s)));
    start();
    runner->run_until(at(2s));
    const auto before = journal.active()->at(0).target.port.index;
    auto inventory = sw.inventory();
    std::reverse(inventory.ports.begin(), inventory.ports.end());
    runner->give(
        *watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), inventory, sw.capabilities()));
    EXPECT_EQ(journal.active()->at(0).target.port.index, inventory.ports.size() - 1 - before);
}

TEST_F(AgentOnSwitch, ALateLookIsStillUsedAndMissedPollsAreCounted)
{
    auto list =
        watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), sw.inventory(), sw.capabilities());
    ASSERT_TRUE(list);
    Agent late{std::move(*list), Start{}, clock.now(), output};
    ASSERT_TRUE(output.look);
    const auto first = output.look->look;
    watchdog::Intake intake{sw.inventory(), sw.capabilities()};
    const auto answer = [&](std::uint64_t look) {
        intake.begin();
        ASSERT_TRUE(sw.look({}, intake));
        output.clear();
        late.step(LookDone{look, &intake.view()}, clock.now(), output);
    };
    sw.pause(queue(), device::storm(at(1ms), at(9s)));
    answer(first);
    clock.set(at(100ms));
    output.clear();
    late.step(Tick{}, clock.now(), output);
    ASSERT_TRUE(output.look);
    const auto second = output.look->look;
    clock.set(at(350ms));
    output.clear();
    late.step(Overdue{second}, clock.now(), output);
    EXPECT_EQ(late.counters().looks_overdue, 1U);
    EXPECT_FALSE(output.look) << "nothing may be queued behind a look that hangs";
    clock.set(at(450ms));
    answer(second);
    ASSERT_FALSE(output.box.events.empty());
    EXPECT_EQ(output.box.events.front().kind, EventKind::storm_detected);
    EXPECT_EQ(late.counters().polls_missed, 2U);
}

// The device is read when it has new counters. A look that waits for them is not late and misses no poll.
TEST_F(AgentOnSwitch, ALookThatWaitsIsFollowedByTheNextAtOnce)
{
    auto capabilities = sw.capabilities();
    capabilities.look_waits = 250ms;
    const auto policy = watchdog::find_preset("sonic")->policy;
    auto list = watchdog::compile(test::book_of(policy), sw.inventory(), capabilities);
    ASSERT_TRUE(list);
    Agent waits{std::move(*list), Start{}, clock.now(), output};
    ASSERT_TRUE(output.look);
    EXPECT_EQ(output.look->deadline, at(0ms) + policy.poll + 250ms);
    watchdog::Intake intake{sw.inventory(), capabilities};
    const auto answer = [&](Instant when) {
        const auto look = output.look->look;
        clock.set(when);
        intake.begin();
        ASSERT_TRUE(sw.look({}, intake));
        output.clear();
        waits.step(LookDone{look, &intake.view()}, clock.now(), output);
    };
    answer(at(200ms));
    ASSERT_TRUE(output.look);
    answer(at(210ms));
    EXPECT_FALSE(output.look) << "the device did not wait: two looks begin one poll apart";
    EXPECT_EQ(output.wake, at(200ms) + policy.poll);
    EXPECT_EQ(waits.counters().polls_missed, 0U);
}

TEST_F(AgentOnSwitch, OutputsAreBoundedAndNothingIsLost)
{
    device::SyntheticSwitch::Options big;
    big.ports = 600;
    device::ManualClock time;
    SyntheticSwitch many{big, time};
    for (std::uint16_t p = 0; p < big.ports; ++p) {
        many.pause(many.queue(p, Priority{3}), device::storm(at(1s), at(3s)));
    }
    auto list =
        watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), many.inventory(), many.capabilities());
    ASSERT_TRUE(list);
    Output out;
    Agent busy{std::move(*list), Start{}, time.now(), out};
    runtime::InlineRunner run{busy, out, many, journal, time};
    std::size_t detected = 0;
    std::size_t restored = 0;
    std::size_t widest = 0;
    run.on_event([&](const Event& e) {
        if (e.kind == EventKind::storm_detected) {
            EXPECT_EQ(e.at, at(1400ms)) << "a mass storm begins at once";
        }
        detected += e.kind == EventKind::storm_detected ? 1 : 0;
        restored += e.kind == EventKind::storm_restored ? 1 : 0;
        widest = std::max(widest, out.box.events.size());
    });
    run.run_until(at(10s));
    EXPECT_EQ(detected, 600U);
    EXPECT_EQ(restored, 600U);
    EXPECT_LE(widest, 256U);
    EXPECT_TRUE(journal.active()->empty());
}

TEST_F(AgentOnSwitch, APortThatTheDeviceDoesNotShowTreatedIsNotTreatedAgain)
{
    sw.pause(queue(), device::storm(at(1s), at(3s)));
    sw.demand(queue(), BitRate{10'000'000'000});
    start("rdma-switch");
    runner->run_until(at(2s));
    ASSERT_EQ(sw.in_force(sw.port(1)), Treatment::lossless_off);
    Start next;
    next.remembered = agent->save(clock.now().mono);
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
    ASSERT_EQ(journal.active()->size(), 3U);
    Start next;
    next.remembered = agent->save(clock.now().mono);
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

TEST_F(AgentOnSwitch, ALookOfAnOldInventoryIsDropped)
{
    start();
    device::SyntheticSwitch::Options more = options();
    more.ports = 64;
    SyntheticSwitch grown{more, clock};
    auto list = watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), grown.inventory(),
                                  grown.capabilities());
    ASSERT_TRUE(list);
    watchdog::Intake old{sw.inventory(), sw.capabilities()};
    old.begin();
    ASSERT_TRUE(sw.look({}, old));
    output.clear();
    agent->step(*list, clock.now(), output);
    output.clear();
    agent->step(LookDone{1, &old.view()}, clock.now(), output);
    EXPECT_EQ(agent->counters().looks_failed, 1U);
}

// Whatever a device does wrong: once it works again and the storms are over, no queue stays mitigated.
RC_GTEST_PROP(AgentLaw, NothingStaysMitigatedOnceTheDeviceBehaves, ())
{
    device::ManualClock clock;
    SyntheticSwitch::Options options;
    options.ports = 3;
    SyntheticSwitch sw{options, clock};
    FaultyDevice faulty{sw};
    device::MemoryJournal journal;
    const auto policy = watchdog::find_preset(*rc::gen::element<std::string>("sonic", "progress", "sai"))->policy;
    for (std::uint16_t p = 0; p < options.ports; ++p) {
        const auto from = *rc::gen::inRange(100, 2000);
        sw.pause(sw.queue(p, Priority{3}),
                 device::storm(Instant{std::chrono::milliseconds{from}},
                               Instant{std::chrono::milliseconds{from + *rc::gen::inRange(10, 3000)}}));
        sw.demand(sw.queue(p, Priority{3}), BitRate{10'000'000'000});
    }
    auto list = watchdog::compile(test::book_of(policy), sw.inventory(), sw.capabilities());
    RC_ASSERT(list.has_value());
    Output output;
    Agent agent{*list, Start{}, clock.now(), output};
    runtime::InlineRunner runner{agent, output, faulty, journal, clock};
    std::size_t begun = 0;
    std::size_t ended = 0;
    runner.on_event([&](const Event& e) {
        begun += e.kind == EventKind::storm_detected || (e.kind == EventKind::storm_alert) ? 1 : 0;
        ended += e.kind == EventKind::storm_restored ? 1 : 0;
    });
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
        RC_ASSERT(agent.watchdog().phase(sw.slot(sw.queue(p, Priority{3}))) == Phase::watching);
    }
    RC_ASSERT(journal.active()->empty());
    RC_ASSERT(begun == ended);
}

}  // namespace
}  // namespace petrel::agent
