// A switch behind a library as a device: rows, looks and treatments and their undoing, each with the faults that
// libraries have. Storms that the library detects itself are in sai_detection_test.cpp.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sai/bench.hpp"
#include "support/temporary_folder.hpp"
#include "watchdog/intake.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::Undo;
using testing::HasSubstr;
using watchdog::Command;
using watchdog::Field;
using watchdog::Intake;
using watchdog::Notice;
using watchdog::Treatment;

constexpr std::uint32_t kRow = 3;

Command command_for(Treatment want, const Target& target = kQueue)
{
    Command command;
    command.target = target;
    command.want = want;
    return command;
}

// Looks at all rows twice, `apart` from each other.
void look_twice(SaiBench& bench, Intake& intake, Duration apart = 100ms)
{
    ASSERT_TRUE(bench.device->look({}, intake));
    bench.clock.advance(apart);
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
}

TEST(SaiDevice, HasARowForEachPriorityOfEachPort)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    const auto& inventory = bench.device->inventory();
    ASSERT_EQ(inventory.rows.size(), 16U);
    EXPECT_EQ(inventory.rows[kRow].target, kQueue);
    EXPECT_EQ(to_string(inventory, inventory.rows[11].target), "port1:3");
    EXPECT_EQ(inventory.rows[0].speed.bps, 100'000'000'000U);  // from SPEED, since the library has no OPER_SPEED
    EXPECT_TRUE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_TRUE(has(bench.device->capabilities().treatments, Treatment::ignore_pause));
    EXPECT_TRUE(has(bench.device->capabilities().survive, Field::pause_state));
    EXPECT_FALSE(has(bench.device->capabilities().survive, Field::pause_us));
}

TEST(SaiDevice, ReadsTheStateOnlyOnceInALook)
{
    SaiBench bench;
    for (const auto* version : {"11303", "11801"}) {
        ASSERT_TRUE(bench.open("", {{"bad.version", version}}));
        const auto before = bench.queue(0, 3).state_reads;
        Intake intake{bench.device->inventory(), bench.device->capabilities()};
        ASSERT_TRUE(bench.device->look({}, intake));
        EXPECT_EQ(bench.queue(0, 3).state_reads, before + 1);
        const auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
        ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop), undo));
        ASSERT_TRUE(bench.device->read_back(kQueue));
        EXPECT_EQ(bench.queue(0, 3).state_reads, before + 1);
        const std::array some{Slot{kRow}};
        ASSERT_TRUE(bench.device->look(some, intake));
        EXPECT_EQ(bench.queue(0, 3).state_reads, before + 2);
        EXPECT_EQ(bench.queue(1, 3).state_reads, 1U);  // only the requested rows are read
    }
}

TEST(SaiDevice, ACounterOfPauseThatNeverCountedProvesNothing)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    bench.queue(0, 3).state = sai::DeadlockState::paused;
    look_twice(bench, intake);
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kThroughout, 0);  // no pause time contradicts it
    bench.port(1).pause_us[0] = 1;                                    // the counter works
    bench.clock.advance(100ms);
    look_twice(bench, intake);  // port0 is read before the counter of port1 shows that
    bench.clock.advance(100ms);
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_EQ(intake.view().pause[kRow] & watchdog::kThroughout, 0);
    bench.port(0).pause_us[3] = 100'000;
    bench.clock.advance(100ms);
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kThroughout, 0);
}

TEST(SaiDevice, ASlowCallIsNotedAndProvesNoPause)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    bench.queue(0, 3).state = sai::DeadlockState::paused;
    look_twice(bench, intake);
    bench.model->in_a_get = [&] { bench.clock.advance(30ms); };
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_EQ(intake.view().pause[kRow] & watchdog::kThroughout, 0);
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kPausedNow, 0);
    EXPECT_TRUE(bench.noted("get PFC_CONTINUOUS_DEADLOCK_STATE took"));
    bench.model->in_a_get = {};
    look_twice(bench, intake);
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kThroughout, 0);
}

