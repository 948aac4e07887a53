// carry_out(): the order of the steps, the state after every failure of every step, and which Undo is used.
#include "device/carry_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/manual_clock.hpp"
#include "device/plain_device.hpp"
#include "support/memory_journal.hpp"

namespace petrel::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using watchdog::Command;
using watchdog::Outcome;
using watchdog::Treatment;
using watchdog::Verdict;

const Target kQueue{{DeviceId{1}, 2}, Priority{3}};

Undo undo_of(int value)
{
    Undo undo;
    undo.bytes[0] = static_cast<std::byte>(value);
    undo.size = 1;
    return undo;
}

using Steps = std::vector<std::string>;

// Records the calls in their order and returns what the test has set.
class RecordingDevice final : public PlainDevice {
public:
    explicit RecordingDevice(Steps& steps) : steps_(steps) { capabilities_.reads_back = true; }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake&) override { return {}; }
    void listen(NoticeSink&) override {}

    Result<Undo> prepare(const Command&) override
    {
        steps_.emplace_back("prepare");
        return prepared;
    }
    Result<void> apply(const Command& command, const Undo& undo) override
    {
        steps_.push_back("apply " + std::string{name(command.want)});
        used = undo;
        return applied;
    }
    Result<void> await_effect(const Command&) override
    {
        steps_.emplace_back("await");
        return effect;
    }
    Result<Treatment> read_back(const Target&) override
    {
        steps_.emplace_back("read_back");
        return shown;
    }
    void reads_back(bool does) { capabilities_.reads_back = does; }

    Result<Undo> prepared{undo_of(7)};
    Result<void> applied;
    Result<void> effect;
    Result<Treatment> shown{Treatment::drop};
    Undo used;

private:
    Steps& steps_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
};

class RecordingJournal final : public Journal {
public:
    explicit RecordingJournal(Steps& steps) : steps_(steps) {}

    Result<void> open(const Active& active) override
    {
        steps_.emplace_back("open");
        return opens ? kept.open(active) : opens;
    }
    Result<void> close(const Target& target) override
    {
        steps_.emplace_back("close");
        return closes ? kept.close(target) : closes;
    }
    Result<std::vector<Active>> active() override { return reads ? kept.active() : tl::unexpected(reads.error()); }
    void renumber(const watchdog::Inventory& before, const watchdog::Inventory& after) override
    {
        kept.renumber(before, after);
    }

    Result<void> opens;
    Result<void> closes;
    Result<void> reads;
    MemoryJournal kept;

private:
    Steps& steps_;
};

Result<void> error(ErrorKind kind, std::string what = "the device says no")
{
    return tl::unexpected(Error{kind, std::move(what)});
}

class CarryOut : public testing::Test {
protected:
    Outcome mitigate(Treatment want = Treatment::drop) { return run(want); }
    Outcome restore() { return run(Treatment::none); }

    Outcome run(Treatment want, bool late_treatment = false)
    {
        steps.clear();
        points.clear();
        return carry_out({42, 1, kQueue, want, kNever, late_treatment}, device, journal, clock,
                         [&](FaultPoint p) { points.push_back(p); });
    }

    bool is_open() { return !journal.kept.active()->empty(); }

    void have_open(Treatment treatment, const Undo& undo)
    {
        ASSERT_TRUE(journal.kept.open({kQueue, treatment, undo, WallTime{}}));
    }

    Steps steps;
    std::vector<FaultPoint> points;
    RecordingDevice device{steps};
    RecordingJournal journal{steps};
    ManualClock clock{instant_from_us(5'000), WallTime{std::chrono::microseconds{9'000}}};
};

