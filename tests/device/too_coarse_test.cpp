// What a recording is too coarse for, by policy.
#include "device/replay/too_coarse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/world.hpp"

namespace petrel::device {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::Field;
using watchdog::Fields;

std::vector<std::string> reasons(std::string_view preset, Fields fields, const RowPace& row, Duration jitter)
{
    auto can = test::able(fields);
    can.stamp_uncertainty = jitter;
    auto policy = watchdog::find_preset(preset)->policy;
    const bool of_port = policy.criterion == watchdog::Criterion::receive_stall ||
                         policy.criterion == watchdog::Criterion::pause_timeout;
    const auto list = watchdog::compile(test::book_of(std::move(policy)),
                                        of_port ? test::port_inventory(1) : test::small_inventory(1), can);
    DeviceTrace trace;
    trace.device = "sw";
    return too_coarse(trace, {row.interval, jitter, {row}}, list.value(), {{}});
}

constexpr Fields kCounted = bit(Field::pause_us);
constexpr Fields kFrames = bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::rx_xon);
constexpr Fields kNic = bit(Field::rx_packets) | bit(Field::pause_tx_us);
constexpr Fields kProgress = bit(Field::pause_us) | bit(Field::tx_packets);

TEST(TooCoarse, RowsFurtherApartThanT0)
{
    EXPECT_THAT(reasons("sonic", kCounted, {400ms, 0}, 0ms), IsEmpty());
    EXPECT_THAT(reasons("sonic", kCounted, {401ms, 0}, 0ms),
                ElementsAre("sonic: the rows of sw are 401 ms apart, more than detect_ms = 400: too coarse to judge "
                            "this policy"));
}

// Pause time is compared with the stamps of a whole run, whatever their jitter; a single stamp that strays more breaks
// the run.
TEST(TooCoarse, StampsThatStrayInMostStorms)
{
    EXPECT_THAT(reasons("sonic", kCounted, {100ms, 0}, 100ms), IsEmpty());
    EXPECT_THAT(reasons("sonic", kCounted, {100ms, 0.06}, 2ms), IsEmpty()) << "one in four storms of four rows";
    EXPECT_THAT(
        reasons("sonic", kCounted, {100ms, 0.07}, 2ms),
        ElementsAre("sonic: 7 % of the stamps of sw stray by more than 2 ms, and a storm of detect_ms = 400 has "
                    "4 rows: too coarse to judge this policy"));
}

TEST(TooCoarse, StampsForPoliciesThatCompareEachInterval)
{
    EXPECT_THAT(reasons("rdma-nic", kNic, {100ms, 0}, 10ms), IsEmpty());
    EXPECT_THAT(
        reasons("rdma-nic", kNic, {100ms, 0}, 11ms),
        ElementsAre("rdma-nic: the stamps of sw are uncertain by 11 ms, more than 1/10 of the 100 ms between two "
                    "rows: too coarse to judge this policy"));
    EXPECT_THAT(reasons("progress", kProgress, {100ms, 0}, 25ms), IsEmpty());
    EXPECT_EQ(reasons("progress", kProgress, {100ms, 0}, 26ms).size(), 1U);
    EXPECT_THAT(reasons("progress", kProgress | bit(Field::occupancy), {100ms, 0}, 6ms), IsEmpty());
    EXPECT_EQ(reasons("progress", kProgress | bit(Field::occupancy), {100ms, 0}, 7ms).size(), 1U);
}

// A queue of 100 Gb/s that gets an XOFF every 300 us, read every 100 ms with these stamps.
std::vector<std::string> reasons_of_frames(const std::vector<Duration>& stamps, bool found, std::uint64_t frames = 333)
{
    const auto can = test::able(kFrames);
    auto list = watchdog::compile(test::book_of(watchdog::find_preset("sonic")->policy), test::small_inventory(1), can);
    DeviceTrace trace;
    trace.device = "sw";
    trace.inventory = list->inventory;
    for (std::size_t i = 0; i != stamps.size(); ++i) {
        auto& sample = trace.samples.emplace_back();
        sample.read_at = Instant{stamps[i]};
        sample.epoch = 1;
        sample.known = kFrames;
        sample[Field::rx_xoff] = i * frames;
    }
    watchdog::QueueStats stats;
    stats.detected = found ? 1 : 0;
    return too_coarse(trace, {100ms, 0ms, {{100ms, 0}}}, *list, {stats});
}

TEST(TooCoarse, FramesThatHoldInTotalButNotFromStampToStamp)
{
    const std::vector<Duration> jittered{0ms, 140ms, 200ms, 340ms, 400ms, 540ms};
    EXPECT_THAT(reasons_of_frames(jittered, false),
                ElementsAre("sonic: pause frames of sw hold for detect_ms = 400 in total, but not from stamp to stamp: "
                            "too coarse to judge this policy"));
    EXPECT_THAT(reasons_of_frames(jittered, true), IsEmpty()) << "the storm was found";
    EXPECT_THAT(reasons_of_frames({0ms, 140ms, 200ms, 340ms}, false), IsEmpty()) << "shorter than T0";
    EXPECT_THAT(reasons_of_frames(jittered, false, 200), IsEmpty()) << "they hold for two thirds of the time";
    EXPECT_THAT(reasons_of_frames(jittered, false, 0), IsEmpty());
    EXPECT_THAT(reasons_of_frames({0ms, 140ms, 200ms}, false, std::uint64_t{1} << 62U), IsEmpty()) << "shorter than T0";
}

TEST(TooCoarse, NothingIsForAPolicyThatMeasuresNoTime)
{
    EXPECT_THAT(reasons("pause-too-long", bit(Field::pause_timeout), {10s, 0}, 0ms), IsEmpty());
}

}  // namespace
}  // namespace petrel::device