TEST(SaiDevice, AQueueThatCannotBeReadDoesNotStopTheOthers)
{
    SaiBench bench;
    for (const auto* version : {"11303", "11801"}) {
        ASSERT_TRUE(bench.open("one_queue_fails", {{"bad.version", version}}));
        Intake intake{bench.device->inventory(), bench.device->capabilities()};
        look_twice(bench, intake);
        EXPECT_NE(intake.view().pause[kRow] & watchdog::kQuiet, 0);
        EXPECT_EQ(intake.view().pause[11] & watchdog::kQuiet, 0);
        EXPECT_FALSE(bench.noted("port1:3"));
        EXPECT_TRUE(bench.device->unseen_queues().empty()) << "no policy watches it";
    }
}

TEST(SaiDevice, AWatchedQueueThatCannotBeReadIsUnseenUntilItCan)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("one_queue_fails"));
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    const std::array watched{Slot{kRow}, Slot{11}};
    bench.device->set_watched_rows(watched);
    look_twice(bench, intake);
    EXPECT_TRUE(bench.device->unseen_queues().empty()) << "a read may fail once";
    bench.clock.advance(1s);
    look_twice(bench, intake);
    const auto unseen = bench.device->unseen_queues();
    ASSERT_EQ(unseen.size(), 1U);
    EXPECT_EQ(unseen[0].queue, "port1:3");
    EXPECT_EQ(unseen[0].why, "the library cannot read its state: FAILURE (-1)");
    bench.model->faults.erase("one_queue_fails");
    look_twice(bench, intake);
    EXPECT_TRUE(bench.device->unseen_queues().empty());
}

// The public virtual-switch library does this once a port is up.
TEST(SaiDevice, ASpeedThatCannotBeReadDoesNotHideTheLink)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("oper_speed"));
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    look_twice(bench, intake);
    EXPECT_EQ(intake.view().pause[kRow] & watchdog::kLinkDown, 0);
    bench.model->faults.insert("oper_speed_fails");
    bench.port(0).status = sai::OperStatus::down;
    look_twice(bench, intake);
    EXPECT_EQ(bench.device->inventory().rows[0].speed, BitRate{100'000'000'000}) << "read from SPEED";
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kLinkDown, 0);
}

TEST(SaiDevice, AnInvalidStateIsIgnored)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("state_of_nonsense"));
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    look_twice(bench, intake);
    EXPECT_FALSE(has(intake.view().known[kRow], Field::pause_state));
    EXPECT_TRUE(bench.noted("PFC_CONTINUOUS_DEADLOCK_STATE is 7, which is no valid state"));
}

TEST(SaiDevice, AFailedGetOverridesTheClaimedCapability)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_state"));
    EXPECT_FALSE(has(bench.device->capabilities().fields, Field::pause_state));
    EXPECT_TRUE(bench.noted("get PFC_CONTINUOUS_DEADLOCK_STATE of a queue: NOT_IMPLEMENTED (-15), though the library "
                            "claims that it can be read; it is not used"));
}

TEST(SaiDevice, FollowsLinksByReadingAndByNotices)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    Received received;
    bench.device->listen(received);
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    look_twice(bench, intake);
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kQuiet, 0);

    // Down and up between two looks: only the notifications show it.
    const std::array flaps{
        sai::PortStateNotice{BadSwitch::port_id(0), static_cast<std::int32_t>(sai::OperStatus::down)},
        sai::PortStateNotice{BadSwitch::port_id(0), static_cast<std::int32_t>(sai::OperStatus::up)},
        sai::PortStateNotice{0x1234567, static_cast<std::int32_t>(sai::OperStatus::up)}};
    bench.model->on_port_state(flaps.size(), flaps.data());
    ASSERT_EQ(received.all.size(), 2U);
    EXPECT_EQ(received.all[0].kind, Notice::Kind::link_down);
    EXPECT_EQ(received.all[0].target, (Target{{kSaiId, 0}, std::nullopt}));
    EXPECT_EQ(received.all[1].kind, Notice::Kind::link_up);
    bench.clock.advance(100ms);
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_EQ(intake.view().pause[kRow] & watchdog::kQuiet, 0);
    EXPECT_NE(intake.view().pause[11] & watchdog::kQuiet, 0);

    bench.port(0).status = sai::OperStatus::down;
    bench.clock.advance(100ms);
    intake.begin();
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_EQ(intake.view().pause[kRow], watchdog::kLinkDown);

    const auto generation = bench.device->inventory().generation;
    bench.port(1).speed_mbps = 400'000;
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_NE(bench.device->inventory().generation, generation);
    EXPECT_EQ(bench.device->inventory().rows[11].speed.bps, 400'000'000'000U);
}

