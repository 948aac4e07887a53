// A Slingshot switch as a device: rows, the order and values of writes, how a half-applied treatment shows, and what is
// left after a restore by this or another process.
#include "device/slingshot/slingshot_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "device/manual_clock.hpp"
#include "device_slingshot/fake_registers.hpp"

namespace petrel::test {
namespace {

using device::ManualClock;
using device::Undo;
using device::slingshot::SlingshotDevice;
using testing::ElementsAre;
using watchdog::Command;
using watchdog::Field;
using watchdog::Intake;
using watchdog::Treatment;
using Fault = FakeSwitch::Fault;

constexpr DeviceId kId{7};
constexpr Target kPort{{kId, 1}, std::nullopt};

Command command_for(Treatment want, const Target& target = kPort)
{
    Command command;
    command.target = target;
    command.want = want;
    return command;
}

struct Bench {
    // A new process: of the old device only its writes remain.
    SlingshotDevice device() { return {kId, std::make_unique<FakeRegisters>(fake), clock}; }
    FakeSwitch::PortState& port() { return fake.state[1]; }

    FakeSwitch fake;
    ManualClock clock;
};

TEST(Slingshot, HasARowForEachEdgePort)
{
    Bench bench;
    const auto device = bench.device();
    ASSERT_EQ(device.inventory().rows.size(), 2U);
    EXPECT_EQ(device.inventory().rows[1].target, kPort);
    EXPECT_EQ(device.inventory().ports.size(), 3U);
    EXPECT_EQ(device.inventory().ports[1].xname, "x0c0r4j3p1");
    EXPECT_EQ(device.inventory().ports[1].number, 19U);
    EXPECT_TRUE(has(device.capabilities().survive, Field::pause_timeout));
}

TEST(Slingshot, LooksReadStatusSentAndDiscardedFrames)
{
    Bench bench;
    auto device = bench.device();
    Intake intake{device.inventory(), device.capabilities()};
    const auto look = [&](std::vector<Slot> rows = {}) {
        bench.clock.advance(std::chrono::milliseconds{10});
        intake.begin();
        return device.look(rows, intake).has_value();
    };
    ASSERT_TRUE(look());
    bench.port().pause_timeout = 0x8;
    bench.port().sent += 5;
    bench.port().discarded += 3;
    ASSERT_TRUE(look());
    EXPECT_TRUE(intake.view().all);
    EXPECT_EQ(intake.view().column(Field::pause_timeout)[0], 0U);
    EXPECT_EQ(intake.view().column(Field::pause_timeout)[1], 8U);
    EXPECT_EQ(intake.view().column(Field::tx_packets)[1], 5U);
    EXPECT_EQ(intake.view().column(Field::tx_drops)[1], 3U);

    bench.port().epoch = 0;
    ASSERT_TRUE(look({Slot{1}}));
    EXPECT_FALSE(intake.view().all);
    EXPECT_EQ(intake.view().pause[1], watchdog::kLinkDown);

    EXPECT_FALSE(look({Slot{2}}));
}

TEST(Slingshot, ALookThatReadsNothingFails)
{
    Bench bench;
    auto device = bench.device();
    Intake intake{device.inventory(), device.capabilities()};
    intake.begin();
    bench.fake.readable = false;
    const auto blind = device.look({}, intake);
    ASSERT_FALSE(blind.has_value());
    EXPECT_EQ(blind.error().what, "failed by an injected fault");
    EXPECT_FALSE(device.wants_reopening()) << "the next look may succeed";
    bench.fake.lost = true;
    EXPECT_TRUE(device.wants_reopening());
}

TEST(Slingshot, AWatchedPortThatCannotBeReadIsUnseen)
{
    Bench bench;
    auto device = bench.device();
    device.set_watched_rows(std::vector{Slot{1}});
    Intake intake{device.inventory(), device.capabilities()};
    const auto look = [&] {
        intake.begin();
        return device.look({}, intake).has_value();
    };
    bench.fake.unreadable_ports = {0, 1};
    ASSERT_TRUE(look());
    EXPECT_THAT(intake.view().touched, ElementsAre());
    EXPECT_THAT(device.unseen_queues(), ElementsAre(device::UnseenQueue{"Ethernet1", "failed by an injected fault"}));
    EXPECT_FALSE(device.read_back(kPort).has_value());
    bench.fake.unreadable_ports.clear();
    ASSERT_TRUE(look());
    EXPECT_THAT(device.unseen_queues(), ElementsAre());
}

TEST(Slingshot, IgnoresTheStatusOfChannelsWithoutPfc)
{
    Bench bench;
    bench.fake.ports[1].honours = 0x18;
    const auto status = [&] {
        auto device = bench.device();
        Intake intake{device.inventory(), device.capabilities()};
        for (int looks = 0; looks != 2; ++looks) {
            bench.clock.advance(std::chrono::milliseconds{10});
            intake.begin();
            EXPECT_TRUE(device.look({}, intake));
        }
        EXPECT_TRUE(has(intake.view().known[1], Field::pause_timeout));
        return intake.view().column(Field::pause_timeout)[1];
    };
    bench.port().pause_timeout = 0x9;
    EXPECT_EQ(status(), 8U);
    bench.port().pause_timeout = 0x1;
    EXPECT_EQ(status(), 0U);
    bench.port().pause_timeout = 0x8;
    bench.fake.ports[1].usual.pcp_enable = 0;
    EXPECT_EQ(status(), 0U) << "the port honours no pause by its configuration";
}

TEST(Slingshot, SqueezesFramesFirstAndThenStopsHeedingPauseAndUndoesItInTheSameOrder)
{
    Bench bench;
    auto device = bench.device();
    const auto undo = device.prepare(command_for(Treatment::squeeze));
    ASSERT_TRUE(undo.has_value());
    EXPECT_THAT(bench.fake.writes, ElementsAre());  // prepare() only reads
    ASSERT_TRUE(device.apply(command_for(Treatment::squeeze), *undo).has_value());
    EXPECT_THAT(bench.fake.writes, ElementsAre("R_PF_EEG_SIZE_CFG = 63", "PCP_ENABLE = 0"));
    EXPECT_EQ(device.read_back(kPort), Treatment::squeeze);

    bench.fake.writes.clear();
    ASSERT_TRUE(device.apply(command_for(Treatment::none), *undo).has_value());
    EXPECT_THAT(bench.fake.writes, ElementsAre("R_PF_EEG_SIZE_CFG = 9216", "PCP_ENABLE = 1"));
    EXPECT_EQ(device.read_back(kPort), Treatment::none);
}

TEST(Slingshot, OtherPortsStayUnchanged)
{
    Bench bench;
    auto device = bench.device();
    const auto before = bench.fake.state;
    ASSERT_TRUE(device.apply(command_for(Treatment::squeeze), device.prepare(command_for(Treatment::squeeze)).value())
                    .has_value());
    EXPECT_EQ(bench.fake.state[0], before[0]);
    EXPECT_EQ(bench.fake.state[2], before[2]);
}

TEST(Slingshot, AJournaledUndoWorksInANewProcess)
{
    Bench bench;
    bench.port().max_frame_size = 1'500;
    auto first = bench.device();
    const auto undo = first.prepare(command_for(Treatment::squeeze));
    ASSERT_TRUE(first.apply(command_for(Treatment::squeeze), undo.value()).has_value());
    auto second = bench.device();
    ASSERT_TRUE(second.apply(command_for(Treatment::squeeze), *undo).has_value());  // repeating it is harmless
    ASSERT_TRUE(second.apply(command_for(Treatment::none), *undo).has_value());
    EXPECT_EQ(bench.port().max_frame_size, 1'500U);
    EXPECT_EQ(bench.port().pcp_enable, 1U);
}

TEST(Slingshot, APartlyAppliedTreatmentIsDetected)
{
    Bench bench;
    auto device = bench.device();
    bench.port().max_frame_size = 63;
    EXPECT_EQ(device.read_back(kPort), Treatment::drop_egress);
    bench.port() = {};
    bench.port().pcp_enable = 0;
    EXPECT_EQ(device.read_back(kPort), Treatment::ignore_pause);
    bench.fake.ports[1].usual.pcp_enable = 0;  // not our treatment: the port is configured so
    EXPECT_EQ(device.read_back(kPort), Treatment::none);
    bench.port().max_frame_size = 64;
    EXPECT_EQ(device.read_back(kPort), Treatment::none);
}

TEST(Slingshot, WithoutAnUndoTheDefaultsAreRestored)
{
    for (const auto& [size, pcp] : {std::pair{63U, 0U}, {63U, 1U}, {kUsualFrame, 0U}}) {
        for (const bool prepared : {true, false}) {
            Bench bench;
            bench.port().max_frame_size = size;
            bench.port().pcp_enable = pcp;
            auto device = bench.device();
            const auto undo = prepared ? device.prepare(command_for(Treatment::none)).value() : Undo{};
            ASSERT_TRUE(device.apply(command_for(Treatment::none), undo).has_value());
            EXPECT_EQ(bench.port(), FakeSwitch::PortState{}) << size << ' ' << pcp;
        }
    }
}

TEST(Slingshot, RefusesUnsupportedTreatments)
{
    Bench bench;
    auto device = bench.device();
    const auto refused = [&](Treatment want, const Target& target) {
        const auto command = command_for(want, target);
        const auto undo = device.prepare(command);
        EXPECT_FALSE(device.apply(command, Undo{}).has_value());
        return undo ? std::nullopt : std::optional{undo.error().kind};
    };
    EXPECT_EQ(refused(Treatment::drop, kPort), ErrorKind::unsupported);
    EXPECT_EQ(refused(Treatment::drop_egress, kPort), ErrorKind::unsupported);
    EXPECT_EQ(refused(Treatment::squeeze, {{kId, 1}, Priority{3}}), ErrorKind::invalid);
    EXPECT_EQ(refused(Treatment::squeeze, {{kId, 2}, std::nullopt}), ErrorKind::invalid);  // not an edge port
    EXPECT_EQ(refused(Treatment::squeeze, {{DeviceId{8}, 1}, std::nullopt}), ErrorKind::invalid);
    EXPECT_FALSE(device.read_back({{kId, 2}, std::nullopt}).has_value());
    Undo alien;
    alien.size = 3;
    EXPECT_FALSE(device.apply(command_for(Treatment::none), alien).has_value());
    EXPECT_THAT(bench.fake.writes, ElementsAre());
}

TEST(Slingshot, UnreadableRegistersAreReported)
{
    Bench bench;
    auto device = bench.device();
    bench.fake.readable = false;
    EXPECT_FALSE(device.prepare(command_for(Treatment::squeeze)).has_value());
    EXPECT_FALSE(device.read_back(kPort).has_value());
}

// Whichever writes are lost: read_back() returns squeeze only if both registers have it, and none only if neither has;
// and a successful restore with the first Undo brings back the original values.
RC_GTEST_PROP(SlingshotLaw, ReadBackEqualsTheRegisters, ())
{
    const auto steps = *rc::gen::container<std::vector<std::tuple<bool, Fault, Fault>>>(
        rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::element(Fault::none, Fault::fail, Fault::no_effect),
                       rc::gen::element(Fault::none, Fault::fail, Fault::no_effect)));
    Bench bench;
    bench.port().max_frame_size = *rc::gen::inRange(64U, 10'000U);
    const auto before = bench.port();
    const auto undo = bench.device().prepare(command_for(Treatment::squeeze)).value();
    for (const auto& [treat, first, second] : steps) {
        bench.fake.faults = {{Register::max_frame_size, {first, 1}}, {Register::pcp_enable, {second, 1}}};
        const auto done = bench.device().apply(command_for(treat ? Treatment::squeeze : Treatment::none), undo);
        RC_ASSERT(done.has_value() == (first != Fault::fail && second != Fault::fail));
        bench.fake.faults.clear();
        const auto shown = bench.device().read_back(kPort).value();
        const bool small = bench.port().max_frame_size < 64;
        const bool off = bench.port().pcp_enable == 0;
        RC_ASSERT((shown == Treatment::squeeze) == (small && off));
        RC_ASSERT((shown == Treatment::none) == (!small && !off));
    }
    RC_ASSERT(bench.device().apply(command_for(Treatment::none), undo).has_value());
    RC_ASSERT(bench.port() == before);
}

}  // namespace
}  // namespace petrel::test
