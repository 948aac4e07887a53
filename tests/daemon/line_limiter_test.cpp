#include "daemon/line_limiter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

Log::Line line_of(std::string event, std::string queue)
{
    return {.level = Log::Level::warning, .event = std::move(event), .device = "sw1", .queue = std::move(queue)};
}

Instant at(Duration time) { return Instant{} + time; }

TEST(LineLimiter, AFlappingQueueIsCounted)
{
    LineLimiter limiter;
    unsigned written = 0;
    for (int i = 0; i != 3000; ++i) {  // for nine seconds
        EXPECT_THAT(limiter.due(at(i * 3ms)), IsEmpty());
        written += limiter.admit(line_of("storm_detected", "Ethernet4:3"), at(i * 3ms)) ? 1U : 0U;
    }
    EXPECT_EQ(written, LineLimiter::kMostLines);
    EXPECT_EQ(limiter.next_due(), at(10s));
    EXPECT_THAT(limiter.due(at(10s - 1ns)), IsEmpty());
    const auto due = limiter.due(at(10s));
    ASSERT_THAT(due, SizeIs(1));
    EXPECT_EQ(due.front().event, "lines_suppressed");
    EXPECT_EQ(due.front().level, Log::Level::warning);
    EXPECT_EQ(due.front().device, "sw1");
    EXPECT_EQ(due.front().queue, "Ethernet4:3");
    EXPECT_EQ(due.front().message, "storm_detected: and 2970 more within 10 s, which are not in the log");
    EXPECT_EQ(due.front().fields, (decltype(due.front().fields){{"of", "storm_detected"}, {"count", "2970"}}));
    EXPECT_EQ(limiter.next_due(), kNever);
    EXPECT_TRUE(limiter.admit(line_of("storm_detected", "Ethernet4:3"), at(10s))) << "a new period begins";
}

TEST(LineLimiter, OthersAreNotAffected)
{
    LineLimiter limiter;
    for (int i = 0; i != 1000; ++i) {
        limiter.admit(line_of("storm_detected", "Ethernet4:3"), at(0s));
    }
    EXPECT_TRUE(limiter.admit(line_of("storm_restored", "Ethernet4:3"), at(0s)));
    EXPECT_TRUE(limiter.admit(line_of("storm_detected", "Ethernet4:4"), at(0s)));
    auto other = line_of("storm_detected", "Ethernet4:3");
    other.device = "sw2";
    EXPECT_TRUE(limiter.admit(other, at(0s)));
}

// Every line is written or counted, the first line of a kind is written at once, and no kind exceeds its limit.
RC_GTEST_PROP(LineLimiterLaw, NothingIsLostAndNothingFloods, ())
{
    struct Kind {
        std::uint64_t given{};
        std::uint64_t written{};
        std::uint64_t counted{};
        Duration begin{-1};  // of the current period
        unsigned in_period{};
    };
    LineLimiter limiter;
    std::map<std::string, Kind> kinds;
    const auto take = [&](const std::vector<Log::Line>& lines) {
        for (const auto& line : lines) {
            const auto count = std::stoull(line.fields[1].second);
            RC_ASSERT(count > 0);
            kinds[line.fields[0].second + line.queue].counted += count;
        }
    };
    Duration now{};
    const auto bursts = *rc::gen::inRange(1, 60);
    for (int burst = 0; burst != bursts; ++burst) {
        now += std::chrono::milliseconds{*rc::gen::element(0, 1, 100, 3000, 9999, 10'000, 25'000)};
        const auto event = *rc::gen::element<std::string>("storm_detected", "storm_restored");
        const auto queue = *rc::gen::element<std::string>("a:3", "b:4");
        for (auto lines = *rc::gen::inRange(1, 50); lines != 0; --lines) {
            take(limiter.due(at(now)));
            auto& kind = kinds[event + queue];
            const bool first = kind.begin < 0ns || now >= kind.begin + LineLimiter::kPeriod;
            kind.begin = first ? now : kind.begin;
            kind.in_period = first ? 0 : kind.in_period;
            const bool written = limiter.admit(line_of(event, queue), at(now));
            RC_ASSERT(written || !first);
            kind.in_period += written ? 1U : 0U;
            RC_ASSERT(kind.in_period <= LineLimiter::kMostLines);
            ++kind.given;
            kind.written += written ? 1U : 0U;
            RC_ASSERT(limiter.next_due() > at(now));
            RC_ASSERT(limiter.next_due() <= at(now) + LineLimiter::kPeriod);
        }
    }
    take(limiter.due(kNever));
    for (const auto& [name, kind] : kinds) {
        RC_ASSERT(kind.given == kind.written + kind.counted);
    }
    RC_ASSERT(limiter.next_due() == kNever);
}

}  // namespace
}  // namespace petrel::daemon