TEST(SaiDevice, WithoutLinkStateALinkIsUp)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_link_state"));
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    look_twice(bench, intake);
    EXPECT_NE(intake.view().pause[kRow] & watchdog::kQuiet, 0);
    EXPECT_TRUE(bench.noted("OPER_STATUS"));
}

TEST(SaiDevice, QueuesWithoutAnIndexAreInOrder)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_queue_index"));
    EXPECT_EQ(bench.device->inventory().rows.size(), 16U);
    EXPECT_TRUE(bench.noted("does not report the index of queues"));
}

TEST(SaiDevice, APriorityIsTheQueueGroupAndClassItIsMappedTo)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("", {{"bad.maps", "3-5"}}));
    ASSERT_EQ(bench.device->inventory().rows.size(), 14U);  // queue 5 would be read twice
    EXPECT_TRUE(std::ranges::none_of(bench.device->inventory().rows,
                                     [](const auto& row) { return row.target.priority == Priority{5}; }));
    ASSERT_TRUE(
        bench.device->delegate_detection(std::array{device::DelegatedRow{Slot{kRow}, 200ms, 400ms, Treatment::drop}}));
    ASSERT_EQ(bench.port(0).detect.size(), 1U);
    EXPECT_EQ(bench.port(0).detect[0].key, 2U);
    const auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop), undo));
    EXPECT_TRUE(bench.queue(0, 5).recovering);
    EXPECT_FALSE(bench.queue(0, 3).recovering);
    EXPECT_NE(bench.port(0).groups[5].profile, bench.port(0).groups[3].profile);
    ASSERT_TRUE(bench.open("", {{"bad.maps", "3-4"}}));
    EXPECT_TRUE(bench.noted("port0: priorities 3 and 4 share queue 4, which is watched as 3"));
}

// What each treatment writes, and that nothing of it is left after a restore.

struct Written {
    Treatment want{};
    bool recovering{};
    std::int32_t action{};
    bool without_room{};  // the group's buffers
    std::uint8_t pfc{};
};

void expect_written(SaiBench& bench, const Written& written)
{
    const auto before = bench.port(0);
    const auto undo = bench.device->prepare(command_for(written.want)).value();
    ASSERT_TRUE(bench.device->apply(command_for(written.want), undo));
    const auto& queue = bench.queue(0, 3);
    const auto pool = bench.model->profiles.at(bench.port(0).groups[3].profile).pool;
    EXPECT_EQ(queue.recovering, written.recovering);
    EXPECT_EQ((bench.model->pools.at(pool).size == 0), written.without_room);
    EXPECT_EQ(bench.port(0).pfc, written.pfc);
    if (written.recovering) {
        EXPECT_EQ(queue.ever_set.contains(sai::queue_attr::pfc_dlr_packet_action) ? queue.action : bench.model->action,
                  written.action);
    }
    EXPECT_EQ(bench.device->read_back(kQueue), written.want);
    EXPECT_EQ(bench.device->read_back(sai_queue(1, 3)), Treatment::none);

    ASSERT_TRUE(bench.device->apply(command_for(written.want), undo));  // repeating it is harmless
    EXPECT_EQ(bench.device->read_back(kQueue), written.want);

    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), undo));
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::none);
    EXPECT_FALSE(bench.queue(0, 3).recovering);
    EXPECT_EQ(bench.port(0).groups[3].profile, before.groups[3].profile);
    EXPECT_EQ(bench.port(0).pfc, before.pfc);
}

TEST(SaiDevice, TreatsByRecovery)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    expect_written(bench, {Treatment::drop, true, 0, true, 0x18});
    expect_written(bench, {Treatment::drop_egress, true, 0, false, 0x18});
    expect_written(bench, {Treatment::ignore_pause, true, 1, false, 0x18});
    const auto port_wide = bench.device->prepare(command_for(Treatment::drop, {{kSaiId, 0}, std::nullopt}));
    ASSERT_FALSE(port_wide);
    EXPECT_EQ(port_wide.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(bench.device->read_back({{kSaiId, 0}, std::nullopt}), Treatment::none);
    EXPECT_FALSE(bench.device->read_back(sai_queue(9, 3)));
}

