// A switch of the twin as a device: rows, fields, the effect of each treatment on frames, and that undoing it leaves
// the registers unchanged.
#include "device/twin/switch_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "device/manual_clock.hpp"
#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using device::ManualClock;
using device::Undo;
using device::twin::SwitchDevice;
using device::twin::Traits;
using testing::ElementsAre;
using testing::SizeIs;
using twin::Drop;
using watchdog::Command;
using watchdog::Field;
using watchdog::Intake;
using watchdog::Notice;
using watchdog::Treatment;

Command command_for(const Target& target, Treatment want)
{
    Command command;
    command.target = target;
    command.want = want;
    return command;
}

// A twin with a device on its switch; calls of the device run at a simulated time.
struct Bench {
    explicit Bench(const Traits& traits = {}, twin::Setup setup = one_switch())
        : twin{build(std::move(setup))},
          device{twin->switch_view(kSwitch), {twin->setup().topology, kSwitch, clock}, traits}
    {}
    template <class Do>
    void at(Ps when, Do what)
    {
        twin->at(kSwitch, when, [this, what](Ps now) {
            clock.set(twin::to_instant(now));
            what();
        });
    }
    // Treats the target at 1 ms and returns the causes of the frames lost until `end`.
    std::set<Drop> causes_of_death(const Target& target, Treatment treatment, Ps end)
    {
        at(1 * kMs, [this, target, treatment] {
            const auto undo = device.prepare(command_for(target, treatment));
            ASSERT_TRUE(undo.has_value());
            ASSERT_TRUE(device.apply(command_for(target, treatment), *undo).has_value());
            ASSERT_EQ(device.read_back(target), treatment);
        });
        twin->run_until(end);
        std::set<Drop> causes;
        const auto drops = twin->totals().drops;
        for (std::size_t cause = 0; cause != twin::kDrops; ++cause) {
            if (drops.by_cause[cause] != 0) {
                causes.insert(static_cast<Drop>(cause));
            }
        }
        return causes;
    }
    twin::PortRegisters registers(std::uint8_t port = 0) const { return twin->switch_view(kSwitch).registers(port); }

    ManualClock clock;
    std::unique_ptr<twin::Twin> twin;
    SwitchDevice device;
};

const Target kQueue = queue_to(kSwitch, 0);
const Target kPort = port_to(kSwitch, 0);

TEST(TwinSwitch, HasARowForEachLosslessQueueAndForPortsWithAStatus)
{
    Bench plain;
    EXPECT_THAT(plain.device.inventory().rows, SizeIs(4 * 2));
    EXPECT_THAT(plain.device.inventory().ports, SizeIs(4));
    EXPECT_EQ(plain.device.inventory().ports[2].name, "Ethernet2");
    EXPECT_FALSE(has(plain.device.capabilities().fields, Field::pause_timeout));

    Traits slingshot;
    slingshot.pause_limit = std::chrono::milliseconds{100};
    Bench with_status{slingshot};
    const auto& rows = with_status.device.inventory().rows;
    ASSERT_THAT(rows, SizeIs(4 * 3));
    EXPECT_EQ(rows[3].target, port_to(kSwitch, 1));
    EXPECT_EQ(rows[5].target, queue_to(kSwitch, 1, 4));
    EXPECT_EQ(rows[5].speed, k10G.speed);
    EXPECT_TRUE(rows[5].host_facing);
}

TEST(TwinSwitch, PortsToHostsAreHostFacing)
{
    auto twin = build(lossless(topology::leaf_spine(2, 1, 3, k10G, k10G).value()));
    ManualClock clock;
    const NodeId leaf{6};
    SwitchDevice device{twin->switch_view(leaf), {twin->setup().topology, leaf, clock}, {}};
    for (const auto& row : device.inventory().rows) {
        EXPECT_EQ(row.host_facing, row.target.port.index < 3) << row.target.port.index;
    }
}

