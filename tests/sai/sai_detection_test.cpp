// Storms that a library detects itself: the rows that are delegated to it, their intervals, how it rounds them, and
// which notices it sends or loses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <thread>

#include "sai/bench.hpp"
#include "watchdog/intake.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::Delegated;
using device::DelegatedRow;
using device::TimerShown;
using testing::HasSubstr;
using testing::IsEmpty;
using watchdog::Intake;
using watchdog::Notice;
using watchdog::Treatment;

std::vector<DelegatedRow> every_row(const SaiBench& bench, Treatment action = Treatment::drop)
{
    std::vector<DelegatedRow> rows;
    for (std::uint32_t row = 0; row != bench.device->inventory().rows.size(); ++row) {
        rows.push_back({Slot{row}, 200ms, 400ms, action});
    }
    return rows;
}

void watch_all(SaiBench& bench) { ASSERT_TRUE(bench.device->delegate_detection(every_row(bench))); }

TimerShown ms(int programmed, int observed)
{
    return {std::chrono::milliseconds{programmed}, std::chrono::milliseconds{observed}};
}

TEST(SaiDetection, WatchesOnlyTheDelegatedRows)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    EXPECT_TRUE(bench.device->capabilities().detects_itself);
    EXPECT_FALSE(bench.queue(0, 3).detects);
    watch_all(bench);
    EXPECT_TRUE(bench.queue(0, 3).detects);
    EXPECT_TRUE(bench.queue(1, 7).detects);
    const auto answers = bench.device->delegate_detection(std::vector{every_row(bench)[15]}).value();
    EXPECT_FALSE(bench.queue(0, 3).detects);
    EXPECT_TRUE(bench.queue(1, 7).detects);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].row, Slot{15});
    EXPECT_TRUE(answers[0].on);
    EXPECT_FALSE(bench.device->delegate_detection(std::array{DelegatedRow{Slot{16}, 200ms, 400ms, Treatment::drop}}));
    auto* model = bench.model;
    void* keep = ::dlopen(PETREL_BAD_LIBSAI, RTLD_NOW | RTLD_NOLOAD);
    bench.device.reset();
    EXPECT_FALSE(model->ports[1].queues[7].detects);  // no listener is left for its notices
    ::dlclose(keep);
}

TEST(SaiDetection, TriesWhetherItIsPossible)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_detection"));
    EXPECT_FALSE(bench.device->capabilities().detects_itself);
    ASSERT_TRUE(bench.open("no_port_intervals,no_switch_intervals"));
    EXPECT_FALSE(bench.device->capabilities().detects_itself);
    ASSERT_TRUE(bench.open("no_port_intervals"));
    EXPECT_TRUE(bench.device->capabilities().detects_itself);
}

TEST(SaiDetection, EveryPortAndQueueHasItsOwnIntervals)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("coarse_timers"));
    auto rows = every_row(bench);
    rows[11].detect = 300ms;
    rows[12].detect = 50ms;
    rows[12].clip = true;
    rows[13].restore = 470ms;
    const auto answers = bench.device->delegate_detection(rows).value();
    ASSERT_EQ(answers.size(), 16U);
    EXPECT_EQ(answers[3].detect, ms(200, 200));
    EXPECT_EQ(answers[11].detect, ms(300, 300));
    EXPECT_EQ(answers[12].detect, ms(100, 100));   // the range starts at 100
    EXPECT_EQ(answers[13].restore, ms(470, 500));  // rounded by the library, by less than a tenth
    EXPECT_TRUE(answers[13].on);
    EXPECT_EQ(bench.port(1).detect[4].key, 4U);
    EXPECT_EQ(bench.port(1).detect[4].value, 100);
    EXPECT_TRUE(bench.noted("a detection interval is configured as 50 ms, programmed as 100 ms, observed as 100 ms"));
    EXPECT_TRUE(bench.noted("a recovery interval is configured as 470 ms, programmed as 470 ms, observed as 500 ms"));
}

