// The files of a run for other tools: captures with valid pause frames, and a trace that can be replayed.
#include <gtest/gtest.h>

#include "codec/trace_reader.hpp"
#include "lab/capture_files.hpp"
#include "lab/experiment_from_text.hpp"
#include "lab/trace_recorder.hpp"
#include "runtime/replay.hpp"
#include "watchdog/policy.hpp"
#include "wire/mac_control.hpp"

namespace petrel::lab {
namespace {

constexpr std::string_view kCapturedStorm = R"(
name = "storm"
duration = "600ms"
[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G" }
[[traffic]]
from = "h1"
to = "h0"
rate = "10M"
[[fault]]
at = "100ms"
kind = "storm"
host = "h0"
period = "10ms"
[[capture]]
link = "h0"
)";

std::unique_ptr<Experiment> captured_storm() { return test::experiment(kCapturedStorm); }

std::uint32_t number_at(const wire::Bytes& bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value = value << 8U | std::to_integer<std::uint32_t>(bytes[at + i]);
    }
    return value;
}

TEST(CaptureFiles, ContainTheFramesOfEachEnd)
{
    const auto experiment = captured_storm();
    experiment->run_until(600 * twin::kMs);
    const auto files = capture_files(experiment->scenario(), experiment->twin());
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].name, "h0-eth0.pcap");
    EXPECT_EQ(files[1].name, "s0-Ethernet0.pcap");

    constexpr std::size_t kFileHeader = 24;
    constexpr std::size_t kRecordHeader = 16;
    std::size_t pauses = 0;
    const auto& at_switch = files[1].bytes;
    for (auto at = kFileHeader; at < at_switch.size();) {
        const auto size = number_at(at_switch, at + 8);
        const std::span frame{at_switch.data() + at + kRecordHeader, size};
        if (const auto pause = wire::parse_pause(frame)) {
            const auto& classes = std::get<wire::ClassPause>(pause->pause);
            EXPECT_EQ(classes.enabled, 8);
            EXPECT_EQ(classes.quanta[3], 65'535);
            ++pauses;
        }
        at += kRecordHeader + size;
    }
    EXPECT_EQ(pauses, 50U);  // every 10 ms from 100 ms to 600 ms
    EXPECT_GT(files[0].bytes.size(), kFileHeader + 50 * kRecordHeader);
}

TEST(TraceRecorder, ReplayFindsTheStorm)
{
    const auto experiment = captured_storm();
    const TraceRecorder recorder{experiment->twin(), 10 * twin::kMs};
    experiment->run_until(600 * twin::kMs);
    const auto trace = codec::read_trace(recorder.csv(), "run.csv");
    ASSERT_TRUE(trace);
    ASSERT_EQ(trace->devices.size(), 1U);
    EXPECT_EQ(trace->devices[0].device, "s0");

    watchdog::PolicyBook book;
    book.policies.push_back(watchdog::find_preset("sonic")->policy);
    book.assigned.push_back({0, std::nullopt, std::nullopt});
    const auto replayed = runtime::replay(trace->devices[0], device::pace_of(trace->devices[0]), book);
    ASSERT_TRUE(replayed);
    ASSERT_FALSE(replayed->events.empty());
    const auto& found = replayed->events.front();
    EXPECT_EQ(found.kind, watchdog::EventKind::storm_detected);
    EXPECT_EQ(found.target.priority, Priority{3});
    EXPECT_NEAR(static_cast<double>(whole_ms(found.at.time_since_epoch())), 500, 10);
}

}  // namespace
}  // namespace petrel::lab
