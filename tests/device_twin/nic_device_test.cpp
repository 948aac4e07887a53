// A NIC of the twin as a device: what its micro-controller can read and do.
#include "device/twin/nic_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/manual_clock.hpp"
#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using device::ManualClock;
using device::twin::NicDevice;
using testing::SizeIs;
using watchdog::Command;
using watchdog::Field;
using watchdog::Treatment;

const Target kNicPort = port_to(kSick, 0);

struct NicBench {
    template <class Do>
    void at(Ps when, Do what)
    {
        twin->at(kSick, when, [this, what](Ps now) {
            clock.set(twin::to_instant(now));
            what();
        });
    }
    void want(Treatment treatment)
    {
        Command command;
        command.target = kNicPort;
        command.want = treatment;
        const auto before = undo ? *undo : device.prepare(command).value();
        undo = before;
        ASSERT_TRUE(device.apply(command, before).has_value());
        ASSERT_EQ(device.read_back(kNicPort), treatment);
    }

    ManualClock clock;
    std::unique_ptr<twin::Twin> twin{build(one_switch())};
    NicDevice device{twin->nic_view(kSick), {twin->setup().topology, kSick, clock}, {}};
    std::optional<device::Undo> undo;
};

TEST(TwinNic, HasARowForItsPortAndOneForEachPriorityItPausesFor)
{
    NicBench bench;
    ASSERT_THAT(bench.device.inventory().rows, SizeIs(3));
    EXPECT_EQ(bench.device.inventory().rows[0].target, kNicPort);
    EXPECT_EQ(bench.device.inventory().ports.at(0).name, "eth0");
    EXPECT_FALSE(bench.device.inventory().rows[0].host_facing);
    EXPECT_FALSE(has(bench.device.capabilities().survive, Field::pause_tx_us));
}

TEST(TwinNic, ReportsThatItPausesAndReceivesNothing)
{
    NicBench bench;
    watchdog::Intake intake{bench.device.inventory(), bench.device.capabilities()};
    const auto look = [&] {
        intake.begin();
        EXPECT_TRUE(bench.device.look({}, intake).has_value());
    };
    bench.at(10 * kMs, look);
    bench.at(20 * kMs, look);
    bench.twin->run_until(21 * kMs);
    const auto column = [&](Field f) { return intake.view().column(f)[0]; };
    EXPECT_GT(column(Field::rx_packets), 1'000U);
    EXPECT_EQ(column(Field::pause_tx), 0U);

    stop_pipeline(*bench.twin, kSick, 21 * kMs);
    bench.at(30 * kMs, look);
    bench.at(40 * kMs, look);
    bench.twin->run_until(41 * kMs);
    EXPECT_EQ(column(Field::rx_packets), 0U);
    EXPECT_EQ(column(Field::pause_tx_us), 10'000U);
    EXPECT_GE(column(Field::pause_tx), 3U);
}

TEST(TwinNic, SendsNoPauseWhileMuted)
{
    NicBench bench;
    stop_pipeline(*bench.twin, kSick, 1 * kMs);
    bench.at(50 * kMs, [&] { bench.want(Treatment::mute_pause); });
    bench.at(100 * kMs, [&] { bench.want(Treatment::none); });
    const auto paused = [&] { return bench.twin->switch_view(kSwitch).queue(0, 3, bench.twin->now()).paused; };
    bench.twin->run_until(40 * kMs);
    EXPECT_TRUE(paused());
    bench.twin->run_until(60 * kMs);
    EXPECT_FALSE(paused());
    bench.twin->run_until(110 * kMs);
    EXPECT_TRUE(paused());
}

// As on a NIC of Linux.
TEST(TwinNic, MutesThePriorityThatIsStuckAndLaterAllIfAnotherOneIs)
{
    NicBench bench;
    watchdog::Intake intake{bench.device.inventory(), bench.device.capabilities()};
    const auto look = [&] {
        intake.begin();
        EXPECT_TRUE(bench.device.look({}, intake).has_value());
    };
    const auto view = bench.twin->nic_view(kSick);
    stop_pipeline(*bench.twin, kSick, 1 * kMs);
    bench.twin->at(kSick, 200 * kMs, [&](Ps now) {
        bench.twin->nic_view(kSick).start_storm({.priorities = 0b0001'0000, .period = kMs / 5}, now);
    });
    for (Ps now = 10 * kMs; now <= 400 * kMs; now += 10 * kMs) {
        bench.at(now, look);
    }
    bench.at(95 * kMs, [&] { bench.want(Treatment::mute_pause); });
    bench.twin->run_until(299 * kMs);
    EXPECT_EQ(view.pause_tx(), 0b1111'0111);
    bench.twin->run_until(321 * kMs);
    EXPECT_EQ(view.pause_tx(), 0) << "priority 4 has paused for 100 ms";
    EXPECT_EQ(bench.device.read_back(kNicPort), Treatment::mute_pause);
    bench.at(350 * kMs, [&] { bench.want(Treatment::none); });
    bench.twin->run_until(351 * kMs);
    EXPECT_EQ(view.pause_tx(), 0xff);
}

TEST(TwinNic, PortDownIsSeenByTheSwitch)
{
    NicBench bench;
    bench.at(1 * kMs, [&] { bench.want(Treatment::port_down); });
    bench.at(3 * kMs, [&] { bench.want(Treatment::none); });
    bench.twin->run_until(2 * kMs);
    EXPECT_FALSE(bench.twin->switch_view(kSwitch).link_up(0));
    bench.twin->run_until(4 * kMs);
    EXPECT_TRUE(bench.twin->switch_view(kSwitch).link_up(0));
}

// A new process has no memory of the treatment and finds the port disabled by the policy of its link.
TEST(TwinNic, EndsTheMuteOfADisabledPortAndLeavesItDisabled)
{
    NicBench bench;
    auto view = bench.twin->nic_view(kSick);
    bench.at(1 * kMs, [&] {
        view.set_pause_tx(0b1111'0111, bench.twin->now());
        view.set_enabled(false, bench.twin->now());
    });
    bench.at(2 * kMs, [&] {
        EXPECT_EQ(bench.device.read_back(kNicPort), Treatment::mute_pause);
        bench.want(Treatment::none);
    });
    bench.twin->run_until(3 * kMs);
    EXPECT_EQ(view.pause_tx(), 0xff);
    EXPECT_FALSE(view.enabled());
}

}  // namespace
}  // namespace petrel::test