TEST(SaiDevice, WithoutRecoveryTheMaskForwards)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_recovery"));
    EXPECT_EQ(bench.device->capabilities().treatments, bit(Treatment::ignore_pause));
    EXPECT_EQ(bench.device->capabilities().survive & (bit(Field::pause_state) | bit(Field::rx_pfc)), 0U);
    EXPECT_TRUE(bench.noted("by the port's PFC mask, which forwards"));
    expect_written(bench, {Treatment::ignore_pause, false, 0, false, 0x10});
    ASSERT_TRUE(bench.open("no_recovery,separate"));  // here the mask is that of received pause
    expect_written(bench, {Treatment::ignore_pause, false, 0, false, 0x10});
}

TEST(SaiDevice, WithoutAnyPacketActionRecoveryDropsAndTheMaskForwards)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_action"));
    expect_written(bench, {Treatment::drop, true, 0, true, 0x18});
    expect_written(bench, {Treatment::ignore_pause, false, 0, false, 0x10});
}

TEST(SaiDevice, TheActionOfTheSwitchIsOneForAllQueues)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_queue_action"));
    expect_written(bench, {Treatment::ignore_pause, true, 1, false, 0x18});
    expect_written(bench, {Treatment::drop, true, 0, true, 0x18});
    const auto other = sai_queue(1, 4);
    const auto undo = bench.device->prepare(command_for(Treatment::drop, other)).value();
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop, other), undo));
    const auto conflict = bench.device->apply(command_for(Treatment::ignore_pause), Undo{});
    ASSERT_FALSE(conflict);
    EXPECT_EQ(conflict.error().kind, ErrorKind::unsupported);
    EXPECT_THAT(conflict.error().what, HasSubstr("1 others are treated with the other one"));
    EXPECT_EQ(bench.device->read_back(other), Treatment::drop);
    EXPECT_TRUE(bench.device->apply(command_for(Treatment::drop_egress), Undo{}));
}

TEST(SaiDevice, DropNeedsBuffers)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_pools"));
    EXPECT_FALSE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_TRUE(has(bench.device->capabilities().treatments, Treatment::drop_egress));
    EXPECT_TRUE(bench.noted(
        "INSUFFICIENT_RESOURCES (-4), the switch's table of buffer pools is full; drop-egress replaces drop"));
    ASSERT_TRUE(bench.open("no_buffers"));
    EXPECT_FALSE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_FALSE(has(bench.device->capabilities().fields, Field::rx_drops));
    ASSERT_TRUE(bench.open("no_groups"));
    EXPECT_FALSE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_TRUE(bench.noted("get INGRESS_PRIORITY_GROUP_LIST of a port: NOT_IMPLEMENTED (-15)"));
    expect_written(bench, {Treatment::drop_egress, true, 0, false, 0x18});
}

// Hardware may outlive the process, and its tables are small: a zero-size profile exists only while a group uses it.
TEST(SaiDevice, DropLeavesNoBuffersBehind)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    const auto& model = *bench.model;
    EXPECT_EQ(model.pools.size(), 1U);
    EXPECT_EQ(model.profiles.size(), 1U);
    const auto other = sai_queue(1, 4);
    const auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop), undo));
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop, other), undo));
    EXPECT_EQ(model.pools.size(), 2U);
    EXPECT_EQ(model.profiles.size(), 2U);
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), undo));
    EXPECT_EQ(bench.device->read_back(other), Treatment::drop);
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop_egress, other), undo));
    EXPECT_EQ(model.pools.size(), 1U);
    EXPECT_EQ(model.profiles.size(), 1U);
    EXPECT_EQ(bench.device->read_back(other), Treatment::drop_egress);
}

