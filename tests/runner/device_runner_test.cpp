// A runner from the first look at a storm to its end, with calls of the device that take no time.
#include "runner/device_runner.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "device/plain_device.hpp"
#include "device/synthetic/faulty_device.hpp"
#include "device/synthetic/removable_ports.hpp"
#include "support/simulated_runner.hpp"
#include "support/synthetic_switch.hpp"
#include "support/world.hpp"

namespace petrel::runner {
namespace {

using namespace std::chrono_literals;
using device::FaultPoint;
using testing::ElementsAre;
using watchdog::EventKind;
using watchdog::Order;
using watchdog::Treatment;

constexpr Target kQueue{PortId{DeviceId{0}, 0}, Priority{3}};

class DeviceRunnerTest : public testing::Test {
protected:
    device::ManualClock clock;
    device::SyntheticSwitch sw{device::SyntheticSwitch::Options{}, clock};
    lab::SimulatedDisk disk;
    Duration write_takes{};
    int writes{};                    // writes of the state, including failed ones
    std::vector<FaultPoint> points;  // steps that the commands have reached so far
    test::SimulatedRunner runner{clock,
                                 {.open = [this] { return &sw; },
                                  .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                  .memory = std::make_unique<lab::DiskMemory>(disk,
                                                                              [this] {
                                                                                  ++writes;
                                                                                  clock.advance(write_takes);
                                                                              }),
                                  .fault_hook = [this](FaultPoint point) { points.push_back(point); }}};
};

TEST_F(DeviceRunnerTest, DrivesAStormFromProofToRestoration)
{
    sw.pause(kQueue, device::storm(Instant{1037ms}, Instant{3352ms}));
    runner.run_until(Instant{2s});
    ASSERT_EQ(runner.events.size(), 1U);
    EXPECT_EQ(runner.events[0].at, Instant{1437ms}) << "an extra look is made at T0";
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    EXPECT_EQ(disk.journaled().size(), 1U);
    EXPECT_EQ(clock.now().mono, Instant{2s});

    runner.run_until(Instant{6s});
    ASSERT_EQ(runner.events.size(), 2U);
    EXPECT_EQ(runner.events[1].kind, EventKind::storm_restored);
    EXPECT_EQ(sw.in_force(kQueue), Treatment::none);
    EXPECT_TRUE(disk.journaled().empty());
}

TEST_F(DeviceRunnerTest, CountsLooksAndCommandsAndReportsTheStepsOfACommand)
{
    sw.pause(kQueue, device::storm(Instant{100ms}, Instant{5s}));
    runner.run_until(Instant{1s});
    const auto report = runner.device_runner().report();
    EXPECT_GE(report.looks, 11U);
    EXPECT_EQ(report.commands, 1U);
    EXPECT_EQ(report.commands_failed, 0U);
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    EXPECT_THAT(points, ElementsAre(FaultPoint::before_prepare, FaultPoint::prepared, FaultPoint::journaled,
                                    FaultPoint::applied, FaultPoint::read_back));
}

TEST_F(DeviceRunnerTest, CarriesOutOrdersAtOnce)
{
    runner.run_until(Instant{150ms});
    runner.order(Order{Order::Kind::mitigate, kQueue, "test"});
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    runner.order(Order{Order::Kind::stop, std::nullopt, "test"});
    EXPECT_EQ(sw.in_force(kQueue), Treatment::none);
    EXPECT_TRUE(runner.device_runner().stopped());
}

TEST_F(DeviceRunnerTest, DeliversNotices)
{
    sw.pause(kQueue, device::storm(Instant{100ms}, Instant{5s}));
    runner.run_until(Instant{1s});
    ASSERT_EQ(sw.in_force(kQueue), Treatment::drop);
    sw.notify({watchdog::Notice::Kind::link_down, sw.port(0), clock.now().mono});
    runner.run_until(Instant{1s});
    EXPECT_EQ(sw.in_force(kQueue), Treatment::none);
    EXPECT_EQ(runner.events.back().reason, watchdog::Reason::link_down);
}

TEST_F(DeviceRunnerTest, UndoesAWriteOfAFormerProcessThatTakesEffectLate)
{
    runner.run_until(Instant{500ms});
    const watchdog::Command late{1, 0, kQueue, Treatment::drop, kNever};
    ASSERT_TRUE(sw.apply(late, *sw.prepare(late)));
    runner.run_until(Instant{950ms});
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    runner.run_until(Instant{1100ms});
    EXPECT_EQ(sw.in_force(kQueue), Treatment::none);
}

TEST_F(DeviceRunnerTest, KeepsItsOwnTreatmentWhenItLooksForLateEffects)
{
    sw.pause(kQueue, device::storm(Instant{100ms}, Instant{5s}));
    runner.run_until(Instant{2s});
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    EXPECT_EQ(runner.events.size(), 1U);
}

// A switch behind something that can be lost, as a helper program that ends, and is new after each open.
class LosableSwitch final : public device::PlainDevice {
public:
    explicit LosableSwitch(device::SyntheticSwitch& sw) : switch_(sw) {}

