// After save and load the watchdog continues where it was: a run with restarts at random times emits the same events as
// a run without. The tests below the law check what else a checkpoint must contain.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::book_of;
using test::Driver;
using test::preset;
using test::Story;

constexpr std::uint32_t kStepQueues = 3;

struct Step {
    std::uint32_t queue{};
    bool storm{};
    std::int64_t ms{};
    bool restart{};
};

void showValue(const Step& s, std::ostream& out)
{
    out << (s.storm ? "storm " : "calm ") << s.queue << ", run " << s.ms << " ms" << (s.restart ? ", restart" : "");
}

rc::Gen<std::vector<Step>> any_steps()
{
    // Long enough for T0 (400 ms) and T1 (600 ms) to be met or just missed.
    const auto ms = rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 250), rc::gen::inRange<std::int64_t>(1, 1'500));
    return rc::gen::container<std::vector<Step>>(
        rc::gen::construct<Step>(rc::gen::inRange(0U, kStepQueues), rc::gen::arbitrary<bool>(), ms,
                                 rc::gen::map(rc::gen::inRange(0, 4), [](int n) { return n == 0; })));
}

using ReportedEvent = std::tuple<std::int64_t, std::string, std::string>;

std::vector<ReportedEvent> play(const PolicyBook& book, const std::vector<Step>& steps, bool with_restarts)
{
    Driver d{book, test::small_inventory(kStepQueues)};
    for (const auto& step : steps) {
        step.storm ? d.storm(step.queue) : d.calm(step.queue);
        d.run_ms(step.ms);
        if (with_restarts && step.restart) {
            d.restart(book);
        }
    }
    std::vector<ReportedEvent> reported;
    for (const auto& e : d.events()) {
        reported.emplace_back(whole_us(e.at), name(e.kind), std::to_string(e.target.port.index));
    }
    std::sort(reported.begin(), reported.end());  // the order within one pass is not defined
    return reported;
}

void same_with_and_without(const Policy& policy, std::uint32_t max_mitigated)
{
    auto book = book_of(policy);
    book.max_mitigated = max_mitigated;
    const auto steps = *any_steps();
    const auto without = play(book, steps, false);
    RC_TAG(without.empty() ? "nothing happens" : "something happens");
    RC_ASSERT(play(book, steps, true) == without);
}

Policy quick()
{
    auto policy = preset("sonic");
    policy.restore = milliseconds{600};
    return policy;
}

RC_GTEST_PROP(CheckpointLaw, RestoringByQuiet, ())
{
    auto policy = quick();
    policy.action = *rc::gen::element(Treatment::drop, Treatment::none, Treatment::ignore_pause);
    same_with_and_without(policy, 0);
}

RC_GTEST_PROP(CheckpointLaw, ForcedAndManualRelease, ())
{
    auto policy = quick();
    policy.release = *rc::gen::element(Release::forced, Release::manual);
    same_with_and_without(policy, 0);
}

