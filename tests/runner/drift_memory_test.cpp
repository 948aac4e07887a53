// The drift of time stamps outlives the process that learned it, so that the next process finds its first storm.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/plain_device.hpp"
#include "device/synthetic/faulty_device.hpp"
#include "device/synthetic/removable_ports.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"
#include "watchdog/policy.hpp"

namespace petrel::runner {
namespace {

using namespace std::chrono_literals;
using watchdog::EventKind;
using watchdog::Field;
using watchdog::Treatment;

constexpr int kDriftPercent = 3;
constexpr Duration kPoll = 200ms;
constexpr Duration kT0 = 600ms;  // in three polls, the drift adds up to more than the uncertainty of stamps

// A switch whose time stamps run fast against its pause counters. It updates its counters every 200 ms, as syncd does.
// The queue of its first port always has a backlog, so that the drift can be learned there. The queue of its second
// port is empty.
class FastStamps final : public device::PlainDevice {
public:
    explicit FastStamps(const device::ManualClock& clock) : clock_(clock)
    {
        for (std::uint16_t port = 0; port != 2; ++port) {
            inventory_.ports.push_back({"Ethernet" + std::to_string(4 * port), "", {}});
            inventory_.rows.emplace_back().target = {PortId{DeviceId{0}, port}, Priority{3}};
        }
        can_.fields = bit(Field::pause_us) | bit(Field::tx_packets) | bit(Field::occupancy);
        can_.survive = can_.fields;
        can_.treatments = bit(Treatment::drop);
        can_.reads_back = true;
        can_.stamp_uncertainty = 10ms;
    }

    void pause(std::size_t port, Instant from, Duration length)
    {
        pauses_.at(port).push_back({whole_us(from), whole_us(from + length)});
    }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return can_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake& into) override
    {
        const auto now = clock_.now().mono.time_since_epoch() / kPoll * kPoll;
        for (std::uint32_t row = 0; row != inventory_.rows.size(); ++row) {
            watchdog::Sample sample;
            sample.slot = Slot{row};
            sample.read_at = Instant{now + now * kDriftPercent / 100};
            sample.known = can_.fields;
            sample.epoch = 1;
            sample[Field::pause_us] =
                static_cast<std::uint64_t>(test::Truth{pauses_[row]}.pause_us(whole_us(Instant{now})));
            sample[Field::occupancy] = row == 0 ? 4096 : 0;
            into.put(sample);
        }
        return {};
    }
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command& command, const device::Undo&) override
    {
        in_force_[command.target] = command.want;
        return {};
    }
    Result<Treatment> read_back(const Target& target) override { return in_force_[target]; }
    void listen(device::NoticeSink&) override {}

private:
    const device::ManualClock& clock_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities can_;
    std::array<std::vector<test::Span>, 2> pauses_;
    std::map<Target, Treatment> in_force_;
};

class DriftMemory : public testing::Test {
protected:
    DriftMemory()
    {
        policy.detect = kT0;
        policy.restore = kPoll;
        policy.poll = kPoll;
        start();
    }

    void start() { runner.emplace(clock, ports, disk, test::book_of(policy)); }

    void kill() { runner.reset(); }

    // Pauses that are too short for a storm, on the queue with a backlog: there is no event that would save the drift.
    void learn()
    {
        for (int i = 0; i != 10; ++i) {
            sw.pause(0, clock.now().mono + 90ms, 520ms);
            run(1s);
        }
        EXPECT_TRUE(runner->events.empty());
    }

    void run(Duration time) { runner->run_until(clock.now().mono + time); }

    // The empty queue is paused for 2 T0.
    bool finds_storm()
    {
        runner->events.clear();
        sw.pause(1, clock.now().mono + 70ms, 2 * kT0);
        run(2s);
        const bool found = std::ranges::count(runner->events, EventKind::storm_detected, &watchdog::Event::kind) != 0;
        run(2s);
        return found;
    }

    watchdog::Policy policy = watchdog::find_preset("sonic")->policy;
    device::ManualClock clock;
    FastStamps sw{clock};
    device::FaultyDevice faulty{sw};
    std::set<std::string> removed;
    device::RemovablePorts* opened{};
    device::RemovablePorts ports{faulty, removed, opened};
    lab::SimulatedDisk disk;
    std::optional<test::SimulatedRunner> runner;
};

TEST_F(DriftMemory, ANewSwitchHasToLearnIt)
{
    EXPECT_FALSE(finds_storm());
    learn();
    EXPECT_TRUE(finds_storm());
}

TEST_F(DriftMemory, TheFirstStormAfterARestartIsFound)
{
    learn();
    runner->order({watchdog::Order::Kind::stop, std::nullopt, "test"});
    kill();
    start();
    EXPECT_TRUE(finds_storm());
}

TEST_F(DriftMemory, TheFirstStormAfterAKillIsFound)
{
    learn();
    run(10s);
    kill();
    start();
    EXPECT_TRUE(finds_storm());
}

TEST_F(DriftMemory, AnUnfinishedRecordLeavesTheDriftOfTheOneBefore)
{
    learn();
    run(10s);
    runner->order({watchdog::Order::Kind::clear, std::nullopt, "test"});
    run(1s);
    kill();
    disk.tear(std::nullopt, std::nullopt);
    start();
    EXPECT_TRUE(finds_storm());
}

TEST_F(DriftMemory, ALostMemoryIsAStartWithoutDrift)
{
    learn();
    run(10s);
    kill();
    disk.lose();
    start();
    EXPECT_FALSE(finds_storm());
    learn();
    EXPECT_TRUE(finds_storm());
}

// Also a process that restarts often keeps it, though it learns nothing new.
TEST_F(DriftMemory, IsKeptOverManyRestarts)
{
    learn();
    for (int i = 0; i != 5; ++i) {
        run(10s);
        kill();
        start();
    }
    EXPECT_TRUE(finds_storm());
}

TEST_F(DriftMemory, IsKeptWhenPortsComeAndGo)
{
    removed = {"Ethernet0"};
    run(1s);
    removed.clear();
    run(1s);
    learn();
    removed = {"Ethernet0"};
    run(1s);
    ASSERT_EQ(runner->device_runner().inventory()->rows.size(), 1U);
    EXPECT_TRUE(finds_storm());
}

TEST_F(DriftMemory, IsWrittenOnceWhileItStaysTheSame)
{
    learn();
    run(20s);
    const auto written = disk.state.size();
    run(100s);
    EXPECT_EQ(disk.state.size(), written);
}

}  // namespace
}  // namespace petrel::runner
