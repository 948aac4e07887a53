// lossless_off through a library that is not ours: what it writes on a port, that a restore leaves nothing of it, also
// after a death at any write, and how it goes together with treatments of queues.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/reconcile.hpp"
#include "device/carry_out.hpp"
#include "runner/start.hpp"
#include "runtime/file_journal.hpp"
#include "sai/bench.hpp"
#include "support/temporary_folder.hpp"
#include "watchdog/intake.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::Undo;
using testing::HasSubstr;
using testing::IsEmpty;
using watchdog::Command;
using watchdog::Field;
using watchdog::Intake;
using watchdog::Treatment;
using watchdog::Verdict;

const Target kPort{{kSaiId, 0}, std::nullopt};

Command command_for(const Target& target, Treatment want)
{
    Command command;
    command.target = target;
    command.want = want;
    return command;
}

// The settings of a port that a treatment can write.
struct Settings {
    std::uint8_t pfc{};
    std::uint8_t pfc_tx{};
    std::vector<std::size_t> dropping;      // queues in recovery whose packet action is drop
    std::vector<std::size_t> without_room;  // groups
    bool operator==(const Settings&) const = default;
};

Settings settings_of(const SaiBench& bench, std::size_t port)
{
    Settings set{bench.port(port).pfc, bench.port(port).pfc_tx, {}, {}};
    for (std::size_t i = 0; i != 8; ++i) {
        const auto& queue = bench.queue(port, i);
        if (queue.recovering && queue.action == static_cast<std::int32_t>(sai::PacketAction::drop)) {
            set.dropping.push_back(i);
        }
        const auto& profile = bench.model->profiles.at(bench.port(port).groups[i].profile);
        if (bench.model->pools.at(profile.pool).size == 0) {
            set.without_room.push_back(i);
        }
    }
    return set;
}

const Settings kLossless{0x18, 0x18, {}, {}};
const Settings kOff{0, 0x18, {3, 4}, {3, 4}};  // a port with one mask does not have the other

Undo treat(SaiBench& bench, const Target& target, Treatment want)
{
    const auto undo = bench.device->prepare(command_for(target, want));
    EXPECT_TRUE(undo) << undo.error().what;
    const auto applied = bench.device->apply(command_for(target, want), undo.value_or(Undo{}));
    EXPECT_TRUE(applied) << applied.error().what;
    return undo.value_or(Undo{});
}

void restore(SaiBench& bench, const Target& target, const Undo& undo)
{
    const auto applied = bench.device->apply(command_for(target, Treatment::none), undo);
    EXPECT_TRUE(applied) << applied.error().what;
}

TEST(SaiLosslessOff, SwitchesPfcOffAndDropsAllLosslessQueuesAndGroupsOfThePort)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    ASSERT_TRUE(has(bench.device->capabilities().treatments, Treatment::lossless_off));
    ASSERT_TRUE(has(bench.device->capabilities().port_wide, Treatment::lossless_off));
    const auto undo = treat(bench, kPort, Treatment::lossless_off);
    EXPECT_EQ(settings_of(bench, 0), kOff);
    EXPECT_EQ(settings_of(bench, 1), kLossless);
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::lossless_off);
    EXPECT_EQ(bench.device->read_back(sai_queue(0, 3)), Treatment::none) << "the treatment belongs to the port";
    EXPECT_EQ(bench.device->read_back({{kSaiId, 1}, std::nullopt}), Treatment::none);

    ASSERT_TRUE(bench.device->apply(command_for(kPort, Treatment::lossless_off), undo)) << "repeating it is harmless";
    EXPECT_EQ(settings_of(bench, 0), kOff);

    restore(bench, kPort, undo);
    EXPECT_EQ(settings_of(bench, 0), kLossless);
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::none);
    EXPECT_EQ(bench.device->read_back(sai_queue(0, 3)), Treatment::none);
    EXPECT_EQ(bench.model->pools.size(), 1U);
    EXPECT_EQ(bench.model->profiles.size(), 1U);
}

TEST(SaiLosslessOff, BothMasksAreOffIfDirectionsAreSeparate)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("separate"));
    bench.port(0).pfc_tx = 0x38;  // pause is sent for one priority more
    const auto undo = treat(bench, kPort, Treatment::lossless_off);
    EXPECT_EQ(settings_of(bench, 0), (Settings{0, 0, {3, 4, 5}, {3, 4, 5}}));
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::lossless_off);
    restore(bench, kPort, undo);
    EXPECT_EQ(settings_of(bench, 0), (Settings{0x18, 0x38, {}, {}}));
}

