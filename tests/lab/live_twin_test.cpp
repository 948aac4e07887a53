// The twin in the time of a clock: the clocks here are the tests' own, so nothing waits.
#include "lab/live_twin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "agent/agent.hpp"
#include "base/complaint_text.hpp"
#include "codec/scenario_reader.hpp"
#include "device/carry_out.hpp"
#include "device/synthetic/memory_journal.hpp"

namespace petrel::lab {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using watchdog::EventKind;
using watchdog::Notice;
using watchdog::Treatment;

// h0, h1 - s0 - s1 - h2, h3. The NIC of h1 pauses its queue of s0 from 1 s to 3 s; the run is said to end at 4 s. The
// hardware of s1 finds storms itself.
constexpr std::string_view kStorm = R"(
name = "storm"
duration = "4s"

[topology]
kind = "dumbbell"
left = 2
right = 2
host_links = { speed = "1G" }
middle_link = { speed = "1G" }

[[switch]]
nodes = "s1"
deadlock_detect = "100ms"
deadlock_recover = "50ms"

[[traffic]]
from = ["h0", "h2"]
to = "h1"
rate = "10M"

[[fault]]
at = "1s"
kind = "storm"
host = ["h1", "h3"]
period = "10ms"
until = "3s"

[[policy]]
preset = "sonic"
detect_ms = 200
restore_ms = 400
poll_ms = 100
)";

