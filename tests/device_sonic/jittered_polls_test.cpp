// syncd polls early or late, its time stamps are inexact, or they drift. The agent detects a storm with the same poll
// as SONiC's own scripts, and no pause shorter than T0 less the uncertainty of both ends counts as a storm.
#include <gmock/gmock.h>

#include <random>

#include "device_sonic/on_switch.hpp"

namespace petrel::test {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using watchdog::EventKind;

struct Jitter {
    microseconds read{};        // longest delay of a poll
    microseconds stamp{};       // longest delay of its time stamp after the poll
    double interval_share{};    // if not 0, instead of `read`: each interval is longer or shorter by up to this share
    double stamps_per_time{1};  // above one: stamps run fast
};

struct Found {
    Duration after{};  // time from the begin of the pause to the detection
    int intervals{};   // intervals paused throughout, up to the poll that detected the storm
};

class JitteredPolls {
public:
    JitteredPolls(SonicSwitch::Setup setup, Jitter jitter, unsigned seed, Duration detect = 400ms)
        : on_(std::move(setup)), policy_(OnSwitch::policy(detect)), jitter_(jitter), random_(seed)
    {
        policy_.poll = 50ms;
        on_.start(policy_, kPatient);
    }

    void restart_agent() { on_.restart_agent(policy_, kPatient); }

    // From now on the queue holds nothing while it is paused: only its pause time shows that it is.
    void empty_queue() { backlog_ = 0; }

    // Another counter group of syncd writes the queues, at this time after each poll.
    void write_statistics(Duration after) { statistics_ = after; }

    // A pause that begins at a random moment between two polls. Returns when the agent detected it as a storm, if so.
    std::optional<Found> pause(Duration length)
    {
        for (int i = 0; i != 4; ++i) {
            poll();
        }
        const auto begin = at_ + duration_cast<microseconds>(200ms * share());
        const auto end = begin + length;
        std::optional<Found> found;
        int intervals = 0;
        for (int i = 0; i != 12; ++i) {
            const auto from = at_;
            paused_ = {begin, end};
            poll();
            intervals += begin <= from && at_ <= end ? 1 : 0;
            if (!found && on_.event_count(EventKind::storm_detected) != 0) {
                found = {at_ - begin, intervals};
            }
        }
        for (int i = 0; i != 14; ++i) {
            poll();
        }
        EXPECT_EQ(on_.sonic_->of_queue(kQueue, "PFC_WD_STATUS"), "operational");
        on_.runner_->events.clear();
        return found;
    }

private:
    double share() { return std::uniform_real_distribution<double>{0, 1}(random_); }
    microseconds up_to(microseconds most) { return duration_cast<microseconds>(most * share()); }

    void poll()
    {
        ++polls_;
        const auto before = at_;
        if (jitter_.interval_share != 0) {
            at_ += duration_cast<microseconds>(200ms * (1 + jitter_.interval_share * (2 * share() - 1)));
        } else {
            at_ = Instant{polls_ * 200ms + up_to(jitter_.read)};
        }
        auto& counters = on_.sonic_->queue(kQueue);
        const auto paused = std::min(at_, paused_.second) - std::max(before, paused_.first);
        if (paused > Duration::zero()) {
            counters.rx += 100;
            counters.pause_us += static_cast<std::uint64_t>(whole_us(paused));
        }
        counters.paused = paused_.first <= at_ && at_ < paused_.second;
        counters.on2off += before < paused_.second && paused_.second <= at_ ? 1U : 0U;
        counters.tx += paused < at_ - before ? 1000U : 0U;
        counters.occupancy = counters.paused ? backlog_ : 0U;
        if (statistics_) {
            on_.runner_->run_until(before + *statistics_);
            on_.sonic_->poll_queue_statistics();
        }
        on_.runner_->run_until(at_ - 1ns);
        on_.sonic_->poll(Instant{duration_cast<microseconds>(at_.time_since_epoch() * jitter_.stamps_per_time) +
                                 up_to(jitter_.stamp)});
        on_.runner_->run_until(at_ + 55ms);  // the agent looks every 50 ms
    }