    const watchdog::Inventory& inventory() const override { return switch_.inventory(); }
    const watchdog::Capabilities& capabilities() const override { return switch_.capabilities(); }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override
    {
        return lost ? tl::unexpected(Error{ErrorKind::unreachable, "the helper has ended"}) : switch_.look(rows, into);
    }
    Result<device::Undo> prepare(const watchdog::Command& command) override { return switch_.prepare(command); }
    Result<void> apply(const watchdog::Command& command, const device::Undo& undo) override
    {
        return switch_.apply(command, undo);
    }
    Result<Treatment> read_back(const Target& target) override { return switch_.read_back(target); }
    void listen(device::NoticeSink& sink) override { switch_.listen(sink); }
    bool wants_reopening() const override { return lost; }

    bool lost{};

private:
    device::SyntheticSwitch& switch_;
};

// The device is failing until it is opened again, and the storm goes on where it was.
TEST(LostDevice, IsReportedAndOpenedAgain)
{
    device::ManualClock clock;
    device::SyntheticSwitch sw{device::SyntheticSwitch::Options{}, clock};
    LosableSwitch losable{sw};
    lab::SimulatedDisk disk;
    test::SimulatedRunner runner{clock,
                                 {.open = [&]() -> device::Device* {
                                      losable.lost = false;
                                      return &losable;
                                  },
                                  .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                  .memory = std::make_unique<lab::DiskMemory>(disk, [] {})}};
    sw.pause(kQueue, device::storm(Instant{100ms}, Instant{60s}));
    runner.run_until(Instant{1050ms});
    ASSERT_EQ(sw.in_force(kQueue), Treatment::drop);
    losable.lost = true;
    runner.run_until(Instant{1950ms});
    EXPECT_EQ(runner.device_runner().condition(), DeviceRunner::Condition::failing);
    EXPECT_EQ(runner.device_runner().why(), "the helper has ended; tried again in 1.000 s");
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    runner.run_until(Instant{3s});
    EXPECT_EQ(runner.device_runner().condition(), DeviceRunner::Condition::watching);
    EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
    EXPECT_EQ(runner.events.size(), 1U) << "the storm is not announced again";
}

// No queue is in a storm, so nothing else would write the state.
TEST_F(DeviceRunnerTest, RepeatsAWriteOfTheStateThatFailed)
{
    runner.run_until(Instant{2s});
    disk.full = true;
    runner.order(Order{Order::Kind::clear, std::nullopt, "test"});
    ASSERT_EQ(runner.events.size(), 1U);
    runner.run_until(Instant{12500ms});
    EXPECT_EQ(writes, 1 + 10) << "one write a second";
    disk.full = false;
    runner.run_until(Instant{13s});
    const lab::DiskMemory next_process{disk, [] {}};
    EXPECT_EQ(next_process.last_seq(), runner.events[0].seq);
    runner.run_until(Instant{60s});
    EXPECT_EQ(writes, 1 + 11) << "no write after the one that succeeded";
}

TEST_F(DeviceRunnerTest, RepeatsAWriteLessOftenIfItTakesLong)
{
    runner.run_until(Instant{2s});
    disk.full = true;
    write_takes = 5s;
    runner.order(Order{Order::Kind::clear, std::nullopt, "test"});
    runner.run_until(Instant{2s + 55s});
    EXPECT_EQ(writes, 4) << "10 s after the last write, which took 5 s";
}

// If a process dies between two of these steps, the next process finds everything that it needs.
TEST(OrderOfWrites, MemoryThenPublicationThenCommand)
{
    device::ManualClock clock;
    device::SyntheticSwitch sw{device::SyntheticSwitch::Options{}, clock};
    lab::SimulatedDisk disk;
    std::vector<std::string> steps;
    std::optional<test::SimulatedRunner> runner;
    const auto note = [&](const std::string& step) {
        steps.push_back(fmt::format("{}, {} published", step, runner ? runner->events.size() : 0));
    };
    runner.emplace(
        clock, test::SimulatedRunner::Setup{.open = [&] { return &sw; },
                                            .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                            .memory = std::make_unique<lab::DiskMemory>(disk, [&] { note("memory"); }),
                                            .takes =
                                                [&](JobKind job, Instant) {
                                                    if (job == JobKind::command) {
                                                        note("command");
                                                    }
                                                    return Duration{};
                                                }});
    sw.pause(kQueue, device::storm(Instant{100ms}, Instant{5s}));
    runner->run_until(Instant{700ms});
    EXPECT_THAT(steps, ElementsAre("memory, 0 published", "command, 1 published"));
    const lab::DiskMemory next_process{disk, [] {}};
    EXPECT_EQ(next_process.last_seq(), runner->events.at(0).seq) << "the checkpoint is there without its event";
}

// An event that waits to be written names its port by a number of the inventory in which it happened.
TEST(OrderOfWrites, EventsBeforeOtherRows)
{
    device::ManualClock clock;
    device::SyntheticSwitch sw{device::SyntheticSwitch::Options{}, clock};
    device::FaultyDevice behind{sw};
    std::set<std::string> removed;
    device::RemovablePorts* opened{};
    device::RemovablePorts ports{behind, removed, opened};
    lab::SimulatedDisk disk;
    test::SimulatedRunner runner{clock,
                                 {.open = [&] { return &ports; },
                                  .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                  .memory = std::make_unique<lab::DiskMemory>(disk, [&] { clock.advance(20ms); })}};
    runner.run_until(Instant{1s});
    runner.order(Order{Order::Kind::clear, std::nullopt, "test"});
    runner.order(Order{Order::Kind::clear, std::nullopt, "test"});
    ASSERT_EQ(runner.events.size(), 1U) << "the second one waits, because writing takes long";
    removed.insert(sw.inventory().ports[0].name);
    runner.run_until(Instant{1150ms});
    ASSERT_EQ(runner.device_runner().report().inventory_changes, 1U);
    EXPECT_EQ(runner.events.size(), 2U);
    EXPECT_TRUE(runner.intake_fits);
}

class NoPolicies final : public Policies {
public:
    watchdog::PolicyBook bind(watchdog::Inventory&, std::string_view) const override { return {}; }
    bool same_as(const Policies&) const override { return false; }
};

// It also names its policy by a number of the watchlist in which it happened.
TEST(OrderOfWrites, EventsBeforeOtherPolicies)
{
    device::ManualClock clock;
    device::SyntheticSwitch sw{device::SyntheticSwitch::Options{}, clock};
    lab::SimulatedDisk disk;
    test::SimulatedRunner runner{clock,
                                 {.open = [&] { return &sw; },
                                  .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                  .memory = std::make_unique<lab::DiskMemory>(disk, [&] { clock.advance(20ms); })}};
    runner.run_until(Instant{1s});
    runner.order(Order{Order::Kind::clear, std::nullopt, "test"});
    runner.order(Order{Order::Kind::clear, std::nullopt, "test"});
    ASSERT_EQ(runner.events.size(), 1U) << "the second one waits, because writing takes long";
    runner.device_runner().change(std::make_shared<NoPolicies>());
    runner.run_until(clock.now().mono);
    EXPECT_EQ(runner.events.size(), 2U);
}

// A process dies while a queue is mitigated. The next one starts ten seconds later.
class Restart : public testing::Test {
protected:
    Restart()
    {
        sw.pause(kQueue, device::storm(Instant{100ms}, Instant{60s}));
        runner.emplace(clock, sw, disk, book);
        runner->run_until(Instant{1s});
        EXPECT_EQ(sw.in_force(kQueue), Treatment::drop);
        runner.reset();
        clock.set(Instant{11s});
    }

