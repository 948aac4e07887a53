// An agent on a switch behind a library that is not ours: from the state to the treatment and back, despite the
// library's faults; and storms that the library detects itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sai/bench.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using watchdog::Treatment;

constexpr Instant at(std::chrono::milliseconds when) { return Instant{when}; }

// One process of an agent: the preset sai (T0 = T1 = 200 ms, T2 = 50 ms) on all queues.
class Process {
public:
    explicit Process(SaiBench& bench, bool by_device = false)
        : runner_(bench.clock, *bench.device, disk_, policies(by_device))
    {}
    void run_until(Instant end) { runner_.run_until(end); }

    std::vector<std::string> event_texts() const
    {
        std::vector<std::string> words;
        std::ranges::transform(runner_.events, std::back_inserter(words), event_text);
        return words;
    }
    std::size_t journaled() const { return disk_.journaled().size(); }

private:
    static std::string event_text(const watchdog::Event& event)
    {
        return std::string{name(event.kind)} + ' ' + std::string{name(event.reason)} + ' ' +
               std::string{name(event.action)} + " at " + std::to_string(whole_us(event.at) / 1000);
    }

    static watchdog::PolicyBook policies(bool by_device)
    {
        auto policy = watchdog::find_preset("sai")->policy;
        if (by_device) {
            policy.criterion = watchdog::Criterion::device;
        }
        return book_of(std::move(policy));
    }

    lab::SimulatedDisk disk_;
    SimulatedRunner runner_;
};

TEST(SaiAgent, TreatsAStormAndLeavesNothingBehind)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    Process process{bench};
    process.run_until(at(1s));
    EXPECT_THAT(process.event_texts(), IsEmpty());
    bench.queue(1, 4).state = sai::DeadlockState::paused_not_continuous;
    process.run_until(at(1040ms));
    bench.queue(1, 4).state = sai::DeadlockState::paused;
    process.run_until(at(1400ms));
    EXPECT_THAT(process.event_texts(), ElementsAre("storm_detected proven drop at 1200"));
    EXPECT_TRUE(bench.queue(1, 4).recovering);
    EXPECT_EQ(bench.device->read_back(sai_queue(1, 4)), Treatment::drop);
    bench.queue(1, 4).state = sai::DeadlockState::not_paused;
    process.run_until(at(2s));
    ASSERT_EQ(process.event_texts().size(), 2U);
    EXPECT_EQ(process.event_texts()[1].substr(0, 14), "storm_restored");
    EXPECT_FALSE(bench.queue(1, 4).recovering);
    EXPECT_EQ(bench.port(1).groups[4].profile, bench.port(0).groups[4].profile);
    EXPECT_EQ(process.journaled(), 0U);
}

// A library without a continuous state whose PAUSE_STATUS is always false, while pause time covers every interval.
TEST(SaiAgent, FindsStormsDespiteAPauseStatusThatIsAStub)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("", {{"bad.version", "10900"}}));
    Process process{bench};
    process.run_until(at(1s));
    const auto pause_until = [&](std::chrono::milliseconds end) {
        for (auto now = whole_ms(bench.clock.now().mono.time_since_epoch()); now < end.count(); ++now) {
            process.run_until(at(std::chrono::milliseconds{now}));
            bench.port(1).pause_us[4] += 1'000;
            bench.port(1).pfc_frames[4] += 3;
        }
    };
    pause_until(1800ms);
    ASSERT_EQ(process.event_texts().size(), 1U);
    EXPECT_EQ(process.event_texts()[0].substr(0, 21), "storm_detected proven");
    EXPECT_TRUE(
        bench.noted("PAUSE_STATUS has never been true for any queue, while the pause time of port1:4 shows that it is "
                    "paused all the time: PAUSE_STATUS is taken as a constant and ignored"));
}

TEST(SaiAgent, StepsDownToThePfcMaskIfRecoveryHasNoEffect)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("recovery_without_effect"));
    Process process{bench};
    process.run_until(at(1s));
    bench.queue(1, 4).state = sai::DeadlockState::paused;
    const auto run_in_storm = [&](Instant end) {
        for (auto now = bench.clock.now().mono; now <= end; now += 10ms) {
            ++bench.port(1).pfc_frames[4];
            process.run_until(now);
        }
    };
    run_in_storm(at(2s));
    EXPECT_EQ(bench.device->read_back(sai_queue(1, 4)), Treatment::ignore_pause);
    EXPECT_EQ(bench.port(1).pfc, 0x08);
    EXPECT_THAT(process.event_texts(), Not(Contains(StartsWith("storm_restored"))));
    // Behind the mask only the combined count of XON and XOFF frames is left. Frames continue, and a probe ends the
    // storm.
    bench.queue(1, 4).state = sai::DeadlockState::not_paused;
    run_in_storm(at(10s));
    EXPECT_EQ(bench.port(1).pfc, 0x18);
    EXPECT_THAT(process.event_texts().back(), StartsWith("storm_restored probe"));
    EXPECT_EQ(process.journaled(), 0U);
}

TEST(SaiAgent, ReportsThatNoTreatmentHasAnEffect)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("recovery_without_effect,mask_without_effect"));
    Process process{bench};
    bench.queue(1, 4).state = sai::DeadlockState::paused;
    process.run_until(at(2s));
    ASSERT_FALSE(process.event_texts().empty());
    EXPECT_EQ(process.event_texts().back().substr(0, 15), "storm_escalated");
    EXPECT_EQ(process.journaled(), 0U);
}

TEST(SaiAgent, ReceivesNoticesOfStormsThatTheLibraryDetects)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    Process process{bench, true};
    process.run_until(at(1s));
    const auto notify = [&](sai::DeadlockEvent event) {
        const sai::DeadlockNotice notice{BadSwitch::queue_id(1, 4), static_cast<std::int32_t>(event), false};
        bench.model->on_deadlock(1, &notice);
    };
    notify(sai::DeadlockEvent::detected);
    process.run_until(at(1300ms));
    notify(sai::DeadlockEvent::recovered);
    process.run_until(at(2s));
    EXPECT_THAT(process.event_texts(),
                ElementsAre(testing::HasSubstr("storm_detected device"), testing::HasSubstr("device")));
    EXPECT_FALSE(bench.queue(1, 4).recovering);  // no command was sent: the library recovers by itself
}

}  // namespace
}  // namespace petrel::test