TEST(SaiLosslessOff, IsForPortsAndTheOthersAreForQueues)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    const auto for_queue = bench.device->prepare(command_for(kQueue, Treatment::lossless_off));
    ASSERT_FALSE(for_queue);
    EXPECT_EQ(for_queue.error().kind, ErrorKind::unsupported);
    EXPECT_THAT(for_queue.error().what, HasSubstr("lossless_off does not apply to a queue"));
    EXPECT_FALSE(bench.device->prepare(command_for(kPort, Treatment::drop)));
}

TEST(SaiLosslessOff, NeedsDropAndTheMasks)
{
    SaiBench bench;
    for (const auto* faults : {"no_recovery", "no_buffers", "no_groups", "no_pools"}) {
        ASSERT_TRUE(bench.open(faults));
        EXPECT_FALSE(has(bench.device->capabilities().treatments, Treatment::lossless_off)) << faults;
    }
}

// A part that the library refuses takes the rest back, so that a weaker treatment finds the port as it was.
TEST(SaiLosslessOff, ARefusedPartLeavesNothing)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("", {{"bad.pools", "2"}}));
    bench.model->most_pools = 1;
    const auto undo = bench.device->prepare(command_for(kPort, Treatment::lossless_off)).value();
    const auto refused = bench.device->apply(command_for(kPort, Treatment::lossless_off), undo);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(settings_of(bench, 0), kLossless);
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::none);

    ASSERT_TRUE(bench.open("mask_without_effect"));
    const auto without_effect = bench.device->apply(command_for(kPort, Treatment::lossless_off), undo);
    ASSERT_FALSE(without_effect);
    EXPECT_EQ(without_effect.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(settings_of(bench, 0), kLossless);
}

TEST(SaiLosslessOff, APortWithoutPfcIsNotTreated)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    bench.port(0).pfc = 0;
    const auto undo = bench.device->prepare(command_for(kPort, Treatment::lossless_off)).value();
    const auto refused = bench.device->apply(command_for(kPort, Treatment::lossless_off), undo);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    const auto queue = bench.device->prepare(command_for(kQueue, Treatment::drop));
    ASSERT_FALSE(queue);
    EXPECT_THAT(queue.error().what, HasSubstr("PFC is off for priority 3 of this port"));
    EXPECT_EQ(settings_of(bench, 0), (Settings{0, 0x18, {}, {}}));
}

TEST(SaiLosslessOff, TreatmentsOfItsQueuesTakeEffectWhenLosslessModeIsBack)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    const auto of_queue = treat(bench, kQueue, Treatment::drop);
    const auto of_port = treat(bench, kPort, Treatment::lossless_off);
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::drop);
    restore(bench, kQueue, of_queue);
    EXPECT_EQ(settings_of(bench, 0), kOff) << "the port is still treated";
    EXPECT_EQ(bench.device->read_back(kQueue), Treatment::none);
    const auto other = sai_queue(0, 4);
    const auto of_other = treat(bench, other, Treatment::drop_egress);
    EXPECT_EQ(settings_of(bench, 0), kOff);
    restore(bench, kPort, of_port);
    EXPECT_EQ(settings_of(bench, 0), (Settings{0x18, 0x18, {4}, {}}));
    EXPECT_EQ(bench.device->read_back(other), Treatment::drop_egress);
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::none);
    restore(bench, kPort, of_port);
    EXPECT_EQ(bench.device->read_back(other), Treatment::drop_egress) << "a repeated restore of the port is harmless";
    restore(bench, other, of_other);
    EXPECT_EQ(settings_of(bench, 0), kLossless);
}

TEST(SaiLosslessOff, TreatmentsOfItsLossyQueuesWaitToo)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    const auto lossy = sai_queue(0, 5);
    bench.port(0).pfc = 0x38;
    const auto of_queue = treat(bench, lossy, Treatment::drop_egress);
    bench.port(0).pfc = 0x18;  // other software
    const auto of_port = treat(bench, kPort, Treatment::lossless_off);
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::lossless_off);
    restore(bench, lossy, of_queue);
    EXPECT_EQ(bench.device->read_back(lossy), Treatment::none);
    restore(bench, kPort, of_port);
    EXPECT_EQ(settings_of(bench, 0), kLossless);
}