// Else the library would detect 3.3 times too early.
TEST(SaiDetection, IntervalsOutsideTheRangeAreNotClippedUnlessThePolicySaysSo)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    auto rows = every_row(bench);
    rows[3].detect = 5s;
    rows[4].detect = 5s;
    rows[4].clip = true;
    rows[5].restore = 5s;
    const auto answers = bench.device->delegate_detection(rows).value();
    EXPECT_FALSE(answers[3].on);
    EXPECT_EQ(answers[3].detect, (TimerShown{std::nullopt, 1s})) << "the nearest that the library has";
    EXPECT_FALSE(bench.queue(0, 3).detects);
    EXPECT_TRUE(answers[4].on);
    EXPECT_EQ(answers[4].detect.programmed, answers[4].detect.observed);
    EXPECT_LT(*answers[4].detect.programmed, 5s);
    EXPECT_FALSE(answers[5].on);
    EXPECT_TRUE(answers[6].on);
    EXPECT_TRUE(bench.noted("a detection interval of 5000 ms is outside the library's range 100..1000 ms; the agent "
                            "polls these queues instead"));
    EXPECT_TRUE(bench.noted("a recovery interval of 5000 ms is outside the library's range"));
}

TEST(SaiDetection, ARoundedIntervalMustBeWithinTheTolerance)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("coarse_timers"));
    auto rows = every_row(bench);
    rows[3].detect = 450ms;  // becomes 500 ms
    rows[4].detect = 450ms;
    rows[4].interval_tolerance = 12;
    const auto answers = bench.device->delegate_detection(rows).value();
    EXPECT_FALSE(answers[3].on);
    EXPECT_EQ(answers[3].detect, (TimerShown{std::nullopt, 500ms}));
    EXPECT_FALSE(bench.queue(0, 3).detects);
    EXPECT_TRUE(answers[4].on);
    EXPECT_TRUE(bench.noted("configured as 450 ms, programmed as 450 ms, observed as 500 ms: more than 10 % off; the "
                            "agent polls these queues instead"));
}

TEST(SaiDetection, WithoutARangeIntervalsAreProgrammedAsTheyAre)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_range"));
    const std::array row{DelegatedRow{Slot{3}, 7ms, 400ms, Treatment::drop}};
    EXPECT_EQ(bench.device->delegate_detection(row).value()[0].detect, ms(7, 7));
    EXPECT_TRUE(bench.noted("NOT_IMPLEMENTED (-15); detection intervals are programmed as they are configured"));
}

TEST(SaiDetection, WithoutIntervalsOfPortsTheSwitchsAreUsed)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("no_port_intervals"));
    auto rows = every_row(bench);
    rows[11].detect = 300ms;
    const auto answers = bench.device->delegate_detection(rows).value();
    EXPECT_THAT(bench.port(0).detect, IsEmpty());
    ASSERT_EQ(bench.model->detect.size(), 8U);
    EXPECT_EQ(answers[3].detect, ms(200, 200));
    EXPECT_TRUE(answers[3].on);
    EXPECT_FALSE(answers[11].on) << "its traffic class has 200 ms already";
    EXPECT_TRUE(bench.noted("detection intervals are the switch's, one for each traffic class"));
    EXPECT_TRUE(bench.noted("configured as 300 ms, programmed as 200 ms, observed as 200 ms"));
}

// If one port fails, detection stays on for the others.
TEST(SaiDetection, ARefusedRowIsReportedAndOff)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("one_port_takes_no_interval"));
    auto answers = bench.device->delegate_detection(every_row(bench)).value();
    EXPECT_TRUE(answers[3].on);
    EXPECT_EQ(answers[3].detect, ms(200, 200));
    EXPECT_FALSE(answers[11].on);
    EXPECT_EQ(answers[11].detect, TimerShown{});
    EXPECT_FALSE(bench.queue(1, 3).detects);
    EXPECT_TRUE(bench.noted("port1: set PFC_TC_DLD_INTERVAL of a port: FAILURE (-1); the library does not detect"));

    ASSERT_TRUE(bench.open("enabling_without_effect"));
    answers = bench.device->delegate_detection(every_row(bench)).value();
    EXPECT_FALSE(answers[3].on);
    EXPECT_EQ(answers[3].detect, ms(200, 200));
    EXPECT_TRUE(bench.noted("port0:3: ENABLE_PFC_DLDR is not accepted"));
}

