// The text that Prometheus fetches: compared byte for byte, checked with promtool, and compared with docs/metrics.md.
#include "daemon/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "daemon/metric_family.hpp"
#include "reports.hpp"
#include "support/find_program.hpp"
#include "support/golden.hpp"
#include "support/subprocess.hpp"

namespace petrel::daemon {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using watchdog::Phase;

std::vector<DevicePauses> some_pauses()
{
    return {{"sw1", 300, {{"Ethernet0", 3, {1'500'000, 120}}, {"", std::nullopt, {std::nullopt, 44}}}}};
}

std::string everything() { return metrics_text(two_devices(), some_queues(), some_pauses()); }

std::vector<std::string> lines_of(const std::string& text)
{
    std::istringstream stream{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

struct Described {
    std::string type;
    std::set<std::string> labels;
    bool operator==(const Described&) const = default;
};
void PrintTo(const Described& described, std::ostream* out)
{
    *out << described.type << " " << testing::PrintToString(described.labels);
}
using Metrics = std::map<std::string, Described>;

Metrics exported(const std::string& text)
{
    static const std::regex type{"# TYPE (\\w+) (\\w+)"};
    static const std::regex series{"(\\w+)(?:\\{(.*)\\})? \\S+"};
    static const std::regex label{"(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\""};
    Metrics metrics;
    for (const auto& line : lines_of(text)) {
        if (std::smatch found; std::regex_match(line, found, type)) {
            metrics[found[1]].type = found[2];
        } else if (std::regex_match(line, found, series)) {
            const std::string labels = found[2];
            for (std::sregex_iterator it{labels.begin(), labels.end(), label}, end; it != end; ++it) {
                metrics[found[1]].labels.insert((*it)[1]);
            }
        }
    }
    return metrics;
}

// Rows like "| `petrel_looks_total` | counter | `device` | ... |".
Metrics documented()
{
    static const std::regex row{R"(\| `(petrel_\w+)` \| (\w+) \|([^|]*)\| [^|]+ \|)"};
    static const std::regex word{"`(\\w+)`"};
    Metrics metrics;
    const auto page = test::content(std::filesystem::path{PETREL_TEST_DATA} / "../docs/metrics.md");
    for (const auto& line : lines_of(page)) {
        if (std::smatch found; std::regex_match(line, found, row)) {
            auto& metric = metrics[found[1]];
            metric.type = found[2];
            const std::string labels = found[3];
            for (std::sregex_iterator it{labels.begin(), labels.end(), word}, end; it != end; ++it) {
                metric.labels.insert((*it)[1]);
            }
        }
    }
    return metrics;
}

std::size_t queues_in(const std::string& text)
{
    std::size_t queues = 0;
    for (const auto& line : lines_of(text)) {
        queues += line.starts_with("petrel_queue_storms_detected_total{") ? 1U : 0U;
    }
    return queues;
}

TEST(Metrics, ReadLikeThis) { test::expect_golden(test::golden("daemon/metrics.txt"), everything()); }

TEST(Metrics, PassPromtool)
{
    const auto promtool = test::find_program("promtool");
    if (promtool.empty()) {
        GTEST_SKIP() << "promtool is not installed (package prometheus)";
    }
    const auto judged = test::run({.program = promtool, .arguments = {"check", "metrics"}, .input = everything()});
    EXPECT_EQ(judged.exit_code, 0);
    EXPECT_EQ(judged.out + judged.err, "");
}

TEST(Metrics, AValueOfALabelMayContainAnything)
{
    std::string text;
    write_family(text,
                 {"petrel_test", "Help.", MetricType::gauge, {{{{"a", "b\\c\"d\ne"}, {"f", ""}}, 0.25}, {{}, 1e6}}});
    write_family(text, {"petrel_without_values", "Help.", MetricType::counter, {}});
    EXPECT_EQ(text, "# HELP petrel_test Help.\n# TYPE petrel_test gauge\n"
                    "petrel_test{a=\"b\\\\c\\\"d\\ne\",f=\"\"} 0.25\npetrel_test 1000000\n");
}

TEST(Metrics, AreDocumented) { EXPECT_EQ(exported(everything()), documented()); }

TEST(Metrics, WithoutDevicesThereAreNoEmptyFamilies)
{
    const auto text = metrics_text({}, {});
    EXPECT_THAT(text, HasSubstr("petrel_uptime_seconds 0"));
    EXPECT_THAT(text, Not(HasSubstr("petrel_device")));
    EXPECT_THAT(text, Not(HasSubstr("petrel_queue_")));
}

// A device with queues 3 of many ports, as its agent reads them.
class PauseMeterTest : public testing::Test {
protected:
    PauseMeterTest()
    {
        for (std::uint16_t port = 0; port != kPorts; ++port) {
            list_.inventory.ports.push_back({"p" + std::to_string(1000 + port), {}, {}});
            list_.inventory.rows.push_back({{PortId{{}, port}, Priority{3}}, {}, false});
            list_.rows.push_back({});
            list_.rows.back().policy = 0;
        }
        list_.capabilities.fields = bit(watchdog::Field::pause_us) | bit(watchdog::Field::rx_pfc);
        intake_.emplace(list_.inventory, list_.capabilities);
        paused_us_.resize(kPorts);
    }

    // A second passes; these ports pause for so many microseconds.
    void second(std::map<std::size_t, std::uint64_t> pauses)
    {
        now_ += std::chrono::seconds{1};
        intake_->begin();
        for (std::uint32_t row = 0; row != kPorts; ++row) {
            paused_us_[row] += pauses[row];
            watchdog::Sample sample;
            sample.slot = Slot{row};
            sample.read_at = now_;
            sample.epoch = 1;
            sample.known = list_.capabilities.fields;
            sample[watchdog::Field::pause_us] = paused_us_[row];
            sample[watchdog::Field::rx_pfc] = paused_us_[row] / 100;
            intake_->put(sample);
        }
        meter_.read(list_, *intake_);
    }

    std::uint64_t sum() const
    {
        std::uint64_t all = 0;
        for (const auto& queue : meter_.queues()) {
            all += queue.counts.paused_us.value_or(0);
        }
        return all;
    }

    static constexpr std::size_t kPorts = PauseMeter::kMost + 2;
    watchdog::Watchlist list_;
    std::optional<watchdog::Intake> intake_;
    std::vector<std::uint64_t> paused_us_;
    Instant now_{};
    PauseMeter meter_;
};

TEST_F(PauseMeterTest, CountsFromTheFirstReadOn)
{
    paused_us_[7] = 5'000'000;
    second({});
    EXPECT_TRUE(meter_.queues().empty());
    second({{7, 1000}});
    second({{7, 500}, {9, 200}});
    EXPECT_EQ(meter_.pausing(), 2U);
    const auto queues = meter_.queues();
    ASSERT_EQ(queues.size(), 2U);
    EXPECT_EQ(queues[0].port, "p1007");
    EXPECT_EQ(queues[0].counts.paused_us, 1500U);
    EXPECT_EQ(queues[1].counts.paused_us, 200U);
    second({});
    EXPECT_EQ(meter_.pausing(), 0U);
    EXPECT_EQ(meter_.queues().size(), 2U) << "a series does not end because its queue is quiet";
}

TEST_F(PauseMeterTest, OnlyWatchedQueuesCount)
{
    list_.rows[7].policy = watchdog::kUnwatched;
    second({});
    second({{7, 1000}});
    EXPECT_TRUE(meter_.queues().empty());
}

TEST_F(PauseMeterTest, TheBusiestHaveSeriesAndTheRestASum)
{
    second({});
    std::map<std::size_t, std::uint64_t> all;
    for (std::size_t port = 0; port != kPorts; ++port) {
        all[port] = 1000;
    }
    second(all);
    auto queues = meter_.queues();
    ASSERT_EQ(queues.size(), PauseMeter::kMost + 1);
    EXPECT_FALSE(queues.back().priority);
    EXPECT_EQ(queues.back().counts.paused_us, 2000U) << "the two queues that came last";
    EXPECT_EQ(sum(), kPorts * 1000);

    second({{kPorts - 1, 900'000}});  // it becomes much busier than the others
    queues = meter_.queues();
    ASSERT_EQ(queues.size(), PauseMeter::kMost + 1);
    EXPECT_EQ(queues[PauseMeter::kMost - 1].port, "p" + std::to_string(1000 + kPorts - 1));
    EXPECT_EQ(queues[PauseMeter::kMost - 1].counts.paused_us, 900'000U) << "from when it has a series";
    EXPECT_EQ(queues.back().counts.paused_us, 2000U) << "the sum never falls";
}

TEST_F(PauseMeterTest, AQueueKeepsItsCountsWhenPortsCome)
{
    second({});
    second({{7, 1000}});
    std::rotate(list_.inventory.rows.begin(), list_.inventory.rows.begin() + 1, list_.inventory.rows.end());
    ++list_.inventory.generation;
    intake_.emplace(list_.inventory, list_.capabilities);
    second({});
    const auto queues = meter_.queues();
    ASSERT_EQ(queues.size(), 1U);
    EXPECT_EQ(queues[0].port, "p1007");
    EXPECT_EQ(queues[0].counts.paused_us, 1000U);
}

TEST(Metrics, AQueueThatNeverStormedHasNoSeries)
{
    EXPECT_EQ(queues_in(everything()), 2U);
    EXPECT_THAT(everything(), Not(HasSubstr("Ethernet5")));
    EXPECT_EQ(queues_in(metrics_text(
                  {}, std::array{queue("Ethernet5", Phase::latched, 0), queue("Ethernet6", Phase::off, 0)})),
              1U);
}

TEST(Metrics, IntervalsAreThoseOfQueuesThatTheirDeviceWatches)
{
    auto watched = queue("Ethernet7", Phase::watching, 0);
    watched.detect_interval = {200'000, 200'000, 200'000};
    auto timed_by_us = queue("Ethernet9", Phase::mitigated, 1);
    timed_by_us.detect_interval.configured_us = 200'000;
    const auto text = metrics_text({}, std::array{watched, timed_by_us});
    EXPECT_THAT(text,
                HasSubstr("petrel_interval_seconds{device=\"sw1\",port=\"Ethernet7\",priority=\"3\",timer=\"detect\","
                          "value=\"observed\"} 0.2\n"));
    EXPECT_THAT(text, Not(HasSubstr("petrel_interval_seconds{device=\"sw1\",port=\"Ethernet9\"")));
    EXPECT_EQ(queues_in(text), 1U);
}

TEST(Metrics, StormCountersAreAbsentUntilTheMemoryIsRead)
{
    EXPECT_THAT(everything(), HasSubstr("petrel_storms_detected_total{device=\"sw1\"} 7\n"));
    EXPECT_THAT(everything(), Not(HasSubstr("petrel_storms_detected_total{device=\"sw2\"}")));
}

TEST(Metrics, TooManyQueuesAreCutAndTheWorstKept)
{
    std::vector<control::QueueReport> queues;
    for (std::size_t i = 0; i < kMostQueuesInMetrics; ++i) {
        queues.push_back(queue("often" + std::to_string(i), Phase::watching, 2));
    }
    queues.push_back(queue("once", Phase::watching, 1));
    queues.push_back(queue("now", Phase::mitigating, 1));
    const auto text = metrics_text({}, queues);
    EXPECT_EQ(queues_in(text), kMostQueuesInMetrics);
    EXPECT_THAT(lines_of(text), Contains("petrel_queues_left_out 2"));
    EXPECT_THAT(text, HasSubstr("port=\"now\""));
    EXPECT_THAT(text, Not(HasSubstr("port=\"once\"")));
}

RC_GTEST_PROP(Metrics, AnyNameGivesLinesThatCanBeRead, (const std::string& name, const std::string& port))
{
    auto status = two_devices();
    status.devices[0].name = name;
    auto stormed = some_queues();
    stormed[0].port = port;
    auto pauses = some_pauses();
    pauses[0].device = name;
    pauses[0].queues[0].port = port;
    const auto text = metrics_text(status, stormed, pauses);
    RC_ASSERT(exported(text) == exported(everything()));
    RC_ASSERT(lines_of(text).size() == lines_of(everything()).size());
}

}  // namespace
}  // namespace petrel::daemon