TEST_F(CarryOut, JournalsBeforeItApplies)
{
    const auto outcome = mitigate();
    EXPECT_THAT(steps, ElementsAre("prepare", "open", "apply drop", "await", "read_back"));
    EXPECT_THAT(points, ElementsAre(FaultPoint::before_prepare, FaultPoint::prepared, FaultPoint::journaled,
                                    FaultPoint::applied, FaultPoint::read_back));
    EXPECT_EQ(outcome.verdict, Verdict::confirmed);
    EXPECT_EQ(outcome.in_effect, Treatment::drop);
    EXPECT_EQ(outcome.command, 42U);
    EXPECT_EQ(outcome.at, instant_from_us(5'000));
    EXPECT_THAT(*journal.kept.active(),
                ElementsAre(Active{kQueue, Treatment::drop, undo_of(7), WallTime{std::chrono::microseconds{9'000}}}));
    EXPECT_EQ(device.used, undo_of(7));
}

TEST_F(CarryOut, RestoresWithTheJournaledUndoAndThenCloses)
{
    have_open(Treatment::drop, undo_of(9));
    device.shown = Treatment::none;
    const auto outcome = restore();
    EXPECT_THAT(steps, ElementsAre("apply none", "await", "read_back", "close"));
    EXPECT_THAT(points, ElementsAre(FaultPoint::before_prepare, FaultPoint::prepared, FaultPoint::applied,
                                    FaultPoint::read_back, FaultPoint::closed));
    EXPECT_EQ(outcome.verdict, Verdict::confirmed);
    EXPECT_EQ(device.used, undo_of(9));
    EXPECT_FALSE(is_open());
}

TEST_F(CarryOut, RestoresToTheDeviceDefaultWithoutAJournalEntry)
{
    device.shown = Treatment::none;
    EXPECT_EQ(restore().verdict, Verdict::confirmed);
    EXPECT_THAT(steps, ElementsAre("prepare", "apply none", "await", "read_back", "close"));
    EXPECT_EQ(device.used, undo_of(7));
}

TEST_F(CarryOut, KeepsTheFirstUndoWhenATargetIsTreatedAgain)
{
    have_open(Treatment::drop_egress, undo_of(9));
    EXPECT_EQ(mitigate().verdict, Verdict::confirmed);
    EXPECT_EQ(device.used, undo_of(9)) << "the device shows our treatment now, not the original values";
    EXPECT_EQ(journal.kept.active()->front().undo, undo_of(9));
    EXPECT_EQ(journal.kept.active()->front().treatment, Treatment::drop);
}

TEST_F(CarryOut, AppliesNothingIfItCannotPrepare)
{
    for (const auto& [kind, verdict] : {std::pair{ErrorKind::unsupported, Verdict::refused},
                                        {ErrorKind::denied, Verdict::refused},
                                        {ErrorKind::timed_out, Verdict::timed_out},
                                        {ErrorKind::unreachable, Verdict::failed}}) {
        device.prepared = tl::unexpected(Error{kind, "no"});
        const auto outcome = mitigate();
        EXPECT_EQ(outcome.verdict, verdict);
        EXPECT_EQ(outcome.detail, "no");
        EXPECT_THAT(steps, ElementsAre("prepare"));
    }
}

TEST_F(CarryOut, AppliesNothingIfTheJournalCannotBeWritten)
{
    journal.opens = error(ErrorKind::denied, "read-only disk");
    const auto outcome = mitigate();
    EXPECT_EQ(outcome.verdict, Verdict::failed) << "the device has refused nothing";
    EXPECT_THAT(outcome.detail, HasSubstr("read-only disk"));
    EXPECT_THAT(steps, ElementsAre("prepare", "open"));
}

TEST_F(CarryOut, DoesNothingIfTheJournalCannotBeRead)
{
    journal.reads = error(ErrorKind::denied, "gone");
    for (const auto want : {Treatment::drop, Treatment::none}) {
        const auto outcome = run(want);
        EXPECT_EQ(outcome.verdict, Verdict::failed);
        EXPECT_THAT(outcome.detail, HasSubstr("gone"));
        EXPECT_THAT(steps, IsEmpty());
    }
}

// What a failed apply() leaves in the journal, for each kind of failure and each read-back afterwards.
struct FailedApply {
    ErrorKind kind;
    std::optional<Treatment> shown;  // none = the device has no read-back
    Verdict verdict;
    bool stays_open;
};

TEST_F(CarryOut, KeepsTheEntryWhileSomethingMayBeInForce)
{
    const FailedApply table[] = {
        {ErrorKind::unsupported, Treatment::none, Verdict::refused, false},
        {ErrorKind::denied, Treatment::none, Verdict::refused, false},
        {ErrorKind::unsupported, Treatment::drop_egress, Verdict::refused, true},
        {ErrorKind::unsupported, std::nullopt, Verdict::refused, false},
        {ErrorKind::unreachable, Treatment::none, Verdict::failed, false},
        {ErrorKind::unreachable, Treatment::drop_egress, Verdict::failed, true},
        {ErrorKind::unreachable, Treatment::drop, Verdict::confirmed, true},
        {ErrorKind::unreachable, std::nullopt, Verdict::failed, true},
        {ErrorKind::timed_out, Treatment::none, Verdict::timed_out, true},
        {ErrorKind::timed_out, Treatment::drop, Verdict::confirmed, true},
        {ErrorKind::timed_out, std::nullopt, Verdict::timed_out, true},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(&row - table);
        ASSERT_TRUE(journal.kept.close(kQueue));
        device.applied = error(row.kind);
        device.reads_back(row.shown.has_value());
        device.shown = row.shown.value_or(Treatment::none);
        const auto outcome = mitigate();
        EXPECT_EQ(outcome.verdict, row.verdict);
        EXPECT_EQ(outcome.detail, "the device says no");
        EXPECT_EQ(is_open(), row.stays_open);
    }
}

// The effect may still come: as after a write that timed out.
TEST_F(CarryOut, KeepsTheEntryIfTheEffectDoesNotComeInTime)
{
    device.effect = error(ErrorKind::timed_out);
    device.shown = Treatment::none;
    const auto outcome = mitigate();
    EXPECT_EQ(outcome.verdict, Verdict::timed_out);
    EXPECT_EQ(outcome.detail, "the device says no");
    EXPECT_TRUE(is_open());
}

TEST_F(CarryOut, DoesNotWaitForTheEffectOfAFailedWrite)
{
    device.applied = error(ErrorKind::unreachable);
    mitigate();
    EXPECT_THAT(steps, ElementsAre("prepare", "open", "apply drop", "read_back"));
}

TEST_F(CarryOut, KeepsAnOlderEntryWhenTheDeviceRefusesMore)
{
    have_open(Treatment::drop_egress, undo_of(9));
    device.applied = error(ErrorKind::unsupported);
    device.reads_back(false);
    EXPECT_EQ(mitigate().verdict, Verdict::refused);
    EXPECT_TRUE(is_open());
}

TEST_F(CarryOut, ReportsTheTreatmentInEffect)
{
    device.shown = Treatment::drop_egress;
    const auto outcome = mitigate();
    EXPECT_EQ(outcome.verdict, Verdict::differs);
    EXPECT_EQ(outcome.in_effect, Treatment::drop_egress);
    EXPECT_TRUE(is_open());
}

TEST_F(CarryOut, KeepsTheEntryOfAWriteWithoutEffectSinceItMayStillCome)
{
    device.shown = Treatment::none;
    const auto outcome = mitigate();
    EXPECT_EQ(outcome.verdict, Verdict::differs);
    EXPECT_EQ(outcome.in_effect, Treatment::none);
    EXPECT_TRUE(is_open());
}

TEST_F(CarryOut, ARestoreThatFailsIsNotProvenWhileATreatmentMayStillTakeEffect)
{
    device.shown = Treatment::none;
    mitigate();
    device.applied = error(ErrorKind::unreachable);
    EXPECT_EQ(run(Treatment::none, true).verdict, Verdict::failed);
    EXPECT_TRUE(is_open());
    EXPECT_EQ(run(Treatment::none, false).verdict, Verdict::confirmed) << "only the answer was lost";
    EXPECT_FALSE(is_open());
}

TEST_F(CarryOut, ConfirmsOnlyAfterReadingBack)
{
    for (const auto& [kind, verdict] : {std::pair{ErrorKind::denied, Verdict::failed},
                                        {ErrorKind::unreachable, Verdict::failed},
                                        {ErrorKind::timed_out, Verdict::timed_out}}) {
        device.shown = tl::unexpected(Error{kind, "no answer"});
        for (const auto want : {Treatment::drop, Treatment::none}) {
            const auto outcome = run(want);
            EXPECT_EQ(outcome.verdict, verdict);
            EXPECT_THAT(outcome.detail, HasSubstr("no answer"));
            EXPECT_TRUE(is_open());
        }
    }
}

TEST_F(CarryOut, AcceptsWhereNothingCanBeReadBack)
{
    device.reads_back(false);
    EXPECT_EQ(mitigate().verdict, Verdict::accepted);
    EXPECT_THAT(steps, ElementsAre("prepare", "open", "apply drop", "await"));
    EXPECT_TRUE(is_open());
    EXPECT_EQ(restore().verdict, Verdict::accepted);
    EXPECT_THAT(steps, ElementsAre("apply none", "await", "close"));
    EXPECT_FALSE(is_open());
}

TEST_F(CarryOut, KeepsTheEntryUntilARestoreIsSeen)
{
    have_open(Treatment::drop, undo_of(9));
    device.shown = Treatment::drop;
    EXPECT_EQ(restore().verdict, Verdict::differs);
    device.reads_back(false);
    for (const auto& [kind, verdict] : {std::pair{ErrorKind::denied, Verdict::refused},
                                        {ErrorKind::unreachable, Verdict::failed},
                                        {ErrorKind::timed_out, Verdict::timed_out}}) {
        device.applied = error(kind);
        EXPECT_EQ(restore().verdict, verdict);
    }
    EXPECT_TRUE(is_open());
}

TEST_F(CarryOut, ARestoreNeedsItsJournalEntryClosed)
{
    have_open(Treatment::drop, undo_of(9));
    device.shown = Treatment::none;
    journal.closes = error(ErrorKind::exhausted, "disk full");
    const auto outcome = restore();
    EXPECT_EQ(outcome.verdict, Verdict::failed);
    EXPECT_THAT(outcome.detail, HasSubstr("disk full"));
    journal.closes = {};
    EXPECT_EQ(restore().verdict, Verdict::confirmed);
    EXPECT_FALSE(is_open());
}

TEST_F(CarryOut, ARefusalStaysOneIfTheEntryCannotBeClosed)
{
    device.applied = error(ErrorKind::unsupported);
    device.shown = Treatment::none;
    journal.closes = error(ErrorKind::exhausted, "disk full");
    const auto outcome = mitigate();
    EXPECT_EQ(outcome.verdict, Verdict::refused);
    EXPECT_THAT(outcome.detail, HasSubstr("the device says no"));
    EXPECT_THAT(outcome.detail, HasSubstr("disk full"));
}

}  // namespace
}  // namespace petrel::device