TEST(SaiDetection, RecoversWithThePacketActionOfThePolicy)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    auto rows = every_row(bench);
    rows[3].action = Treatment::ignore_pause;
    ASSERT_TRUE(bench.device->delegate_detection(rows));
    EXPECT_EQ(bench.queue(0, 3).action, static_cast<std::int32_t>(sai::PacketAction::forward));
    EXPECT_EQ(bench.queue(0, 4).action, static_cast<std::int32_t>(sai::PacketAction::drop));

    ASSERT_TRUE(bench.open("no_queue_action"));
    ASSERT_TRUE(bench.device->delegate_detection(every_row(bench, Treatment::ignore_pause)));
    EXPECT_EQ(bench.model->action, static_cast<std::int32_t>(sai::PacketAction::forward));
    const auto answers = bench.device->delegate_detection(rows).value();
    EXPECT_TRUE(answers[0].on);
    EXPECT_FALSE(answers[3].on);  // one action for all queues: that of the first
    EXPECT_EQ(bench.model->action, static_cast<std::int32_t>(sai::PacketAction::drop));
    EXPECT_TRUE(bench.noted("port0:3: the switch has one packet action for all queues"));
    watchdog::Command forward;
    forward.target = kQueue;
    forward.want = Treatment::ignore_pause;
    EXPECT_FALSE(bench.device->apply(forward, {}));  // a treatment must not change it while recoveries use it

    ASSERT_TRUE(bench.open("no_action"));
    EXPECT_FALSE(bench.device->delegate_detection(rows).value()[3].on);
    EXPECT_TRUE(bench.device->delegate_detection(every_row(bench)).value()[3].on);
}

TEST(SaiDetection, APolicyThatOnlyAlertsIsNotLeftToTheLibrary)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    EXPECT_FALSE(bench.device->delegate_detection(every_row(bench, Treatment::none)).value()[3].on);
    EXPECT_FALSE(bench.queue(0, 3).detects);
    EXPECT_TRUE(
        bench.noted("port0:3: a library that detects storms also recovers from them, and the policy only alerts"));
}

TEST(SaiDetection, NoticesArePostedAndNothingElse)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    watch_all(bench);
    Received received;
    bench.device->listen(received);
    const auto callback = bench.model->on_deadlock;
    const std::array notices{sai::DeadlockNotice{BadSwitch::queue_id(1, 4), 0, false},
                             sai::DeadlockNotice{BadSwitch::queue_id(1, 4), 1, false},
                             sai::DeadlockNotice{BadSwitch::queue_id(1, 4), 5, false},
                             sai::DeadlockNotice{0xdead, 0, false}};
    callback(notices.size(), notices.data());
    callback(3, nullptr);
    ASSERT_EQ(received.all.size(), 2U);
    EXPECT_EQ(received.all[0].kind, Notice::Kind::detected);
    EXPECT_EQ(received.all[0].target, sai_queue(1, 4));
    EXPECT_EQ(received.all[1].kind, Notice::Kind::recovered);
    bench.device.reset();
    callback(notices.size(), notices.data());  // after the device has ended
    EXPECT_EQ(received.all.size(), 2U);
}

