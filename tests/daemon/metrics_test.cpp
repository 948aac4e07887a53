// The text that Prometheus fetches: compared byte for byte, checked with promtool, and compared with docs/metrics.md.
#include "daemon/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
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

std::string everything() { return metrics_text(two_devices(), some_queues()); }

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
    const auto text = metrics_text(status, stormed);
    RC_ASSERT(exported(text) == exported(everything()));
    RC_ASSERT(lines_of(text).size() == lines_of(everything()).size());
}

}  // namespace
}  // namespace petrel::daemon