// Without PFC a queue is never paused, which proves no quiet. Received frames prove it on a switch that counts them.
TEST(SaiLosslessOff, OnlyFramesThatAreCountedProveQuiet)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    constexpr std::uint32_t kRowOfQueue = 3;
    const auto undo = treat(bench, kPort, Treatment::lossless_off);
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    const auto look = [&] {
        bench.clock.advance(50ms);
        intake.begin();
        EXPECT_TRUE(bench.device->look({}, intake));
        return intake.view().pause[kRowOfQueue];
    };
    bench.port(0).pfc_frames[3] = 1;
    look();
    EXPECT_EQ(look() & (watchdog::kQuiet | watchdog::kQuietStill), 0) << "this switch may not count";
    for (int i = 0; i != 3; ++i) {
        ++bench.port(0).pfc_frames[3];
        EXPECT_EQ(look() & (watchdog::kQuiet | watchdog::kQuietStill), 0);
    }
    EXPECT_NE(look() & watchdog::kQuietStill, 0) << "it does, and the frames have ended";
    restore(bench, kPort, undo);
    look();
    EXPECT_NE(look() & watchdog::kQuiet, 0);
}

// A switch that outlives the process, and a process that dies before its n-th write.
class SaiLosslessOffKill : public testing::Test {
protected:
    // Carries out the command in a process that dies before write number `fatal`. Returns whether it died.
    bool dies(Treatment want, unsigned fatal)
    {
        const auto child = ::fork();
        if (child == 0) {
            SaiBench bench;
            if (!open(bench)) {
                ::_exit(2);
            }
            bench.model->before_a_set = [&] {
                if (fatal-- == 0) {
                    ::kill(::getpid(), SIGKILL);
                }
            };
            const auto journal = open_journal(bench);
            const auto outcome = device::carry_out(command_for(kPort, want), *bench.device, *journal, bench.clock, {});
            ::_exit(outcome.verdict == Verdict::confirmed ? 0 : 3);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
        return WIFSIGNALED(status);
    }

    // Whatever the process has left is a treatment of the port or none, and a start without a memory undoes it by the
    // journal.
    void expect_the_next_start_undoes_it()
    {
        SaiBench bench;
        ASSERT_TRUE(open(bench));
        const auto journal = open_journal(bench);
        const auto start = runner::gather_start(*bench.device, *journal, std::nullopt).value();
        for (const auto& [target, found] : start.found) {
            EXPECT_EQ(target, kPort) << "a queue shows " << name(found);
        }
        const auto as_left = settings_of(bench, 0);
        EXPECT_TRUE(as_left == kLossless || !start.journaled.empty());
        for (const auto& adoption : agent::reconcile(start)) {
            EXPECT_EQ(adoption.target, kPort);
            const auto outcome = device::carry_out(command_for(adoption.target, Treatment::none), *bench.device,
                                                   *journal, bench.clock, {});
            EXPECT_EQ(outcome.verdict, Verdict::confirmed) << outcome.detail;
        }
        EXPECT_EQ(settings_of(bench, 0), kLossless);
        EXPECT_EQ(settings_of(bench, 1), kLossless);
        EXPECT_THAT(*journal->active(), IsEmpty());
    }

    Result<void> open(SaiBench& bench) const { return bench.open("", {{"bad.kept", (folder_ / "kept").string()}}); }
    std::unique_ptr<runtime::FileJournal> open_journal(const SaiBench& bench) const
    {
        return runtime::FileJournal::open_file(folder_ / "journal", "tor", bench.device->inventory()).value();
    }

    TemporaryFolder folder_;
};

TEST_F(SaiLosslessOffKill, WhileSwitchingOff)
{
    unsigned writes = 0;
    while (dies(Treatment::lossless_off, writes)) {
        SCOPED_TRACE(writes);
        expect_the_next_start_undoes_it();
        ++writes;
    }
    EXPECT_EQ(writes, 7U) << "a mask; a pool and a profile; of each of two queues the recovery and the group";
    expect_the_next_start_undoes_it();
}

TEST_F(SaiLosslessOffKill, WhileRestoring)
{
    unsigned writes = 0;
    ASSERT_FALSE(dies(Treatment::lossless_off, 1000));
    while (dies(Treatment::none, writes)) {
        SCOPED_TRACE(writes);
        expect_the_next_start_undoes_it();
        ++writes;
        ASSERT_FALSE(dies(Treatment::lossless_off, 1000));
    }
    EXPECT_GT(writes, 4U);
    expect_the_next_start_undoes_it();
}

// The journal is lost: the masks of the other ports are the best guess.
TEST_F(SaiLosslessOffKill, WithoutTheJournalTheDefaultSettingsAreRestored)
{
    ASSERT_FALSE(dies(Treatment::lossless_off, 1000));
    std::filesystem::remove(folder_ / "journal");
    SaiBench bench;
    ASSERT_TRUE(open(bench));
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::lossless_off);
    const auto undo = bench.device->prepare(command_for(kPort, Treatment::none)).value();
    restore(bench, kPort, undo);
    EXPECT_EQ(settings_of(bench, 0), kLossless);
    EXPECT_EQ(bench.device->read_back(kPort), Treatment::none);
}

}  // namespace
}  // namespace petrel::test
