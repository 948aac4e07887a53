// syncd writes a poll in two halves (ports, queues), each between any two commands of a look. The agent neither reports
// pause that did not happen nor misses a storm.
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "device_sonic/on_switch.hpp"
#include "support/redis_gate.hpp"

namespace petrel::test {
namespace {

using watchdog::EventKind;

constexpr int kCommands = 40;  // upper bound for the commands of a look

// What happened to the queue since the last poll.
struct Interval {
    bool paused{};      // at its end
    bool throughout{};  // from its begin to its end
    bool sends{};
};
constexpr Interval kQuiet{};
constexpr Interval kSends{.sends = true};
constexpr Interval kPaused{.paused = true, .throughout = true};
constexpr Interval kBegins{.paused = true, .sends = true};

class TornPolls {
public:
    explicit TornPolls(const SonicSwitch::Setup& setup)
        : on_(setup), gate_(on_.server_.address(), [this] { before_command(); })
    {
        on_.through_ = gate_.address();
        on_.start(OnSwitch::policy(), {60s, 60s, 4ms, 0ms});
    }

    // syncd writes the halves of the next poll before the commands with these numbers of the next look, or after the
    // look.
    void poll(const Interval& interval, int ports_before, int queues_before)
    {
        at_ = on_.clock_.now().mono + 200ms;
        on_.runner_->run_until(at_ - 1ns);
        count(interval);
        arm(ports_before, queues_before);
        on_.runner_->run_until(at_);
        arm(0, 0);
        before_command();
    }

    int storms() const { return on_.event_count(EventKind::storm_detected); }
    int restores() const { return on_.event_count(EventKind::storm_restored); }

private:
    void count(const Interval& interval)
    {
        auto& queue = on_.sonic_->queue(kQueue);
        queue.on2off += queue.paused && !interval.throughout ? 1 : 0;
        queue.paused = interval.paused;
        queue.rx += interval.paused ? 100 : 0;
        queue.pause_us += interval.throughout ? 200'000 : interval.paused ? 1'000 : 0;
        queue.tx += interval.sends ? 1000 : 0;
        ports_due_ = queues_due_ = true;
    }

    void arm(int ports_before, int queues_before)
    {
        const std::scoped_lock lock{mutex_};
        ports_before_ = ports_before;
        queues_before_ = queues_before;
    }

    void before_command()
    {
        const std::scoped_lock lock{mutex_};
        if (ports_before_-- <= 0 && std::exchange(ports_due_, false)) {
            on_.sonic_->poll_ports(at_);
        }
        if (queues_before_-- <= 0 && !ports_due_ && std::exchange(queues_due_, false)) {
            on_.sonic_->poll_queues();
        }
    }

    OnSwitch on_;
    std::mutex mutex_;
    int ports_before_{};
    int queues_before_{};
    bool ports_due_{};
    bool queues_due_{};
    Instant at_;
    RedisGate gate_;
};

struct Case {
    std::string name;
    SonicSwitch::Setup setup;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

class TornPoll : public testing::TestWithParam<Case> {
protected:
    void SetUp() override { PETREL_NEEDS_REDIS(); }

    // Poll numbers of the events. From poll to poll, each half moves to another command of the look, by its own step.
    struct Polls {
        std::vector<int> storms;
        std::vector<int> restores;
    };
    static Polls play(const std::vector<Interval>& story, int pace)
    {
        TornPolls torn{GetParam().setup};
        Polls found;
        int poll = 0;
        for (const auto& interval : story) {
            const int ports = (pace * 7 + poll * 11) % kCommands;
            torn.poll(interval, ports, ports + (pace * 5 + poll * 13) % kCommands);
            ++poll;
            found.storms.resize(static_cast<std::size_t>(torn.storms()), poll);
            found.restores.resize(static_cast<std::size_t>(torn.restores()), poll);
        }
        return found;
    }