RC_GTEST_PROP(CheckpointLaw, BackOff, ())
{
    auto policy = quick();
    policy.backoff_max = milliseconds{5'000};
    same_with_and_without(policy, 0);
}

RC_GTEST_PROP(CheckpointLaw, Latch, ())
{
    auto policy = quick();
    policy.latch_count = *rc::gen::inRange(1U, 4U);
    policy.latch_window = milliseconds{6'000};
    same_with_and_without(policy, 0);
}

RC_GTEST_PROP(CheckpointLaw, BlastRadius, ()) { same_with_and_without(quick(), *rc::gen::inRange(1U, 3U)); }

RC_GTEST_PROP(CheckpointLaw, BlastRadiusWithForcedRelease, ())
{
    auto policy = quick();
    policy.release = Release::forced;
    same_with_and_without(policy, 1);
}

RC_GTEST_PROP(CheckpointLaw, HalfOpenProbe, ())
{
    auto policy = quick();
    policy.probe = milliseconds{200};
    policy.backoff_max = *rc::gen::element(milliseconds{0}, milliseconds{5'000});
    same_with_and_without(policy, 0);
}

// --- single cases

TEST(Checkpoint, NothingToRememberIsEmpty)
{
    Driver d{preset("sonic"), 2};
    d.run_ms(1'000);
    EXPECT_EQ(d.dog().save(d.now()), Checkpoint{});
}

TEST(Checkpoint, HoldsAgesNotInstants)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(1'000);
    const auto saved = d.dog().save(d.now());
    ASSERT_EQ(saved.rows.size(), 1U);
    EXPECT_EQ(saved.rows[0].phase, Phase::mitigated);
    EXPECT_EQ(saved.rows[0].treatment, Treatment::drop);
    EXPECT_EQ(saved.rows[0].stats.last_detected, Instant{milliseconds{600}});
    // After a reboot: the monotonic clock starts at zero, and the uptime is shorter than the age of the storm.
    Watchdog fresh{d.dog().watchlist(), Instant{}};
    fresh.load(saved, Instant{});
    EXPECT_EQ(fresh.stats(Slot{0}, Instant{}).in_storm, milliseconds{600});
    EXPECT_EQ(fresh.stats(Slot{0}, Instant{}).last_detected, Instant{milliseconds{-600}});
    EXPECT_EQ(fresh.save(Instant{}).rows.at(0).stats, saved.rows[0].stats);
}

TEST(Checkpoint, TreatmentsAreCommandedAgain)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(1'000);
    d.story();
    d.stays_silent();
    d.restart(book_of(preset("sonic")));
    EXPECT_EQ(d.story(), Story{"1000 do drop Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::mitigating);
    d.settle(d.commands().back(), {});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

TEST(Checkpoint, AnAlertedStormIsMitigatedOnlyAfterALookShowsThatItGoesOn)
{
    auto alert = preset("sonic");
    alert.action = Treatment::none;
    for (const bool goes_on : {true, false}) {
        Driver d{alert};
        d.storm();
        d.run_ms(1'000);
        d.story();
        if (!goes_on) {
            d.calm();
            d.run_ms(100);
        }
        d.restart(book_of(preset("sonic")));
        EXPECT_EQ(d.story(), Story{}) << "no look since the start";
        d.run_ms(200);
        EXPECT_EQ(d.phase(), goes_on ? Phase::mitigated : Phase::alerted);
    }
}

TEST(Checkpoint, SequenceNumbersGoOn)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(450);
    d.restart(book_of(preset("sonic")));
    d.calm();
    d.run_ms(2'050);
    ASSERT_EQ(d.events().size(), 2U);
    EXPECT_EQ(d.events()[1].seq, 2U);
    EXPECT_EQ(d.events()[1].cause, 1U);
}

TEST(Checkpoint, StatisticsGoOn)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(500);
    d.queue().counters[Field::tx_drops] += 9;
    d.run_ms(100);
    const auto before = d.stats();
    d.restart(book_of(preset("sonic")));
    EXPECT_EQ(d.stats(), before);
    d.run_ms(100);
    EXPECT_EQ(d.stats().in_storm, before.in_storm + milliseconds{100});
}

TEST(Checkpoint, OrderedMitigationStaysOrdered)
{
    Driver d{preset("sonic")};
    d.order(Order::Kind::mitigate, d.target());
    d.restart(book_of(preset("sonic")));
    d.story();
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

TEST(Checkpoint, RedSwitchCanBeTakenBackAfterwards)
{
    Driver d{preset("sonic"), 2};
    d.order(Order::Kind::red_switch_on);
    d.restart(book_of(preset("sonic")));
    EXPECT_EQ(d.in_effect(0), Treatment::drop);
    d.order(Order::Kind::red_switch_off);
    EXPECT_EQ(d.in_effect(0), Treatment::none);
    EXPECT_EQ(d.in_effect(1), Treatment::none);
}

TEST(Checkpoint, AStormFromANoticeEndsWithANotice)
{
    auto policy = preset("sai");
    policy.criterion = Criterion::device;
    auto can = test::able(bit(Field::pause_state));
    can.detects_itself = true;
    Driver d{policy, 1, can};
    d.receive(Notice::Kind::detected, d.target());
    d.restart(book_of(policy));
    d.story();
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{"0 storm_restored Ethernet0:3 device"});
    EXPECT_EQ(d.phase(), Phase::watching);
    EXPECT_EQ(d.stats().restored, 1U);
}

TEST(Checkpoint, ALostNoticeIsExpectedForTwiceTheTimeThatTheDeviceHasReported)
{
    auto policy = preset("sai");
    policy.criterion = Criterion::device;
    auto can = test::able(bit(Field::pause_state));
    can.survive = 0;
    can.detects_itself = true;
    Driver d{policy, 1, can};
    d.receive(Notice::Kind::detected, d.target(), milliseconds{500});
    d.restart(book_of(policy));
    d.story();
    d.run_ms(950);
    EXPECT_EQ(d.story(), Story{}) << "T1 is 200 ms, and the device treats the storm for 500 ms";
    d.run_ms(50);
    EXPECT_EQ(d.story(), (Story{"1000 do none Ethernet0:3", "1000 storm_restored Ethernet0:3 probe"}));
}

// Not what the agent would do: its policy forwards, but this device always drops.
TEST(StormOfADevice, ShowsWhatTheDeviceDoes)
{
    auto policy = preset("sai");
    policy.criterion = Criterion::device;
    policy.action = Treatment::none;
    auto can = test::able(bit(Field::pause_state));
    can.detects_itself = true;
    Driver d{policy, 1, can};
    d.dog().receive({Notice::Kind::detected, d.target(), d.now(), Treatment::drop_egress, milliseconds{150}}, d.now(),
                    d.out());
    d.run_ms(50);
    const auto& detected = d.last(EventKind::storm_detected);
    EXPECT_EQ(detected.action, Treatment::drop_egress);
    EXPECT_EQ(detected.evidence.limit, milliseconds{150});
    EXPECT_EQ(d.in_effect(), Treatment::drop_egress);
    d.dog().receive({Notice::Kind::recovered, d.target(), d.now(), Treatment::drop_egress, milliseconds{300}}, d.now(),
                    d.out());
    d.run_ms(50);
    const auto& restored = d.last(EventKind::storm_restored);
    EXPECT_EQ(restored.action, Treatment::drop_egress);
    EXPECT_EQ(restored.evidence.limit, milliseconds{300});
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

TEST(Checkpoint, RestorationThatWasUnderwayIsFinished)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(450);
    d.calm();
    d.answers(Verdict::failed);
    d.receive(Notice::Kind::link_down, d.target());
    ASSERT_EQ(d.phase(), Phase::restoring);
    d.answers(Verdict::confirmed);
    d.restart(book_of(preset("sonic")));
    EXPECT_EQ(d.phase(), Phase::watching);
    EXPECT_EQ(d.in_effect(), Treatment::none);
    EXPECT_EQ(d.commands().back().want, Treatment::none);
}

TEST(Checkpoint, QueueThatIsNoLongerThereIsSkipped)
{
    Driver d{preset("sonic"), 2};
    d.storm(1);
    d.run_ms(400);
    const auto saved = d.dog().save(d.now());
    const auto can = test::able(test::kTellsAll);
    Outbox out;
    Watchdog smaller{*compile(book_of(preset("sonic")), test::small_inventory(1), can), d.now()};
    smaller.load(saved, d.now());
    smaller.tick(d.now(), out);
    EXPECT_TRUE(out.commands.empty());
    EXPECT_TRUE(out.events.empty());
}

// --- treatments found on the device at start

TEST(Adopt, TreatmentWithoutAReasonIsUndone)
{
    Driver d{preset("sonic")};
    d.dog().adopt(d.target(), Treatment::drop, false, d.now(), d.out());
    d.dog().tick(d.now(), d.out());
    d.run_ms(100);
    EXPECT_EQ(d.story(), Story{"100 do none Ethernet0:3"});
    EXPECT_EQ(d.in_effect(), Treatment::none);
    EXPECT_EQ(d.phase(), Phase::watching);
}

TEST(Adopt, TreatmentWithAReasonIsKeptAndEndsByQuiet)
{
    Driver d{preset("sonic")};
    d.dog().adopt(d.target(), Treatment::drop, true, d.now(), d.out());
    d.dog().tick(d.now(), d.out());
    d.run_ms(100);
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    d.run_ms(2'000);
    EXPECT_EQ(d.in_effect(), Treatment::none);
    EXPECT_EQ(d.phase(), Phase::watching);
}

TEST(Adopt, AWriteOfTheProcessBeforeMayStillTakeEffect)
{
    Driver d{preset("sonic")};
    std::vector<bool> late;
    d.answer = [&](const Command& command) {
        late.push_back(command.late_treatment);
        return test::Answer{late.size() == 1 ? Verdict::failed : Verdict::confirmed, Treatment::none, ""};
    };
    d.dog().adopt(d.target(), Treatment::none, false, d.now(), d.out());
    d.dog().tick(d.now(), d.out());
    d.run_ms(1'000);
    EXPECT_EQ(late, (std::vector{true, true})) << "until a restore is confirmed";

    d.dog().adopt(d.target(), Treatment::drop, false, d.now(), d.out());
    d.dog().tick(d.now(), d.out());
    d.run_ms(1'000);
    EXPECT_EQ(late, (std::vector{true, true, false})) << "the device shows what was written";
}

}  // namespace
}  // namespace petrel
