// The health of a device: what is logged when its time stamps drift.
#include "runner/device_health.hpp"

#include <gmock/gmock.h>

namespace petrel::runner {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SteppedLoop final : public Loop {
public:
    Now now() const override { return {time, {}}; }
    TimerId at(Instant when, std::function<void()>) override { return {when, 0}; }
    void cancel(const TimerId&) override {}
    void post(std::function<void()>) override {}

    Instant time;
};

class LoggingHost final : public RunnerHost {
public:
    void log(const LogLine& line) override { lines.push_back(line.event + ": " + line.message); }
    void event_written(const DeviceRunner&, const watchdog::Watchlist&, const watchdog::Event&,
                       const std::string&) override
    {}
    void settled(const DeviceRunner&) override {}
    void state_written(const DeviceRunner&, const Result<void>&) override {}
    void name_kept(const std::filesystem::path&, const Result<bool>&) override {}

    std::vector<std::string> lines;
};

class DriftOfStamps : public testing::Test {
protected:
    // A poll every 200 ms finds stamps that are fast by this many percent.
    void poll(std::uint32_t percent, int times = 1)
    {
        watchdog::StampDrift drift;
        drift.learn(2'000'000, 2'000'000 - percent * 20'000);
        for (; times != 0; --times) {
            loop_.time += 200ms;
            health_.follow_drift(drift);
        }
    }

    std::vector<std::string> notes() const
    {
        control::DeviceReport report;
        health_.fill(report);
        return report.device_notes;
    }

    SteppedLoop loop_;
    LoggingHost host_;
    DeviceHealth health_{loop_, host_, "sonic"};
};

TEST_F(DriftOfStamps, IsReportedOnceAndItsEndOnce)
{
    poll(3, 100);
    EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("stamp_drift: time stamps run 3 % fast")));
    EXPECT_THAT(notes(), ElementsAre(HasSubstr("3 % fast")));
    poll(0, 100);
    EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("3 % fast"), HasSubstr("agree again")));
    EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(DriftOfStamps, IsNotReportedWhileTheEstimateJitters)
{
    for (int i = 0; i != 100; ++i) {
        poll(0);
        poll(1);
    }
    EXPECT_THAT(host_.lines, IsEmpty());
    for (int i = 0; i != 100; ++i) {
        poll(2);
        poll(3);
    }
    EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("% fast"))) << "it drifts, by either of the two";
}

}  // namespace
}  // namespace petrel::runner
