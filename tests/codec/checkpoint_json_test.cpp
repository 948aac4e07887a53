// A checkpoint is the same after writing and reading; ports are stored by name.
#include "codec/checkpoint_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "golden.hpp"
#include "two_ports.hpp"
#include "watchdog/intake.hpp"

namespace petrel::codec {
namespace {

using watchdog::Checkpoint;

constexpr std::int64_t kHundredYearsNs = 3'155'760'000'000'000'000;

Duration random_age() { return Duration{*rc::gen::inRange<std::int64_t>(0, kHundredYearsNs + 1)}; }

std::optional<Duration> maybe_age() { return *rc::gen::arbitrary<bool>() ? std::optional{random_age()} : std::nullopt; }

std::optional<Instant> maybe_instant()
{
    const auto age = maybe_age();
    return age ? std::optional{Instant{*age}} : std::nullopt;
}

watchdog::QueueStats random_stats()
{
    watchdog::QueueStats stats;
    for (auto* count : {&stats.detected, &stats.restored, &stats.tx_ok, &stats.tx_drop, &stats.rx_ok, &stats.rx_drop,
                        &stats.tx_ok_last, &stats.tx_drop_last, &stats.rx_ok_last, &stats.rx_drop_last}) {
        *count = *rc::gen::arbitrary<std::uint64_t>();
    }
    stats.red_switched = *rc::gen::arbitrary<std::uint64_t>();
    stats.red_released = *rc::gen::inRange<std::uint64_t>(0, 2);
    stats.in_storm = random_age();
    stats.longest_pause = random_age();
    stats.last_detected = maybe_instant();
    stats.last_restored = maybe_instant();
    return stats;
}

Checkpoint random_checkpoint(const watchdog::Inventory& inventory)
{
    Checkpoint checkpoint;
    checkpoint.next_seq = *rc::gen::arbitrary<std::uint64_t>();
    checkpoint.red_switch = *rc::gen::arbitrary<bool>();
    checkpoint.drift_ppm = *rc::gen::inRange(-watchdog::StampDrift::kMostPpm, watchdog::StampDrift::kMostPpm + 1);
    for (const auto& info : inventory.rows) {
        if (*rc::gen::arbitrary<bool>()) {
            continue;
        }
        auto& row = checkpoint.rows.emplace_back();
        row.target = info.target;
        row.phase = static_cast<watchdog::Phase>(*rc::gen::inRange(0, static_cast<int>(watchdog::Phase::count_)));
        row.treatment =
            static_cast<watchdog::Treatment>(*rc::gen::inRange(0, static_cast<int>(watchdog::Treatment::count_)));
        row.ordered = *rc::gen::arbitrary<bool>();
        row.held = *rc::gen::arbitrary<bool>();
        row.proven = random_age();
        row.in_phase = random_age();
        row.storm_age = random_age();
        for (auto* age : {&row.unclear, &row.recovery, &row.storm_proven, &row.storm_limit, &row.paused}) {
            *age = random_age();
        }
        row.probe_looks = *rc::gen::arbitrary<std::uint32_t>();
        row.backoff = *rc::gen::arbitrary<std::uint32_t>();
        row.cause = *rc::gen::arbitrary<std::uint64_t>();
        row.restored_ago = maybe_age();
        std::generate_n(std::back_inserter(row.storms_ago), *rc::gen::inRange(0, 4), random_age);
        row.stats = random_stats();
    }
    for (auto i = *rc::gen::inRange(0, 3); i != 0; --i) {
        checkpoint.departed.push_back({*rc::gen::arbitrary<bool>() ? "Ethernet96:3" : "a \"port\"", random_stats()});
    }
    return checkpoint;
}

RC_GTEST_PROP(CheckpointJsonLaw, ReadsWhatItWrites, ())
{
    const auto inventory = two_ports();
    const auto checkpoint = random_checkpoint(inventory);
    watchdog::Inventory gone;
    const auto again = read_checkpoint(checkpoint_json(checkpoint, inventory), "t", inventory, &gone);
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == checkpoint);
    RC_ASSERT(gone.rows.empty());
}

RC_GTEST_PROP(CheckpointJsonLaw, NumbersOfPortsMayChange, ())
{
    const auto inventory = two_ports();
    const auto checkpoint = random_checkpoint(inventory);
    auto swapped = inventory;
    std::swap(swapped.ports[0], swapped.ports[1]);
    const auto again = read_checkpoint(checkpoint_json(checkpoint, inventory), "t", swapped);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->rows.size() == checkpoint.rows.size());
    for (std::size_t i = 0; i < checkpoint.rows.size(); ++i) {
        RC_ASSERT(to_string(swapped, again->rows[i].target) == to_string(inventory, checkpoint.rows[i].target));
    }
}