    device::ManualClock clock;
    device::SyntheticSwitch sw{device::SyntheticSwitch::Options{}, clock};
    lab::SimulatedDisk disk;
    watchdog::PolicyBook book = test::book_of(watchdog::find_preset("sonic")->policy);
    std::optional<test::SimulatedRunner> runner;
};

TEST_F(Restart, AddsTheTimeWithoutAProcessToTheAgesOfTheMemory)
{
    runner.emplace(clock, sw, disk, book);
    runner->run_until(Instant{11s});
    EXPECT_EQ(runner->agent().watchdog().stats(sw.slot(kQueue), Instant{11s}).in_storm, 10500ms);
}

TEST_F(Restart, TakesNoticesFromBeforeTheAgentExists)
{
    runner.emplace(clock, test::SimulatedRunner::Setup{
                              .open = [&] { return &sw; },
                              .policies = book,
                              .memory = std::make_unique<lab::DiskMemory>(disk, [] {}),
                              .takes = [](JobKind job,
                                          Instant) { return job == JobKind::gather ? Duration{100ms} : Duration{}; }});
    runner->run_until(Instant{11050ms});
    sw.notify({watchdog::Notice::Kind::link_down, sw.port(0), clock.now().mono});
    runner->run_until(Instant{11100ms});
    ASSERT_FALSE(runner->events.empty());
    EXPECT_EQ(runner->events.back().reason, watchdog::Reason::link_down);
}

TEST_F(Restart, ClosesTheStormOfAPortThatLeftMeanwhileOnce)
{
    device::FaultyDevice behind{sw};
    std::set<std::string> removed{sw.inventory().ports[0].name};
    device::RemovablePorts* opened{};
    device::RemovablePorts ports{behind, removed, opened};
    runner.emplace(clock, ports, disk, book);
    runner->run_until(Instant{12s});
    ASSERT_EQ(runner->events.size(), 1U);
    EXPECT_EQ(runner->events[0].kind, EventKind::storm_restored);
    EXPECT_EQ(runner->events[0].reason, watchdog::Reason::reconfigured);
    EXPECT_EQ(runner->events[0].seq, 2U);
    EXPECT_EQ(runner->events[0].cause, 1U);
    EXPECT_EQ(disk.journaled().size(), 1U) << "undone when the port is back";
    runner->order(Order{Order::Kind::clear, std::nullopt, "test"});
    EXPECT_EQ(runner->events.at(1).seq, 3U);

    runner.reset();
    runner.emplace(clock, ports, disk, book);
    runner->run_until(Instant{13s});
    EXPECT_TRUE(runner->events.empty());

    removed.clear();
    runner->run_until(Instant{14s});
    ASSERT_EQ(runner->events.size(), 1U);
    EXPECT_EQ(runner->events[0].reason, watchdog::Reason::reconciled) << "the treatment is there, and pause goes on";
    EXPECT_EQ(runner->events[0].seq, 4U);
}

TEST_F(Restart, KeepsTheStatisticsOfAPortUntilItIsBack)
{
    device::FaultyDevice behind{sw};
    std::set<std::string> removed{sw.inventory().ports[0].name};
    device::RemovablePorts* opened{};
    device::RemovablePorts ports{behind, removed, opened};
    for (const auto end : {12s, 13s}) {
        runner.reset();
        runner.emplace(clock, ports, disk, book);
        runner->run_until(Instant{end});
    }
    removed.clear();
    runner->run_until(Instant{14s});
    const auto stats = runner->agent().watchdog().stats(sw.slot(kQueue), Instant{14s});
    EXPECT_EQ(stats.detected, 2U) << "the storm that was closed when the port left, and the treatment that it left";
    EXPECT_EQ(stats.restored, 1U);
}

TEST_F(Restart, AStopLeavesTheTreatmentOfAPortThatComesBackMeanwhile)
{
    device::FaultyDevice behind{sw};
    std::set<std::string> removed{sw.inventory().ports[0].name};
    device::RemovablePorts* opened{};
    device::RemovablePorts ports{behind, removed, opened};
    runner.emplace(clock, test::SimulatedRunner::Setup{
                              .open = [&] { return &ports; },
                              .policies = book,
                              .memory = std::make_unique<lab::DiskMemory>(disk, [] {}),
                              .takes = [](JobKind job,
                                          Instant) { return job == JobKind::gather ? Duration{100ms} : Duration{}; }});
    runner->run_until(Instant{12s});
    removed.clear();
    runner->run_until(Instant{12100ms});
    ASSERT_EQ(runner->device_runner().report().inventory_changes, 1U);
    runner->order(Order{Order::Kind::stop, std::nullopt, "test"});
    runner->run_until(Instant{13s});
    EXPECT_TRUE(runner->device_runner().stopped());
    EXPECT_EQ(runner->device_runner().left_behind(), 1U);
    EXPECT_EQ(disk.journaled().size(), 1U) << "undone by the next start";
}

// More queues than the device can treat or confirm within the time of one command.
class ManyQueues : public testing::Test {
protected:
    static constexpr std::uint16_t kQueues = 1'200;
    static constexpr Duration kCommandTakes = 3ms;