TEST(TwinSwitch, ReportsOnlyTheFieldsOfItsTraits)
{
    Traits few;
    few.fields = bit(Field::rx_pfc) | bit(Field::pause_tx_us);
    few.treatments = bit(Treatment::drop);
    few.reads_back = false;
    Bench bench{few};
    EXPECT_EQ(bench.device.capabilities().fields, bit(Field::rx_pfc));
    EXPECT_EQ(bench.device.capabilities().treatments, bit(Treatment::drop));
    EXPECT_FALSE(bench.device.capabilities().reads_back);
    EXPECT_FALSE(bench.device.prepare(command_for(kQueue, Treatment::ignore_pause)).has_value());
}

TEST(TwinSwitch, LooksReadTheCountersOfTheInterval)
{
    Bench bench;
    const auto nothing = std::vector<Slot>{};
    Intake intake{bench.device.inventory(), bench.device.capabilities()};
    stop_pipeline(*bench.twin, kSick, 10 * kMs);
    const auto look = [&] {
        intake.begin();
        EXPECT_TRUE(bench.device.look(nothing, intake).has_value());
    };
    bench.at(60 * kMs, look);
    bench.at(160 * kMs, look);
    bench.twin->run_until(161 * kMs);
    const auto& seen = intake.view();
    const auto column = [&](Field f) { return seen.column(f)[0]; };
    EXPECT_TRUE(seen.all);
    EXPECT_EQ(seen.dt_us[0], 100'000U);
    EXPECT_EQ(seen.pause[0] & watchdog::kThroughout, watchdog::kThroughout);
    EXPECT_EQ(column(Field::pause_us), 100'000U);
    EXPECT_EQ(column(Field::tx_packets), 0U);
    EXPECT_EQ(column(Field::on2off), 0U);
    EXPECT_EQ(column(Field::rx_xon), 0U);
    EXPECT_EQ(column(Field::rx_pfc), column(Field::rx_xoff));
    EXPECT_NEAR(column(Field::rx_xoff), 34, 2);  // 65535 quanta are 3.36 ms, renewed a little earlier
    const auto now = bench.twin->switch_view(kSwitch).queue(0, 3, bench.twin->now());
    EXPECT_GT(now.bytes, 100'000U);
    EXPECT_EQ(column(Field::occupancy), now.bytes);
    EXPECT_EQ(seen.pause[1] & watchdog::kQuiet, watchdog::kQuiet);  // priority 4 has no traffic
}

TEST(TwinSwitch, ALinkThatIsDownHasNoEpoch)
{
    Bench bench;
    Intake intake{bench.device.inventory(), bench.device.capabilities()};
    bench.twin->cut(0, 5 * kMs);
    const auto look = [&] {
        intake.begin();
        EXPECT_TRUE(bench.device.look({}, intake).has_value());
    };
    bench.at(1 * kMs, look);
    bench.at(9 * kMs, look);
    bench.twin->run_until(10 * kMs);
    EXPECT_EQ(intake.view().pause[0], watchdog::kLinkDown);
    EXPECT_NE(intake.view().pause[2], watchdog::kLinkDown);
}

TEST(TwinSwitch, CountersWithARefreshIntervalGiveNoSampleInBetween)
{
    auto setup = one_switch();
    setup.switch_profiles[0].flaws.refresh = 10 * kMs;
    Bench bench{{}, std::move(setup)};
    EXPECT_EQ(bench.device.capabilities().refresh, std::chrono::milliseconds{10});
    Intake intake{bench.device.inventory(), bench.device.capabilities()};
    std::vector<std::uint32_t> spans;
    for (const Ps when : {1 * kMs, 5 * kMs, 11 * kMs}) {
        bench.at(when, [&] {
            intake.begin();
            EXPECT_TRUE(bench.device.look({}, intake).has_value());
            spans.push_back(intake.view().dt_us[0]);
        });
    }
    bench.twin->run_until(12 * kMs);
    EXPECT_THAT(spans, ElementsAre(1, 0, 10'000));
}

TEST(TwinSwitch, TimeStampsDrift)
{
    for (const auto drift_ppm : {50'000, -50'000}) {
        auto setup = one_switch();
        setup.switch_profiles[0].flaws.drift_ppm = drift_ppm;
        Bench bench{{}, std::move(setup)};
        Intake intake{bench.device.inventory(), bench.device.capabilities()};
        std::vector<std::uint32_t> spans;
        for (const Ps when : {1 * kMs, 11 * kMs, 31 * kMs}) {
            bench.at(when, [&] {
                intake.begin();
                EXPECT_TRUE(bench.device.look({}, intake).has_value());
                spans.push_back(intake.view().dt_us[0]);
            });
        }
        bench.twin->run_until(32 * kMs);
        const auto drifted = [&](int span_us) {
            return static_cast<std::uint32_t>(span_us + span_us / 1'000 * drift_ppm / 1'000);
        };
        EXPECT_THAT(spans, ElementsAre(1, drifted(10'000), drifted(20'000)));
    }
}

TEST(TwinSwitch, DropDiscardsInBothDirectionsAndSendsNoPause)
{
    auto setup = one_switch();
    setup.flows.push_back(endless(0, 3));
    Bench bench{{}, std::move(setup)};
    EXPECT_EQ(bench.causes_of_death(kQueue, Treatment::drop, 20 * kMs),
              (std::set{Drop::mitigated_in, Drop::mitigated_out}));
    EXPECT_EQ(bench.registers().ignore_pause, 0b1000);
    EXPECT_EQ(bench.registers().send_no_pause, 0b1000);
}

TEST(TwinSwitch, DropOfOnePriorityLeavesTheOtherAlone)
{
    auto setup = lossless(topology::single_switch(4, k10G).value());
    setup.flows = {endless(1, 0, 4)};
    Bench bench{{}, std::move(setup)};
    EXPECT_TRUE(bench.causes_of_death(kQueue, Treatment::drop, 20 * kMs).empty());
    EXPECT_GT(bench.twin->flow(0).delivered, 1'000U);
}

TEST(TwinSwitch, DropEgressStillReceives)
{
    auto setup = one_switch();
    setup.flows.push_back(endless(0, 3));
    setup.flows.back().reliable = false;  // its acknowledgements would be dropped
    Bench bench{{}, std::move(setup)};
    EXPECT_EQ(bench.causes_of_death(kQueue, Treatment::drop_egress, 20 * kMs), std::set{Drop::mitigated_out});
    EXPECT_GT(bench.twin->flow(4).delivered, 1'000U);
}

TEST(TwinSwitch, LosslessOffDiscardsAllLosslessPrioritiesOfThePort)
{
    auto setup = one_switch();
    setup.flows.push_back(endless(0, 3, 4));
    setup.flows.push_back(endless(1, 0, 4));
    Bench bench{{}, std::move(setup)};
    EXPECT_EQ(bench.causes_of_death(kPort, Treatment::lossless_off, 20 * kMs),
              (std::set{Drop::mitigated_in, Drop::mitigated_out}));
    EXPECT_LT(bench.twin->flow(4).delivered, 100U);
    EXPECT_LT(bench.twin->flow(5).delivered, 100U);
    EXPECT_GT(bench.twin->flow(kVictim).delivered, 1'000U);
}

TEST(TwinSwitch, SqueezeDiscardsEgressFramesOnly)
{
    auto setup = one_switch();
    setup.flows.push_back(endless(0, 3));
    setup.flows.back().reliable = false;  // its acknowledgements would be dropped, too
    Bench bench{{}, std::move(setup)};
    EXPECT_EQ(bench.causes_of_death(kPort, Treatment::squeeze, 20 * kMs), std::set{Drop::frame_size});
    EXPECT_GT(bench.twin->flow(4).delivered, 1'000U);
}

TEST(TwinSwitch, PortDownTakesTheLinkDownAndBackUp)
{
    Bench bench;
    EXPECT_EQ(bench.causes_of_death(kPort, Treatment::port_down, 20 * kMs), std::set{Drop::link_down});
    EXPECT_FALSE(bench.twin->nic_view(kSick).link_up());
    bench.at(21 * kMs, [&] {
        const auto undo = bench.device.prepare(command_for(kPort, Treatment::none));
        ASSERT_TRUE(bench.device.apply(command_for(kPort, Treatment::none), undo.value()).has_value());
    });
    EXPECT_GT(delivered(*bench.twin, kToSick, 60 * kMs, 160 * kMs), kPacketsIn100ms);
}

TEST(TwinSwitch, WithoutAnUndoTheProfileIsRestored)
{
    for (const auto& [target, treatment] :
         {std::pair{kQueue, Treatment::drop}, std::pair{kPort, Treatment::squeeze}, {kPort, Treatment::lossless_off}}) {
        Bench bench;
        const auto before = bench.registers();
        bench.causes_of_death(target, treatment, 2 * kMs);
        ASSERT_NE(bench.registers(), before);
        bench.at(3 * kMs, [&bench, target] {
            const auto undo = bench.device.prepare(command_for(target, Treatment::none));
            ASSERT_TRUE(bench.device.apply(command_for(target, Treatment::none), undo.value()).has_value());
        });
        bench.twin->run_until(4 * kMs);
        EXPECT_EQ(bench.registers(), before) << name(treatment);
    }
}

TEST(TwinSwitch, RefusesInvalidCommands)
{
    Bench bench;
    const auto refused = [&](const Target& target, Treatment want) {
        const auto undo = bench.device.prepare(command_for(target, want));
        return undo ? std::nullopt : std::optional{undo.error().kind};
    };
    EXPECT_EQ(refused(kQueue, Treatment::squeeze), ErrorKind::unsupported);
    EXPECT_EQ(refused(kPort, Treatment::drop), ErrorKind::unsupported);
    EXPECT_EQ(refused(kQueue, Treatment::mute_pause), ErrorKind::unsupported);
    EXPECT_EQ(refused(queue_to(kSwitch, 0, 2), Treatment::drop), ErrorKind::invalid);
    EXPECT_EQ(refused(queue_to(kSwitch, 9), Treatment::drop), ErrorKind::invalid);
    EXPECT_EQ(refused(queue_to(kSick, 0), Treatment::drop), ErrorKind::invalid);
    EXPECT_FALSE(bench.device.apply(command_for(kPort, Treatment::squeeze), Undo{}).has_value());
    Intake intake{bench.device.inventory(), bench.device.capabilities()};
    EXPECT_FALSE(bench.device.look(std::vector{Slot{99}}, intake).has_value());
}

TEST(TwinSwitch, PostsNoticesOfTheHardware)
{
    struct Received final : device::NoticeSink {
        void post(const Notice& notice) noexcept override { notices.push_back(notice); }
        std::vector<Notice> notices;
    } received;
    Traits sdk;
    sdk.deadlock_detect = std::chrono::milliseconds{20};
    sdk.deadlock_recover = std::chrono::milliseconds{10};
    Bench bench{sdk};
    EXPECT_TRUE(bench.device.capabilities().detects_itself);
    bench.device.listen(received);
    stop_pipeline(*bench.twin, kSick, 10 * kMs);
    bench.twin->cut(3, 60 * kMs);
    bench.twin->repair(3, 61 * kMs);
    bench.twin->run_until(62 * kMs);
    std::vector<std::pair<Notice::Kind, Target>> posted;
    for (const auto& notice : received.notices) {
        posted.emplace_back(notice.kind, notice.target);
    }
    const auto other = port_to(kSwitch, 3);
    EXPECT_THAT(posted,
                ElementsAre(std::pair{Notice::Kind::detected, kQueue}, std::pair{Notice::Kind::recovered, kQueue},
                            std::pair{Notice::Kind::link_down, other}, std::pair{Notice::Kind::link_up, other}));
    EXPECT_EQ(received.notices[0].action, Treatment::drop_egress);
    EXPECT_EQ(received.notices[0].interval, sdk.deadlock_detect);
    EXPECT_EQ(received.notices[1].interval, sdk.deadlock_recover);
}

// Treatments of a port and its queues, applied and undone in any order with the Undo of the first write: each target
// shows its own treatment, and at the end nothing is left.
RC_GTEST_PROP(TwinSwitchLaw, TreatmentsOfAQueueAndOfItsPortDoNotTouchEachOther, ())
{
    const std::vector<Target> targets{queue_to(kSwitch, 0, 3), queue_to(kSwitch, 0, 4), port_to(kSwitch, 0)};
    const std::vector<std::vector<Treatment>> choices{
        {Treatment::none, Treatment::ignore_pause, Treatment::drop_egress, Treatment::drop},
        {Treatment::none, Treatment::ignore_pause, Treatment::drop_egress, Treatment::drop},
        {Treatment::none, Treatment::lossless_off, Treatment::squeeze, Treatment::port_down}};
    const auto steps = *rc::gen::container<std::vector<std::pair<unsigned, unsigned>>>(
        rc::gen::pair(rc::gen::inRange(0U, 3U), rc::gen::inRange(0U, 4U)));
    Bench bench;
    const auto before = bench.registers();
    std::vector<std::optional<Undo>> undo(targets.size());
    std::vector<Treatment> wanted(targets.size());
    bool sound = true;
    const auto treat = [&](unsigned which, Treatment want) {
        const auto command = command_for(targets[which], want);
        undo[which] = undo[which] ? undo[which] : bench.device.prepare(command).value();
        sound = sound && bench.device.apply(command, *undo[which]).has_value();
        wanted[which] = want;
        if (want == Treatment::none) {
            undo[which].reset();
        }
        for (std::size_t i = 0; i != targets.size(); ++i) {
            sound = sound && bench.device.read_back(targets[i]) == wanted[i];
        }
    };
    Ps when = 1 * kUs;
    for (const auto& [which, choice] : steps) {
        bench.at(when += 10 * kUs, [&treat, which, want = choices[which][choice]] { treat(which, want); });
    }
    for (unsigned which = 0; which != targets.size(); ++which) {
        bench.at(when += 10 * kUs, [&treat, which] { treat(which, Treatment::none); });
    }
    bench.twin->run_until(when + kUs);
    RC_ASSERT(sound);
    RC_ASSERT(bench.registers() == before);
    bench.twin->totals();  // every frame is accounted for
}

// Each time has its own reasons, although no manager clears the registers.
TEST(TwinSwitch, LinksAreFollowed)
{
    Traits traits;
    traits.reads_links = true;
    Bench bench{traits};
    EXPECT_TRUE(bench.device.capabilities().reads_links);
    auto view = bench.twin->switch_view(kSwitch);
    std::vector<link::LinkSample> seen;
    const auto read_at = [&](Ps when) {
        bench.at(when, [&] { seen.push_back(bench.device.read_links().value().at(0)); });
    };
    read_at(1 * kMs);
    bench.at(2 * kMs, [&] { view.take_down(0, {39, true}, 2 * kMs); });
    bench.at(2 * kMs + twin::kUs, [&] { EXPECT_THAT(bench.device.read_links().value(), SizeIs(3)) << "not settled"; });
    read_at(5 * kMs);
    bench.at(6 * kMs, [&] { view.bring_up(0, 6 * kMs); });
    read_at(8 * kMs);
    bench.at(9 * kMs, [&] { view.set_signal(0, false, 9 * kMs); });
    bench.at(12 * kMs, [&] { view.set_signal(0, true, 12 * kMs); });
    read_at(15 * kMs);
    bench.twin->run_until(20 * kMs);
    const auto code = [](std::uint64_t reason) { return link::RawCode{link::list_named("opa.ldr").value(), reason}; };
    EXPECT_THAT(seen, ElementsAre(link::LinkSample{"Ethernet0", true, false, 0, code(0), 0},
                                  link::LinkSample{"Ethernet0", false, false, 1, code(39), 0},
                                  link::LinkSample{"Ethernet0", true, false, 0, code(39), 0},
                                  link::LinkSample{"Ethernet0", true, false, 1, code(36), 0}));
}

}  // namespace
}  // namespace petrel::test