// The library's threads may call at any time, also while the device is used, gets another sink or ends.
TEST(SaiDetection, NoticesComeFromAnyThreadAtAnyTime)
{
    struct Counting final : device::NoticeSink {
        void post(const Notice&) noexcept override { ++notices; }
        std::atomic<unsigned> notices;
    };
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    watch_all(bench);
    Counting first;
    Counting second;
    bench.device->listen(first);
    std::atomic<bool> over{};
    std::thread vendor{[&, deadlock = bench.model->on_deadlock, port_state = bench.model->on_port_state] {
        const sai::DeadlockNotice found{BadSwitch::queue_id(0, 3), 0, false};
        const sai::PortStateNotice down{BadSwitch::port_id(0), static_cast<std::int32_t>(sai::OperStatus::down)};
        while (!over) {
            deadlock(1, &found);
            port_state(1, &down);
        }
    }};
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    while (first.notices < 100) {
        intake.begin();
        EXPECT_TRUE(bench.device->look({}, intake));
    }
    bench.device->listen(second);
    const auto first_notices = first.notices.load();
    while (second.notices < 100) {
        intake.begin();
        EXPECT_TRUE(bench.device->look({}, intake));
    }
    EXPECT_EQ(first.notices, first_notices);
    bench.device.reset();
    const auto second_notices = second.notices.load();
    over = true;
    vendor.join();
    EXPECT_EQ(second.notices, second_notices);
}

// A queue in a storm, and a library that loses notices.
class LostNotice : public testing::Test {
protected:
    void open(const std::string& faults)
    {
        ASSERT_TRUE(bench_.open(faults));
        watch_all(bench_);
        bench_.device->listen(received_);
        intake_.emplace(bench_.device->inventory(), bench_.device->capabilities());
    }
    void look_for(Duration time)
    {
        for (Duration past{}; past < time; past += 50ms) {
            intake_->begin();
            ASSERT_TRUE(bench_.device->look({}, *intake_));
            bench_.clock.advance(50ms);
        }
    }
    void become(sai::DeadlockState state) { bench_.queue(0, 3).state = state; }
    void library_notifies(sai::DeadlockEvent event) { bench_.model->notify(0, 3, event); }
    std::string posted() const
    {
        std::string words;
        for (const auto& notice : received_.all) {
            EXPECT_EQ(notice.target, kQueue);
            words += notice.kind == Notice::Kind::detected ? "D" : "R";
        }
        return words;
    }

    SaiBench bench_;
    Received received_;
    std::optional<Intake> intake_;
};

constexpr auto kDetected = sai::DeadlockEvent::detected;
constexpr auto kRecovered = sai::DeadlockEvent::recovered;
constexpr auto kPaused = sai::DeadlockState::paused;
constexpr auto kQuiet = sai::DeadlockState::not_paused;

TEST_F(LostNotice, AMissingStormNoticeIsPostedAfterTwiceTheInterval)
{
    open("loses_detected");
    become(kPaused);
    look_for(200ms);
    library_notifies(kDetected);
    look_for(250ms);
    EXPECT_EQ(posted(), "");
    look_for(50ms);
    EXPECT_EQ(posted(), "D");
    EXPECT_TRUE(bench_.noted("port0:3 has been paused for twice the library's detection time"));
    library_notifies(kRecovered);
    look_for(400ms);  // the storm continues, and the library should detect it again
    EXPECT_EQ(posted(), "DR");
    look_for(100ms);
    EXPECT_EQ(posted(), "DRD");
}

TEST_F(LostNotice, AMissingEndNoticeIsPostedAfterTheRecoveryTime)
{
    open("loses_recovered");
    become(kPaused);
    look_for(200ms);
    library_notifies(kDetected);
    become(kQuiet);
    look_for(400ms);
    library_notifies(kRecovered);
    look_for(250ms);
    EXPECT_EQ(posted(), "D");
    look_for(50ms);
    EXPECT_EQ(posted(), "DR");
    EXPECT_TRUE(bench_.noted("port0:3 has been quiet for longer than the library's recovery time"));
    look_for(2s);
    EXPECT_EQ(posted(), "DR");
}

TEST_F(LostNotice, QuietBeforeTheStormIsNotItsEnd)
{
    open("loses_recovered");
    look_for(2s);
    library_notifies(kDetected);  // the whole storm lies between two looks
    look_for(600ms);
    EXPECT_EQ(posted(), "D");
    look_for(100ms);
    EXPECT_EQ(posted(), "DR");
}