TEST(SaiDevice, AFullTableIsNoted)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("", {{"bad.pools", "1"}}));
    EXPECT_FALSE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_TRUE(bench.noted("a buffer pool without room cannot be made: TABLE_FULL (-13), the switch's table of buffer "
                            "pools is full; drop-egress replaces drop"));
    ASSERT_TRUE(bench.open("no_profiles"));
    EXPECT_FALSE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_TRUE(bench.noted("table of buffer profiles is full"));
    EXPECT_EQ(bench.model->pools.size(), 1U);

    // The table fills up later: the queue stays unchanged, for the weaker treatment that comes next.
    ASSERT_TRUE(bench.open("", {{"bad.pools", "2"}}));
    EXPECT_TRUE(has(bench.device->capabilities().treatments, Treatment::drop));
    bench.model->most_pools = 1;
    const auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
    const auto refused = bench.device->apply(command_for(Treatment::drop), undo);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    EXPECT_TRUE(bench.noted("the switch's table of buffer pools is full"));
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::none);
    EXPECT_TRUE(bench.device->apply(command_for(Treatment::drop_egress), undo));
}

TEST(SaiDevice, BuffersThatCannotBeRemovedAreReusedAndNoted)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_removal"));
    for (int i = 0; i != 3; ++i) {
        const auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
        ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop), undo));
        ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), undo));
    }
    EXPECT_EQ(bench.model->pools.size(), 2U);
    EXPECT_TRUE(bench.noted("a buffer profile without room cannot be removed: NOT_SUPPORTED (-2)"));
}

// Objects that an earlier process has left at a queue in `drop` are reused, and removed with the treatment.
TEST(SaiDevice, BuffersOfAnEarlierProcessAreAdopted)
{
    const TemporaryFolder folder;
    const auto kept = folder / "kept";
    std::ofstream{kept} << "next 30000\npool 200 0 0 1\nprofile 201 200 0 1 -8\nqueue 0 3 201 1 0\n";
    SaiBench bench;
    ASSERT_TRUE(bench.open("", {{"bad.kept", kept.string()}, {"bad.pools", "2"}}));
    EXPECT_TRUE(has(bench.device->capabilities().treatments, Treatment::drop));
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::drop);
    const auto other = sai_queue(1, 4);
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop, other), Undo{}));
    EXPECT_EQ(bench.port(1).groups[4].profile, 201U);
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none, other), Undo{}));
    EXPECT_EQ(bench.model->profiles.size(), 2U);
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), Undo{}));
    EXPECT_EQ(bench.model->profiles.size(), 1U);
    EXPECT_EQ(bench.model->pools.size(), 1U);
}

// Three cases: the queue is not in recovery; the profile has another share; its pool has another type. Each also has a
// profile that no group uses.
TEST(SaiDevice, BuffersOfOthersStayUnchanged)
{
    const TemporaryFolder folder;
    for (const auto* foreign :
         {"pool 200 0 0 1\nprofile 201 200 0 1 -8\nqueue 0 3 201 0 0\n",
          "pool 200 0 0 1\nprofile 201 200 0 1 -3\nqueue 0 3 201 1 0\n",
          "pool 200 2 0 1\nprofile 201 200 0 1 -8\nqueue 0 3 201 1 0\n", "pool 200 0 0 1\nprofile 201 200 0 1 -8\n"}) {
        const auto kept = folder / "kept";
        std::ofstream{kept} << "next 30000\n" << foreign;
        SaiBench bench;
        ASSERT_TRUE(bench.open("", {{"bad.kept", kept.string()}}));
        const auto other = sai_queue(1, 4);
        ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop, other), Undo{}));
        EXPECT_NE(bench.port(1).groups[4].profile, 201U);
        ASSERT_TRUE(bench.device->apply(command_for(Treatment::none, other), Undo{}));
        ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), Undo{}));
        EXPECT_NE(bench.port(0).groups[3].profile, 201U);
        EXPECT_TRUE(bench.model->profiles.contains(201)) << foreign;
        EXPECT_TRUE(bench.model->pools.contains(200)) << foreign;
        EXPECT_EQ(bench.model->pools.size(), 2U);
    }
}

TEST(SaiDevice, ARecoveryWithoutEffectIsFoundOutAndTheMaskTakesOver)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("recovery_without_effect"));
    const auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
    const auto tried = bench.device->apply(command_for(Treatment::drop), undo);
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error().kind, ErrorKind::unsupported);
    EXPECT_TRUE(
        bench.noted("accepts PFC_DLR_INIT and then shows the old value; storms are treated by the port's PFC mask"));
    EXPECT_FALSE(bench.device->apply(command_for(Treatment::drop_egress), undo));
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::ignore_pause), undo));
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::ignore_pause);
    EXPECT_EQ(bench.port(0).pfc, 0x10);

    // Behind the mask the state is not used. Frames still count as long as the pause of another priority is honoured.
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    bench.port(0).pfc_frames[3] = 5;
    look_twice(bench, intake);
    EXPECT_FALSE(has(intake.view().known[kRow], Field::pause_state));
    EXPECT_TRUE(has(intake.view().known[kRow], Field::rx_pfc));
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), undo));
    EXPECT_EQ(bench.port(0).pfc, 0x18);
}

