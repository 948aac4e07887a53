// The twin in the time of a clock. The clocks here belong to the tests, so no test waits.
#include "lab/live/live_twin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "support/simulated_runner.hpp"

namespace petrel::lab {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using watchdog::EventKind;
using watchdog::Notice;
using watchdog::Treatment;

// h0, h1 - s0 - s1 - h2, h3. The NIC of h1 pauses its queue of s0 from 1 s to 3 s; the duration of the scenario is 4 s.
// The hardware of s1 detects storms itself.
constexpr std::string_view kDumbbellStorm = R"(
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

constexpr Instant kStart{std::chrono::hours{30'000}};  // an uptime above the range of 64-bit picoseconds

scenario::Scenario storm()
{
    auto scenario = codec::read_scenario(kDumbbellStorm, "test.toml");
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

watchdog::Command command(const Target& target, Treatment want)
{
    watchdog::Command made;
    made.target = target;
    made.want = want;
    return made;
}

// Returns the samples of a look unchanged.
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

// Shows the time of another clock plus `look_takes` for each call of now(). So each piece that the twin simulates
// between two calls appears to cost that much time.
class SlowClock final : public device::TimeSource {
public:
    SlowClock(const device::TimeSource& behind, Duration look_takes) : behind_(behind), look_takes_(look_takes) {}

    Now now() const override { return {behind_.now().mono + Duration{spent_ns_ += look_takes_.count()}, {}}; }
    void looks_take(Duration step) { look_takes_ = step; }

private:
    const device::TimeSource& behind_;
    Duration look_takes_;
    mutable std::atomic<std::int64_t> spent_ns_{};
};

// The events of a production agent on the device until this time.
std::vector<watchdog::Event> watched(device::Device& device, device::ManualClock& clock, Instant until)
{
    SimulatedDisk disk;
    test::SimulatedRunner runner{clock, device, disk, storm().watches.front().book};
    runner.run_until(until);
    return runner.events;
}

struct LiveTwinTest : testing::Test {
    std::unique_ptr<device::Device> open(std::string_view name, DeviceId id = {7})
    {
        auto opened = twin->open(node(name), id, clock);
        EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
        return std::move(opened.value());
    }

    device::ManualClock clock{kStart};
    std::shared_ptr<LiveTwin> twin = LiveTwin::make(storm(), kStart).value();
};

TEST_F(LiveTwinTest, AnAgentFindsAndTreatsAStormAtItsOwnTime)
{
    const auto device = open("s0");
    const auto events = watched(*device, clock, kStart + 5s);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[0].kind, EventKind::storm_detected);
    EXPECT_GE(events[0].at, kStart + 1s + 200ms);
    EXPECT_LE(events[0].at, kStart + 1s + 201ms);
    EXPECT_EQ(events[1].kind, EventKind::storm_restored);
    EXPECT_GE(events[1].at, kStart + 3s + 400ms);
    EXPECT_LE(events[1].at, kStart + 3s + 600ms);
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
    const auto again = twin->open(node("s0"), {7}, clock);
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

TEST_F(LiveTwinTest, TheHardwareStopsWatchingRowsThatItIsNotGiven)
{
    const auto device = open("s1");
    Notices notices;
    device->listen(notices);
    const auto watched = device->delegate_detection({});
    ASSERT_TRUE(watched) << watched.error().what;
    Samples samples{*device};
    clock.advance(2s);
    samples.look();
    EXPECT_THAT(notices.heard, IsEmpty());
}

// Each call of now() takes 30 ms, so that a look simulates no more than a piece or two, while one second passes between
// the looks.
TEST(SlowTwin, LetsTimeGoAndItsSamplesStayTrue)
{
    device::ManualClock shown{kStart};
    const SlowClock clock{shown, 30ms};
    std::vector<Duration> heard;
    const auto twin = LiveTwin::make(storm(), kStart, [&](Duration lost) { heard.push_back(lost); }).value();
    const auto device = twin->open(node("s0"), {0}, clock).value();
    Samples samples{*device};
    auto last = kStart;
    for (int call = 0; call != 20; ++call) {
        shown.advance(1s);
        const auto before = clock.now().mono;
        const auto& told = samples.look();
        EXPECT_LE(clock.now().mono - before, 150ms);
        EXPECT_GT(told.front().read_at, last);
        EXPECT_LE(told.front().read_at - last, 100ms);
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
    device::ManualClock shown{kStart};
    SlowClock clock{shown, 30ms};
    const auto twin = LiveTwin::make(storm(), kStart).value();
    const auto device = twin->open(node("s0"), {0}, clock).value();
    Samples samples{*device};
    shown.advance(100ms);
    EXPECT_LT(samples.look().front().read_at, kStart + 1ms);
    clock.looks_take(0ms);
    EXPECT_EQ(samples.look().front().read_at, clock.now().mono);
    EXPECT_EQ(twin->let_go(), 0s);
}

// Between two polls, 100 ms apart, the twin simulates no more than about 17 ms.
TEST(SlowTwin, IsWatchedRightlyIfLate)
{
    device::ManualClock clock{kStart};
    const SlowClock slow{clock, 300us};
    const auto twin = LiveTwin::make(storm(), kStart).value();
    const auto device = twin->open(node("s0"), {0}, slow).value();
    const auto events = watched(*device, clock, kStart + 60s);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_EQ(events[0].kind, EventKind::storm_detected);
    EXPECT_GT(events[0].at, kStart + 3s);
    EXPECT_EQ(events[1].kind, EventKind::storm_restored);
    EXPECT_GT(twin->let_go(), 10s);
}

TEST(LiveTwinThreads, EachDeviceIsUsedFromItsOwn)
{
    constexpr int kCalls = 100;
    const device::ManualClock still{kStart};
    const SlowClock clock{still, 500us};
    const auto twin = LiveTwin::make(storm(), kStart).value();
    const auto left = twin->open(node("s0"), {0}, clock).value();
    const auto right = twin->open(node("s1"), {1}, clock).value();
    Notices notices;
    right->listen(notices);
    const auto use = [](device::Device& device) {
        Samples samples{device};
        auto last = Instant::min();
        const auto drop = command(device.inventory().rows.front().target, Treatment::drop);
        for (int call = 0; call != kCalls; ++call) {
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