    static constexpr std::array kPaces{0, 1, 3, 5, 7, 8, 10};
};

TEST_P(TornPoll, AStormIsFoundAndItsEnd)
{
    std::vector<Interval> story{kSends, kSends, kSends, kBegins};
    story.insert(story.end(), 10, kPaused);
    story.insert(story.end(), 16, kQuiet);
    for (const int pace : kPaces) {
        const auto found = play(story, pace);
        ASSERT_EQ(found.storms.size(), 1U) << pace;
        EXPECT_GE(found.storms[0], 6) << pace << ": before T0";
        EXPECT_LE(found.storms[0], 13) << pace << ": while it goes on";
        ASSERT_EQ(found.restores.size(), 1U) << pace;
        EXPECT_GE(found.restores[0], 16) << pace << ": before T1";
    }
}

// Four of five polls find the queue paused, but no pause lasts much longer than one interval.
TEST_P(TornPoll, PausesThatAreShorterThanTheLimitAreNoStorm)
{
    std::vector<Interval> story{kSends, kSends};
    for (int i = 0; i != 5; ++i) {
        story.insert(story.end(), {kBegins, kPaused, kBegins, kBegins, kSends});
    }
    for (const int pace : kPaces) {
        EXPECT_TRUE(play(story, pace).storms.empty()) << pace;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Switches, TornPoll,
    testing::Values(Case{"All", {}}, Case{"StateOnly", {.pause_time = false, .transitions = false}},
                    Case{"AllWithoutStamps", {.stamps = false}},
                    Case{"StateOnlyWithoutStamps", {.stamps = false, .pause_time = false, .transitions = false}}),
    [](const auto& each) { return each.param.name; });

// On a loaded machine a look may be stopped for some polls. If it goes on while syncd writes a poll, it reads the ports
// of that poll with the queues of the poll before. The next look finds no new frames then.
class StoppedLook : public testing::TestWithParam<Case> {
protected:
    void SetUp() override { PETREL_NEEDS_REDIS(); }

    // In a storm, syncd polls three times before one command of a look, and writes the ports of the fourth poll. It
    // writes the queues after the look. Returns the storm's number of restores.
    static std::ptrdiff_t restores_after_stop(int command)
    {
        OnSwitch on{GetParam().setup};
        int left = 0;  // commands until the look is stopped
        const auto count = [&] {
            auto& queue = on.sonic_->queue(kQueue);
            queue.paused = true;
            queue.rx += 100;
            queue.pause_us += 200'000;
        };
        std::mutex mutex;
        const RedisGate gate{on.server_.address(), [&] {
                                 const std::scoped_lock lock{mutex};
                                 if (left == 0 || --left != 0) {
                                     return;
                                 }
                                 for (int i = 0; i != 3; ++i) {
                                     on.clock_.advance(200ms);
                                     count();
                                     on.sonic_->poll(on.clock_.now().mono);
                                 }
                                 on.clock_.advance(200ms);
                                 count();
                                 on.sonic_->poll_ports(on.clock_.now().mono);
                             }};
        const auto stop_before = [&](int which) {
            const std::scoped_lock lock{mutex};
            left = which;
        };
        on.through_ = gate.address();
        on.start(OnSwitch::policy());
        on.poll();
        for (int i = 0; i != 8; ++i) {
            count();
            on.poll();
        }
        EXPECT_TRUE(on.sonic_->is_treated(kQueue));
        count();
        const auto at = on.clock_.now().mono + 200ms;
        on.runner_->run_until(at - 1ns);
        on.sonic_->poll(at);
        stop_before(command);
        on.runner_->run_until(at);
        stop_before(0);
        on.sonic_->poll_queues();
        on.runner_->run_until(on.clock_.now().mono + 20ms);
        on.sonic_->has_polled();
        for (int i = 0; i != 4; ++i) {
            count();
            on.poll();
        }
        const auto messages = on.sonic_->messages();
        on.runner_.reset();
        on.device_.reset();
        return std::ranges::count(messages, std::string{kQueue} + " restore");
    }
};

TEST_P(StoppedLook, DoesNotEndTheStorm)
{
    for (int command = 1; command <= kCommands; ++command) {
        EXPECT_EQ(restores_after_stop(command), 0) << command;
    }
}

INSTANTIATE_TEST_SUITE_P(Switches, StoppedLook,
                         testing::Values(Case{"All", {}}, Case{"AllWithoutStamps", {.stamps = false}},
                                         Case{"StateWithoutStamps", {.stamps = false, .pause_time = false}},
                                         Case{"PauseTimeWithoutStamps",
                                              {.stamps = false, .transitions = false, .pause_status = false}}),
                         [](const auto& each) { return each.param.name; });

// A look that begins in the middle of a poll waits for the rest of it.
TEST(TornPolls, AreReadByTheLookInWhichTheyEnd)
{
    PETREL_NEEDS_REDIS();
    OnSwitch on;
    std::mutex mutex;
    int commands = 0;  // commands until syncd writes the queues
    const RedisGate gate{on.server_.address(), [&] {
                             const std::scoped_lock lock{mutex};
                             if (--commands == 0) {
                                 on.sonic_->poll_queues();
                             }
                         }};
    on.through_ = gate.address();
    ASSERT_TRUE(on.open());
    watchdog::Intake intake{on.device_->inventory(), on.device_->capabilities()};
    for (int i = 0; i != 3; ++i) {
        on.clock_.advance(200ms);
        {
            const std::scoped_lock lock{mutex};
            on.sonic_->poll_ports(on.clock_.now().mono);
            // A visit to a canary takes up to four commands, and some looks send other commands before. The server runs
            // the commands of a visit together but the gate does not, so this number never falls between EXEC and
            // WATCH.
            commands = 11;
        }
        intake.begin();
        ASSERT_TRUE(on.device_->look({}, intake));
        EXPECT_EQ(intake.view().touched.size(), 4U) << i;
    }
    on.device_.reset();
}

// orchagent registers ports in any order, and syncd writes their queues in that order.
TEST(TornPolls, AreNotReadBeforeTheQueuesThatWereRegisteredLast)
{
    PETREL_NEEDS_REDIS();
    OnSwitch on;
    on.sonic_->unwatch("Ethernet0");
    on.sonic_->watch("Ethernet0");
    ASSERT_TRUE(on.open());
    watchdog::Intake intake{on.device_->inventory(), on.device_->capabilities()};
    const auto rows_read = [&] {
        intake.begin();
        EXPECT_TRUE(on.device_->look({}, intake));
        return intake.view().touched.size();
    };
    for (int i = 0; i != 3; ++i) {
        on.clock_.advance(200ms);
        on.sonic_->poll(on.clock_.now().mono);
        EXPECT_EQ(rows_read(), 4U);
    }
    on.clock_.advance(200ms);
    on.sonic_->poll_ports(on.clock_.now().mono);
    on.sonic_->write_queues(2);  // those of Ethernet4
    EXPECT_EQ(rows_read(), 0U);
    on.sonic_->poll_queues();
    EXPECT_EQ(rows_read(), 4U);
    on.device_.reset();
}

}  // namespace
}  // namespace petrel::test