TEST_F(LostNotice, NoticesOfASilentLibraryArePosted)
{
    open("loses_detected,loses_recovered");
    for (int storm = 0; storm != 2; ++storm) {
        become(kPaused);
        look_for(2s);
        become(kQuiet);
        look_for(2s);
    }
    EXPECT_EQ(posted(), "DRDR");
}

TEST_F(LostNotice, NoNoticeIsPostedTwice)
{
    open("");
    become(kPaused);
    look_for(200ms);
    library_notifies(kDetected);
    look_for(2s);
    become(kQuiet);
    library_notifies(kRecovered);
    look_for(2s);
    EXPECT_EQ(posted(), "DR");
    EXPECT_FALSE(bench_.noted("and the library reported no"));
}

TEST_F(LostNotice, NoEndIsPostedWithoutABegin)
{
    open("loses_detected");
    library_notifies(kRecovered);
    EXPECT_EQ(posted(), "");
}

// After a release by command, quiet is not reported; a storm that continues is reported again.
TEST_F(LostNotice, ARestoreByCommandEndsTheStorm)
{
    open("loses_detected,loses_recovered");
    become(kPaused);
    look_for(500ms);
    EXPECT_EQ(posted(), "D");
    watchdog::Command release;
    release.target = kQueue;
    ASSERT_TRUE(bench_.device->apply(release, {}));
    become(kQuiet);
    look_for(2s);
    EXPECT_EQ(posted(), "D");
    become(kPaused);
    look_for(500ms);
    ASSERT_TRUE(bench_.device->apply(release, {}));
    look_for(500ms);
    EXPECT_EQ(posted(), "DDD");
}

// An interval with a break counts neither as pause nor as quiet.
TEST_F(LostNotice, OnlyAPauseWithoutABreakCounts)
{
    open("loses_detected,loses_recovered");
    for (int beat = 0; beat != 10; ++beat) {
        become(kPaused);
        look_for(400ms);
        become(sai::DeadlockState::paused_not_continuous);
        look_for(50ms);
    }
    EXPECT_EQ(posted(), "");
    become(kPaused);
    look_for(500ms);
    for (int beat = 0; beat != 10; ++beat) {
        become(kQuiet);
        look_for(600ms);
        become(sai::DeadlockState::paused_not_continuous);
        look_for(50ms);
    }
    EXPECT_EQ(posted(), "D");
}

TEST_F(LostNotice, NothingIsPostedForADetectorThatIsOff)
{
    open("enabling_without_effect,loses_detected");
    become(kPaused);
    look_for(2s);
    EXPECT_EQ(posted(), "");
    open("loses_detected");
    ASSERT_TRUE(bench_.device->delegate_detection({}));
    look_for(2s);
    EXPECT_EQ(posted(), "");
}

// The storm was reported by an earlier process, or was detected in another way.
TEST_F(LostNotice, TheEndOfAnEarlierStormIsPosted)
{
    ASSERT_TRUE(bench_.open("loses_recovered"));
    bench_.queue(0, 3).recovering = true;
    bench_.queue(0, 3).ever_set[sai::queue_attr::pfc_dlr_init] = true;
    watch_all(bench_);
    bench_.device->listen(received_);
    intake_.emplace(bench_.device->inventory(), bench_.device->capabilities());
    look_for(2s);
    EXPECT_EQ(posted(), "R");
}