TEST(CheckpointJson, ADriftBeyondWhatIsLearnedIsAComplaint)
{
    const auto inventory = two_ports();
    const auto read = [&](const std::string& drift) {
        const auto text = R"({"petrel_checkpoint":1,"next_seq":1,"red_switch":false,"rows":[],"drift_ppm":)" + drift;
        return read_checkpoint(text + "}", "t", inventory);
    };
    for (const auto* drift : {"-50001", "50001", "18446744073709551615", "-9223372036854775808", "1.5", "\"3\""}) {
        const auto again = read(drift);
        ASSERT_FALSE(again.has_value()) << drift;
        EXPECT_EQ(golden::lines(again.error()),
                  fmt::format("t: value 'drift_ppm = {}': allowed -50000..50000\n", drift));
    }
    EXPECT_EQ(read("-50000")->drift_ppm, -50'000);
    EXPECT_EQ(read("50000")->drift_ppm, 50'000);
}

// As earlier versions wrote it.
TEST(CheckpointJson, WithoutADriftNoneIsKnown)
{
    const auto inventory = two_ports();
    const auto text = checkpoint_json(Checkpoint{}, inventory);
    EXPECT_EQ(text.find("drift"), std::string::npos);
    const auto again = read_checkpoint(text, "t", inventory);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->drift_ppm, 0);
}

TEST(CheckpointJson, DepartedRowsAreAListOfNamesWithStatistics)
{
    const auto read = [](const std::string& departed) {
        return read_checkpoint(R"({"petrel_checkpoint":1,"next_seq":1,"red_switch":false,"rows":[],"departed":)" +
                                   departed + "}",
                               "t", two_ports());
    };
    EXPECT_EQ(golden::lines(read("7").error()), "t: value 'departed = 7': allowed a list of rows\n");
    EXPECT_EQ(golden::lines(read(R"([{"stats":{}}])").error()), "t: value 'departed[0].name = null': allowed a name\n");
    EXPECT_EQ(golden::lines(read(R"([{"name":"Ethernet9:3"}])").error()),
              "t: value 'departed[0].stats = null': allowed an object\n");
}

TEST(CheckpointJson, RowsThatAreGoneAreNamed)
{
    const auto inventory = two_ports();
    Checkpoint checkpoint;
    for (const auto& info : inventory.rows) {
        checkpoint.rows.emplace_back().target = info.target;
    }
    auto smaller = inventory;
    smaller.rows.resize(2);
    smaller.ports.resize(1);
    watchdog::Inventory gone;
    const auto again = read_checkpoint(checkpoint_json(checkpoint, inventory), "t", smaller, &gone);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->rows.size(), 2U);
    std::vector<std::string> names;
    for (const auto& row : gone.rows) {
        names.push_back(to_string(gone, row.target));
    }
    EXPECT_THAT(names, testing::ElementsAre("Ethernet0:4", "Ethernet4", "Ethernet4:3", "Ethernet4:4"));
}

TEST(CheckpointJson, TheSameRowTwiceIsAComplaint)
{
    const auto inventory = two_ports();
    Checkpoint checkpoint;
    checkpoint.rows.resize(2);
    checkpoint.rows[0].target = checkpoint.rows[1].target = inventory.rows[1].target;
    const auto again = read_checkpoint(checkpoint_json(checkpoint, inventory), "t", inventory);
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(golden::lines(again.error()), "t: value 'rows[1].port = \"Ethernet0\"': allowed each row once\n");
}

TEST(CheckpointJson, NamesTheQueuesThatWereTreated)
{
    const auto inventory = two_ports();
    Checkpoint checkpoint;
    for (const auto& info : inventory.rows) {
        checkpoint.rows.emplace_back().target = info.target;
    }
    checkpoint.rows.front().phase = watchdog::Phase::alerted;
    EXPECT_THAT(treated_queues(checkpoint_json(checkpoint, inventory)), testing::IsEmpty());
    checkpoint.rows.back().phase = watchdog::Phase::mitigating;
    const auto last = watchdog::to_string(inventory, checkpoint.rows.back().target);
    EXPECT_THAT(treated_queues(checkpoint_json(checkpoint, inventory)), testing::ElementsAre(last));
    checkpoint.red_switch = true;
    EXPECT_EQ(treated_queues(checkpoint_json(checkpoint, inventory)).size(), checkpoint.rows.size());
    for (const auto* text : {"", "{}", "[1]", R"({"red_switch":1,"rows":3})", R"({"red_switch":true,"rows":[7]})"}) {
        EXPECT_THAT(treated_queues(text), testing::IsEmpty()) << text;
    }
}

}  // namespace
}  // namespace petrel::codec