TEST(SaiDevice, AMaskWithoutEffectIsRefused)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_recovery,mask_without_effect"));
    const auto tried = bench.device->apply(command_for(Treatment::ignore_pause), Undo{});
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::none);
}

// The bad library aborts on an id that it never returned.
TEST(SaiDevice, ObjectIdsOfEarlierProcessesAreNotUsed)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    auto undo = bench.device->prepare(command_for(Treatment::drop)).value();
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop), undo));
    undo.bytes[0] = std::byte{0x77};
    undo.bytes[1] = std::byte{0x77};
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), undo));
    EXPECT_EQ(bench.port(0).groups[3].profile, bench.port(1).groups[3].profile);
    undo.size = 3;
    EXPECT_FALSE(bench.device->apply(command_for(Treatment::none), undo));
}

TEST(SaiDevice, WithoutAnUndoTheCommonProfileIsRestored)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::drop), Undo{}));
    const auto undo = bench.device->prepare(command_for(Treatment::none)).value();  // it shows our own treatment
    ASSERT_TRUE(bench.device->apply(command_for(Treatment::none), undo));
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::none);
    EXPECT_EQ(bench.port(0).groups[3].profile, bench.port(0).groups[4].profile);
    EXPECT_EQ(bench.port(0).pfc, 0x18);
}

// Whatever is wrong with a library: it is refused with a reason, or everything it accepts is undone completely.
RC_GTEST_PROP(SaiDeviceLaw, NoFaultLeavesATreatmentBehind, ())
{
    static const std::vector<std::string> kFaults{"refuses_callbacks_at_create",
                                                  "refuses_callbacks",
                                                  "no_action",
                                                  "no_range",
                                                  "mask_without_effect",
                                                  "no_port_intervals",
                                                  "no_recovery",
                                                  "recovery_without_effect",
                                                  "no_queue_action",
                                                  "one_queue_fails",
                                                  "no_queue_index",
                                                  "no_state",
                                                  "state_of_nonsense",
                                                  "no_pools",
                                                  "no_profiles",
                                                  "no_removal",
                                                  "no_buffers",
                                                  "no_link_state",
                                                  "coarse_timers",
                                                  "create_fails",
                                                  "no_groups"};
    std::string faults;
    for (const auto& fault : kFaults) {
        if (*rc::gen::weightedElement<bool>({{3, false}, {1, true}})) {
            faults += (faults.empty() ? "" : ",") + fault;
        }
    }
    const auto* version = *rc::gen::element("10900", "11002", "11303", "11801");
    SaiBench bench;
    const auto opened = bench.open(faults, {{"bad.version", version}});
    if (!opened) {
        RC_ASSERT(!opened.error().what.empty());
        return;
    }
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    const auto pfc = bench.port(0).pfc;
    const auto group = bench.port(0).groups[3].profile;
    const auto want = *rc::gen::element(Treatment::ignore_pause, Treatment::drop_egress, Treatment::drop);
    RC_ASSERT(bench.device->look({}, intake).has_value());
    const auto undo = bench.device->prepare(command_for(want));
    if (undo) {
        const auto applied = bench.device->apply(command_for(want), *undo);
        RC_ASSERT(applied.has_value() == (bench.device->read_back(kQueue) == want));
        RC_ASSERT(bench.device->look({}, intake).has_value());
        RC_ASSERT(bench.device->apply(command_for(Treatment::none), *undo).has_value());
    }
    RC_ASSERT(bench.device->read_back(kQueue) == Treatment::none);
    RC_ASSERT(!bench.queue(0, 3).recovering);
    RC_ASSERT(bench.port(0).pfc == pfc);
    RC_ASSERT(bench.port(0).groups[3].profile == group);
}

}  // namespace
}  // namespace petrel::test