// Random storms, and a library that loses notices at random: after a long enough pause the last notice is a storm;
// after long enough quiet the last notice, if any, is its end; and no end comes without a beginning.
RC_GTEST_PROP(LostNoticeLaw, TheLastNoticeIsTrue, ())
{
    SaiBench bench;
    RC_ASSERT(bench.open("").has_value());
    watch_all(bench);
    Received received;
    bench.device->listen(received);
    Intake intake{bench.device->inventory(), bench.device->capabilities()};
    const auto poll = std::chrono::milliseconds{*rc::gen::inRange(5, 100)};
    Duration timer{};  // of the library: until it detects, or ends its recovery
    bool recovering = false;
    for (int change = 0; change != 8; ++change) {
        const bool paused = change % 2 == 0;
        bench.queue(0, 3).state = paused ? sai::DeadlockState::paused_not_continuous : kQuiet;
        timer = recovering ? timer : 200ms;
        const auto length = std::chrono::milliseconds{*rc::gen::inRange(0, 1500)};
        for (Duration past{}; past < length; past += poll) {
            intake.begin();
            RC_ASSERT(bench.device->look({}, intake).has_value());
            bench.clock.advance(poll);
            bench.queue(0, 3).state = paused ? kPaused : kQuiet;
            timer -= paused || recovering ? poll : 0ms;
            if (timer <= 0ms) {
                recovering = !recovering;
                timer = recovering ? 400ms : 200ms;
                if (*rc::gen::arbitrary<bool>()) {
                    bench.model->notify(0, 3, recovering ? kDetected : kRecovered);
                }
            }
        }
        const bool storm = !received.all.empty() && received.all.back().kind == Notice::Kind::detected;
        // A recovery may end during a pause, and the library then detects anew; at most one comes from an earlier
        // storm.
        const bool just_over =
            !received.all.empty() && bench.clock.now().mono - received.all.back().at <= 400ms + 3 * poll;
        RC_ASSERT(!paused || length <= 800ms + 4 * poll || storm || just_over);
        RC_ASSERT(paused || length <= 600ms + 3 * poll || !storm);
    }
    bool in_storm = false;
    for (const auto& notice : received.all) {
        const bool detected = notice.kind == Notice::Kind::detected;
        RC_ASSERT(detected || in_storm);
        in_storm = detected;
    }
}

// Whatever a library gets wrong: detection that is reported as on is on, and at the end none is left on.
RC_GTEST_PROP(SaiDetectionLaw, ReportedDetectorsAreOnAndNoneIsLeftOn, ())
{
    static const std::vector<std::string> kFaults{"no_range",        "no_port_intervals", "one_port_takes_no_interval",
                                                  "no_queue_action", "no_action",         "enabling_without_effect",
                                                  "coarse_timers",   "one_queue_fails",   "no_recovery"};
    std::string faults;
    for (const auto& fault : kFaults) {
        if (*rc::gen::weightedElement<bool>({{3, false}, {1, true}})) {
            faults += (faults.empty() ? "" : ",") + fault;
        }
    }
    SaiBench bench;
    RC_ASSERT(bench.open(faults, {{"bad.version", *rc::gen::element("10900", "11303", "11801")}}).has_value());
    std::vector<DelegatedRow> rows;
    for (auto row : every_row(bench)) {
        if (*rc::gen::arbitrary<bool>()) {
            row.detect = std::chrono::milliseconds{*rc::gen::inRange(1, 3000)};
            row.action = *rc::gen::element(Treatment::none, Treatment::drop, Treatment::ignore_pause);
            rows.push_back(row);
        }
    }
    const auto answers = bench.device->delegate_detection(rows).value();
    RC_ASSERT(answers.size() == rows.size());
    std::size_t on = 0;
    for (const auto& answer : answers) {
        RC_ASSERT(!answer.on || (answer.detect.programmed && answer.restore.programmed));
        const auto& target = bench.device->inventory().rows[answer.row.value].target;
        RC_ASSERT(answer.on == bench.queue(target.port.index, target.priority->value).detects);
        on += answer.on ? 1U : 0U;
    }
    const auto count = [&] {
        std::size_t detecting = 0;
        for (const auto& port : bench.model->ports) {
            detecting += static_cast<std::size_t>(std::ranges::count(port.queues, true, &BadQueue::detects));
        }
        return detecting;
    };
    RC_ASSERT(count() == on);
    RC_ASSERT(bench.device->delegate_detection({}).has_value());
    RC_ASSERT(count() == 0U);
}

}  // namespace
}  // namespace petrel::test