constexpr Instant kStart{std::chrono::hours{30'000}};  // the machine has been up for longer than picoseconds can count

scenario::Scenario storm()
{
    auto scenario = codec::read_scenario(kStorm, "test.toml");
    EXPECT_TRUE(scenario) << (scenario ? "" : to_text(scenario.error().front()));
    return std::move(scenario.value());
}

scenario::NodeId node(std::string_view name)
{
    const auto nodes = storm().setup.topology.nodes;
    const auto found = std::ranges::find(nodes, name, &topology::Node::name);
    EXPECT_NE(found, nodes.end());
    return {static_cast<std::uint32_t>(found - nodes.begin())};
}

watchdog::PolicyBook policies() { return storm().watches.front().book; }

watchdog::Command command(const Target& target, Treatment want)
{
    watchdog::Command made;
    made.target = target;
    made.want = want;
    return made;
}

// What a look tells, as it was told.
class Samples final : watchdog::SampleFilter {
public:
    explicit Samples(device::Device& device) : device_(device), intake_(device.inventory(), device.capabilities()) {}

    const std::vector<watchdog::Sample>& look()
    {
        told_.clear();
        intake_.begin();
        intake_.through(this);
        EXPECT_TRUE(device_.look({}, intake_));
        return told_;
    }

private:
    void pass(watchdog::Sample& sample) override { told_.push_back(sample); }

    device::Device& device_;
    watchdog::Intake intake_;
    std::vector<watchdog::Sample> told_;
};

struct Notices final : device::NoticeSink {
    void post(const Notice& notice) noexcept override { heard.push_back(notice); }
    std::vector<Notice> heard;
};

// A clock that anybody may ask, and that goes on by so much each time somebody does: looking at it is what takes time.
class ShownClock final : public device::TimeSource {
public:
    Now now() const override { return {Instant{Duration{ns_.fetch_add(step_)}}, {}}; }
    void advance(Duration by) { ns_ += by.count(); }
    void each_look_takes(Duration step) { step_ = step.count(); }

private:
    mutable std::atomic<std::int64_t> ns_{kStart.time_since_epoch().count()};
    std::atomic<std::int64_t> step_{};
};

// A production agent on a device, whose calls take no time.
class Watcher {
public:
    Watcher(device::Device& device, const device::TimeSource& clock)
        : device_(device),
          clock_(clock),
          list_(watchdog::compile(policies(), device.inventory(), device.capabilities()).value()),
          intake_(list_.inventory, list_.capabilities),
          agent_(list_, {}, clock.now(), output_)
    {
        settle();
    }

    Instant wake() const { return output_.wake; }
    void tick() { step(agent::Tick{}); }
    std::vector<watchdog::Event> events;

private:
    void step(const agent::Input& input)
    {
        output_.clear();
        agent_.step(input, clock_.now(), output_);
        settle();
    }
    void settle()
    {
        const auto asked = output_;
        events.insert(events.end(), asked.box.events.begin(), asked.box.events.end());
        for (const auto& command : asked.box.commands) {
            step(device::carry_out(command, device_, journal_, clock_));
        }
        if (asked.look) {
            intake_.begin();
            const std::vector<Slot> rows{asked.look->rows.begin(), asked.look->rows.end()};
            EXPECT_TRUE(device_.look(rows, intake_));
            step(agent::LookDone{asked.look->look, &intake_.view()});
        }
    }

    device::Device& device_;
    const device::TimeSource& clock_;
    watchdog::Watchlist list_;
    watchdog::Intake intake_;
    device::MemoryJournal journal_;
    agent::Output output_;
    agent::Agent agent_;
};

struct LiveTwinTest : testing::Test {
    std::unique_ptr<device::Device> open(std::string_view name, DeviceId id = {7})
    {
        auto opened = twin->open(node(name), id);
        EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
        return std::move(opened.value());
    }

    device::ManualClock clock{kStart};
    std::shared_ptr<LiveTwin> twin = LiveTwin::make(storm(), clock).value();
};

TEST_F(LiveTwinTest, AnAgentFindsAndTreatsAStormAtItsOwnTime)
{
    const auto device = open("s0");
    Watcher watcher{*device, clock};
    for (; clock.now().mono < kStart + 5s; watcher.tick()) {
        clock.set(std::max(watcher.wake(), clock.now().mono + 1us));
    }
    ASSERT_THAT(watcher.events, SizeIs(2));
    EXPECT_EQ(watcher.events[0].kind, EventKind::storm_detected);
    EXPECT_GE(watcher.events[0].at, kStart + 1s + 200ms);
    EXPECT_LE(watcher.events[0].at, kStart + 1s + 200ms + 1ms);
    EXPECT_EQ(watcher.events[1].kind, EventKind::storm_restored);
    EXPECT_GE(watcher.events[1].at, kStart + 3s + 400ms);
    EXPECT_LE(watcher.events[1].at, kStart + 3s + 400ms + 200ms);
    EXPECT_EQ(twin->let_go(), 0s);
}

TEST_F(LiveTwinTest, StampsAreOfTheAgentsClockAndRowsOfItsDevice)
{
    const auto device = open("s0", {42});
    Samples samples{*device};
    for (const auto later : {100ms, 200ms, 5000ms}) {
        clock.advance(later);
        for (const auto& sample : samples.look()) {
            EXPECT_EQ(sample.read_at, clock.now().mono);
        }
    }
    for (const auto& row : device->inventory().rows) {
        EXPECT_EQ(row.target.port.device, DeviceId{42});
    }
}

TEST_F(LiveTwinTest, TimeGoesOnWhenTheScenarioIsOver)
{
    const auto device = open("s0");
    Samples samples{*device};
    clock.advance(4s);
    const auto sent = [&] {
        std::uint64_t packets = 0;
        for (const auto& sample : samples.look()) {
            packets += sample[watchdog::Field::tx_packets];
        }
        return packets;
    };
    const auto before = sent();
    clock.advance(10s);
    EXPECT_GT(sent(), before + 20'000);  // two flows of 1,170 packets a second
}

TEST_F(LiveTwinTest, DevicesShareOneFabric)
{
    const auto left = open("s0", {0});
    const auto right = open("s1", {1});
    const auto middle = static_cast<std::uint16_t>(left->inventory().ports.size() - 1);
    const auto down = command({{DeviceId{0}, middle}, std::nullopt}, Treatment::port_down);
    ASSERT_TRUE(left->apply(down, left->prepare(down).value()));
    EXPECT_EQ(left->read_back(down.target), Treatment::port_down);

    clock.advance(1ms);
    Samples samples{*right};
    for (const auto& sample : samples.look()) {
        const auto port = right->inventory().rows[sample.slot.value].target.port.index;
        EXPECT_EQ(sample.epoch == 0, port == middle) << port;
    }
}

TEST_F(LiveTwinTest, ANodeHasOneDeviceAtATimeAndKeepsWhatWasSet)
{
    auto device = open("s0");
    const auto again = twin->open(node("s0"), {7});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().what, "s0 is in use already");

    const auto queue = device->inventory().rows.front().target;
    const auto drop = command(queue, Treatment::drop);
    ASSERT_TRUE(device->apply(drop, device->prepare(drop).value()));
    device.reset();
    device = open("s0");
    EXPECT_EQ(device->read_back(queue), Treatment::drop);
}

TEST_F(LiveTwinTest, WhatTheHardwareFindsIsHeardInAnothersCall)
{
    const auto left = open("s0", {0});
    const auto right = open("s1", {1});
    Notices notices;
    right->listen(notices);
    Samples samples{*left};
    clock.advance(1s + 99ms);
    samples.look();
    EXPECT_THAT(notices.heard, IsEmpty());
    clock.advance(2ms);
    samples.look();
    ASSERT_THAT(notices.heard, SizeIs(1));
    EXPECT_EQ(notices.heard[0].kind, Notice::Kind::detected);
    EXPECT_EQ(notices.heard[0].target.port.device, DeviceId{1});
    EXPECT_GE(notices.heard[0].at, kStart + 1s + 100ms);
    EXPECT_LE(notices.heard[0].at, kStart + 1s + 101ms);
}

// Looking at the clock takes 30 ms here, so that no call gets further than a piece or two, while a second goes by
// between the calls.
TEST(SlowTwin, LetsTimeGoAndItsSamplesStayTrue)
{
    ShownClock clock;
    std::vector<Duration> heard;
    const auto twin = LiveTwin::make(storm(), clock, [&](Duration lost) { heard.push_back(lost); }).value();
    const auto device = twin->open(node("s0"), {0}).value();
    Samples samples{*device};
    clock.each_look_takes(30ms);
    auto last = kStart;
    for (int call = 0; call != 20; ++call) {
        clock.advance(1s);
        const auto before = clock.now().mono;
        const auto& told = samples.look();
        EXPECT_LE(clock.now().mono - before, 150ms);
        EXPECT_GT(told.front().read_at, last);
        EXPECT_LE(told.front().read_at - last, 2ms);
        last = told.front().read_at;
    }
    const auto elapsed = clock.now().mono - kStart;
    EXPECT_GT(twin->let_go(), elapsed - 2s);
    EXPECT_LT(twin->let_go(), elapsed);
    ASSERT_THAT(heard, SizeIs(testing::Ge(4U)));
    EXPECT_GE(heard[0], 1s);
    for (std::size_t i = 1; i != heard.size(); ++i) {
        EXPECT_GE(heard[i], 2 * heard[i - 1]);
    }
}

TEST(SlowTwin, CatchesUpWithALittle)
{
    ShownClock clock;
    const auto twin = LiveTwin::make(storm(), clock).value();
    const auto device = twin->open(node("s0"), {0}).value();
    Samples samples{*device};
    clock.each_look_takes(30ms);
    clock.advance(150ms);
    EXPECT_LT(samples.look().front().read_at, kStart + 1ms);
    clock.each_look_takes(0ms);
    EXPECT_EQ(samples.look().front().read_at, clock.now().mono);
    EXPECT_EQ(twin->let_go(), 0s);
}

TEST(SlowTwin, IsStillWatchedRightly)
{
    ShownClock clock;
    const auto twin = LiveTwin::make(storm(), clock).value();
    const auto device = twin->open(node("s0"), {0}).value();
    Watcher watcher{*device, clock};
    clock.each_look_takes(3ms);
    while (watcher.events.size() < 2 && clock.now().mono < kStart + 200s) {
        clock.advance(std::max<Duration>(watcher.wake() - clock.now().mono, 1us));
        watcher.tick();
    }
    ASSERT_THAT(watcher.events, SizeIs(2));
    EXPECT_EQ(watcher.events[0].kind, EventKind::storm_detected);
    EXPECT_EQ(watcher.events[1].kind, EventKind::storm_restored);
    EXPECT_GT(twin->let_go(), 1s);
}

TEST(LiveTwinThreads, EachDeviceIsUsedFromItsOwn)
{
    constexpr int kCalls = 300;
    ShownClock clock;
    clock.each_look_takes(10us);
    const auto twin = LiveTwin::make(storm(), clock).value();
    const auto left = twin->open(node("s0"), {0}).value();
    const auto right = twin->open(node("s1"), {1}).value();
    Notices notices;
    right->listen(notices);
    const auto use = [&](device::Device& device) {
        Samples samples{device};
        auto last = Instant::min();
        const auto drop = command(device.inventory().rows.front().target, Treatment::drop);
        for (int call = 0; call != kCalls; ++call) {
            clock.advance(10ms);
            const auto& told = samples.look();
            EXPECT_GT(told.front().read_at, last);
            last = told.front().read_at;
            EXPECT_TRUE(device.apply(drop, device.prepare(drop).value()));
            EXPECT_EQ(device.read_back(drop.target), Treatment::drop);
        }
    };
    {
        const std::jthread first{[&] { use(*left); }};
        const std::jthread second{[&] { use(*right); }};
    }
    EXPECT_THAT(notices.heard, Not(IsEmpty()));
}

}  // namespace
}  // namespace petrel::lab