    ManyQueues()
    {
        runner.emplace(clock, sw, disk, policies);
        runner->run_until(Instant{1s});
        runner->order({Order::Kind::mitigate, std::nullopt, "test"});
        EXPECT_EQ(disk.journaled().size(), kQueues);
    }

    // The process dies. In the next one commands and writes of the state take time.
    void restart(Duration write_takes)
    {
        runner.reset();
        runner.emplace(
            clock,
            test::SimulatedRunner::Setup{
                .open = [this] { return &sw; },
                .policies = policies,
                .memory = std::make_unique<lab::DiskMemory>(disk,
                                                            [this, write_takes] {
                                                                ++writes;
                                                                clock.advance(write_takes);
                                                            }),
                .takes = [](JobKind kind, Instant) { return kind == JobKind::command ? kCommandTakes : Duration{}; }});
    }

    static device::SyntheticSwitch::Options options()
    {
        device::SyntheticSwitch::Options many;
        many.ports = kQueues;
        many.priorities = {Priority{3}};
        return many;
    }

    const watchdog::PolicyBook policies = test::book_of(watchdog::find_preset("sonic")->policy);
    device::ManualClock clock;
    device::SyntheticSwitch sw{options(), clock};
    lab::SimulatedDisk disk;
    int writes{};  // writes of the state by the process after restart()
    std::optional<test::SimulatedRunner> runner;
};

TEST_F(ManyQueues, AreConfirmedAtTheStartWithoutAFailureAndWatchedMeanwhile)
{
    restart({});
    runner->run_until(Instant{1s} + kQueues * kCommandTakes + 100ms);
    const auto report = runner->device_runner().report();
    EXPECT_EQ(report.commands, kQueues);
    EXPECT_EQ(report.commands_failed, 0U);
    EXPECT_TRUE(runner->events.empty());
    EXPECT_GE(report.looks, 36U) << "every poll";
    EXPECT_EQ(report.looks_overdue, 0U);
}

TEST_F(ManyQueues, DoNotWriteTheStateForEachOutcome)
{
    restart(5ms);
    runner->run_until(Instant{6s});
    runner->order({Order::Kind::release, std::nullopt, "test"});
    runner->run_until(Instant{20s});
    EXPECT_EQ(runner->events.size(), 1U + kQueues);
    EXPECT_TRUE(disk.journaled().empty());
    EXPECT_LE(writes, kQueues / 10);
}

}  // namespace
}  // namespace petrel::runner