    OnSwitch on_;
    watchdog::Policy policy_;
    std::uint64_t backlog_{4096};
    Jitter jitter_;
    std::mt19937 random_;
    std::optional<Duration> statistics_;
    std::int64_t polls_{};
    Instant at_{};
    std::pair<Instant, Instant> paused_{};
};

const SonicSwitch::Setup kLikeMellanox{.transitions = false, .pause_status = false};
const SonicSwitch::Setup kLikeBroadcom{.pause_time = false};

SonicSwitch::Setup without_stamps(SonicSwitch::Setup setup)
{
    setup.stamps = false;
    return setup;
}

// Two paused intervals count as T0, as they do for the scripts, however much the polls jitter. A pause that begins just
// after a poll needs only one more whole interval.
TEST(JitteredPolls, AStormIsFoundWithItsSecondPausedInterval)
{
    PETREL_NEEDS_REDIS();
    for (const auto& setup : {kLikeMellanox, kLikeBroadcom}) {
        for (const auto jitter : {300us, 2000us, 5000us}) {
            JitteredPolls polls{setup, {jitter, jitter}, 7};
            for (int i = 0; i != 8; ++i) {
                const auto found = polls.pause(1s);
                ASSERT_TRUE(found.has_value()) << jitter.count();
                EXPECT_LE(found->intervals, 2) << jitter.count();
                EXPECT_GE(found->after, 380ms) << "T0 less the uncertainty of both ends, " << jitter.count();
            }
        }
    }
}

TEST(JitteredPolls, AStormIsFoundWithoutStamps)
{
    PETREL_NEEDS_REDIS();
    for (const auto& setup : {without_stamps(kLikeMellanox), without_stamps(kLikeBroadcom)}) {
        JitteredPolls polls{setup, {5000us, 0us}, 8};
        for (int i = 0; i != 8; ++i) {
            const auto found = polls.pause(1s);
            ASSERT_TRUE(found.has_value());
            EXPECT_LE(found->intervals, 3);
        }
    }
}

// The uncertainty is a quarter of the interval at each end.
TEST(JitteredPolls, WritesOfAnotherCounterGroupNeitherHideAStormNorLengthenAPause)
{
    PETREL_NEEDS_REDIS();
    for (const auto& setup : {without_stamps(kLikeMellanox), without_stamps(kLikeBroadcom)}) {
        for (const auto after : {120ms, 160ms}) {
            JitteredPolls polls{setup, {2000us, 0us}, 12};
            polls.write_statistics(after);
            for (int i = 0; i != 8; ++i) {
                const auto found = polls.pause(1s);
                ASSERT_TRUE(found.has_value()) << setup.pause_time << after.count();
                EXPECT_LE(found->intervals, 3) << setup.pause_time << after.count();
                EXPECT_FALSE(polls.pause(295ms).has_value()) << setup.pause_time << after.count();
            }
        }
    }
}

TEST(JitteredPolls, IntervalsThatVaryBy40PercentHideNoStorm)
{
    PETREL_NEEDS_REDIS();
    for (const auto& setup :
         {kLikeMellanox, kLikeBroadcom, without_stamps(kLikeMellanox), without_stamps(kLikeBroadcom)}) {
        JitteredPolls polls{setup, {.interval_share = 0.4}, 9};
        for (int i = 0; i != 8; ++i) {
            EXPECT_TRUE(polls.pause(1200ms).has_value()) << setup.stamps << setup.pause_time;
        }
    }
}

TEST(JitteredPolls, StampsThatDriftHideNoStormOfTwiceT0)
{
    PETREL_NEEDS_REDIS();
    for (const double drift : {0.97, 1.03, 1.045}) {
        JitteredPolls polls{kLikeMellanox, {.stamps_per_time = drift}, 10};
        for (int i = 0; i != 6; ++i) {
            EXPECT_TRUE(polls.pause(800ms).has_value()) << drift;
        }
    }
}

// A storm of an empty queue teaches nothing about the drift: the agent has to remember it.
TEST(JitteredPolls, StampsThatDriftHideNoStormOfTwiceT0AfterARestart)
{
    PETREL_NEEDS_REDIS();
    for (const double drift : {0.97, 1.03}) {
        JitteredPolls polls{kLikeMellanox, {.stamps_per_time = drift}, 10, 600ms};
        for (int i = 0; i != 3; ++i) {
            polls.pause(1200ms);
        }
        polls.empty_queue();
        for (int i = 0; i != 3; ++i) {
            polls.restart_agent();
            EXPECT_TRUE(polls.pause(1200ms).has_value()) << drift;
        }
    }
}

// The uncertainty is 10 ms at each end.
TEST(JitteredPolls, APauseShorterThanT0LessTheUncertaintyOfBothEndsIsNoStorm)
{
    PETREL_NEEDS_REDIS();
    for (const auto& setup : {kLikeMellanox, kLikeBroadcom, SonicSwitch::Setup{}}) {
        JitteredPolls polls{setup, {5000us, 5000us}, 11};
        for (int i = 0; i != 12; ++i) {
            EXPECT_FALSE(polls.pause(379ms).has_value());
        }
    }
}

}  // namespace
}  // namespace petrel::test
