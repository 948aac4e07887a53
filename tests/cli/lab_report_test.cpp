// The lab's report: its text and its data agree with the run; its pages are self-contained, well-formed, and escape
// what a scenario tries to inject.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <regex>
#include <sstream>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "html_page.hpp"
#include "lab/judge.hpp"
#include "reports/lab_report.hpp"
#include "reports/lab_report_data.hpp"
#include "reports/lab_report_facts.hpp"
#include "reports/lab_report_html.hpp"
#include "support/golden.hpp"

namespace petrel::reports {
namespace {

using petrel::test::count;
using petrel::test::expect_well_formed;

std::filesystem::path golden(std::string_view name) { return petrel::test::golden("report") / name; }

scenario::Scenario scenario_of(std::string_view file)
{
    auto scenario = codec::read_scenario(petrel::test::content(golden(file)), file);
    EXPECT_TRUE(scenario) << (scenario ? "" : to_text(scenario.error().front()));
    return scenario ? std::move(*scenario) : scenario::Scenario{};
}

ReportedRun run(scenario::Scenario scenario, twin::Ps end, std::uint32_t samples = 60)
{
    ReportedRun reported;
    reported.file = "storm.toml";
    reported.command = "petrel lab run storm.toml --seed 1";
    reported.summary_json = "{}";
    reported.scenario = std::make_shared<const scenario::Scenario>(scenario);
    auto experiment = lab::Experiment::make(std::move(scenario)).value();
    const lab::Judge judge{*experiment};
    const lab::Recording recording{*experiment, end, samples};
    experiment->run_until(end);
    reported.outcome = outcome_of(*experiment, judge);
    reported.recording = recording.take();
    return reported;
}

ReportedRun run(std::string_view file = "storm.toml")
{
    auto scenario = scenario_of(file);
    const auto end = scenario.duration;
    return run(std::move(scenario), end);
}

// The storm, run once for all tests.
const ReportedRun& storm()
{
    static const auto once = run();
    return once;
}

// The visible text: no tags, no style, one line for each line with words.
std::string text_of(std::string page)
{
    page = petrel::test::without_style(page);
    for (const auto& tag : petrel::test::tags_of(page)) {
        page.replace(page.find('<' + tag + '>'), tag.size() + 2, " ");
    }
    std::istringstream lines{page};
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        line = std::regex_replace(line, std::regex{" +"}, " ");
        if (line.find_first_not_of(' ') != std::string::npos) {
            text += line.substr(line.find_first_not_of(' ')) + '\n';
        }
    }
    return text;
}

// The cells of a CSV text.
std::vector<std::vector<std::string>> rows_of(const std::string& csv)
{
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row{""};
    bool in_quotes = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (c == '"' && in_quotes && i + 1 < csv.size() && csv[i + 1] == '"') {
            row.back() += csv[++i];
        } else if (c == '"') {
            in_quotes = !in_quotes;
        } else if (c == ',' && !in_quotes) {
            row.emplace_back();
        } else if (c == '\n' && !in_quotes) {
            rows.push_back(std::exchange(row, {""}));
        } else {
            row.back() += c;
        }
    }
    EXPECT_FALSE(in_quotes);
    EXPECT_EQ(row, std::vector<std::string>{""});
    return rows;
}

// The sum of one column, by the value of another; all rows have as many cells as the header.
std::map<std::string, double> sums(const std::string& csv, std::string_view by, std::string_view column)
{
    const auto rows = rows_of(csv);
    const auto place = [&](std::string_view title) {
        const auto at = std::find(rows.front().begin(), rows.front().end(), title);
        EXPECT_NE(at, rows.front().end()) << title;
        return static_cast<std::size_t>(at - rows.front().begin());
    };
    const auto key = place(by);
    const auto value = place(column);
    std::map<std::string, double> all;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].size(), rows.front().size());
        all[rows[i][key]] += std::stod(rows[i][value]);
    }
    return all;
}

std::filesystem::path unused_path(std::string_view name)
{
    const auto folder = std::filesystem::path{testing::TempDir()} / name;
    std::filesystem::remove_all(folder);
    return folder;
}

TEST(LabReport, PageAsText) { petrel::test::expect_golden(golden("storm-page.txt"), text_of(run_page(storm()))); }

TEST(LabReport, Json) { petrel::test::expect_golden(golden("storm.json"), report_json({&storm(), 1})); }

TEST(LabReport, PagesAreWellFormedAndNeedNothingFromOutside)
{
    const std::vector<ReportedRun> twice{storm(), storm()};
    for (const auto& page : {run_page(storm()), index_page(twice, {})}) {
        expect_well_formed(page);
        for (const auto* resource : {"http", "<script", "<link", "<img", "src=", "@import", "url("}) {
            EXPECT_EQ(count(page, resource), 0U) << resource;
        }
        EXPECT_EQ(count(page, "prefers-color-scheme: dark"), 1U);
        EXPECT_EQ(count(page, "@media print"), 1U);
    }
}

TEST(LabReport, AScenarioCannotInjectAnything)
{
    const auto page = run_page(storm());
    EXPECT_EQ(count(page, "<b>&"), 0U);
    EXPECT_EQ(count(page, "<i>believe"), 0U);
    EXPECT_GT(count(page, "&lt;b&gt;&amp;&quot;"), 2U);
    EXPECT_EQ(count(report_json({&storm(), 1}), R"(&"")"), 0U);
}

// A spreadsheet evaluates cells that begin with =, +, - or @.
TEST(LabReport, NoNameIsAFormula)
{
    auto attack = storm();
    auto scenario = *attack.scenario;
    for (auto& node : scenario.setup.topology.nodes) {
        node.name = "=" + node.name;
        for (auto& port : node.ports) {
            port.name = "@SUM(1)," + port.name;
        }
    }
    for (auto& item : attack.recording.traffic) {
        item.name = "-2+3+cmd|' /C calc'!A0";
    }
    attack.scenario = std::make_shared<const scenario::Scenario>(scenario);
    const std::span runs{&attack, 1};
    for (const auto& csv : {queues_csv(runs), links_csv(runs), traffic_csv(runs)}) {
        EXPECT_GT(count(csv, "\n"), 10U);
        for (const auto& row : rows_of(csv)) {
            for (const auto& cell : row) {
                EXPECT_EQ(cell.find_first_of("=+-@"), cell.starts_with('\'') ? 1U : cell.npos) << cell;
            }
        }
    }
}

TEST(LabReport, CsvAddsUpToTheSummary)
{
    const std::span runs{&storm(), 1};
    const auto& sum = storm().outcome.summary;
    const auto delivered = sums(traffic_csv(runs), "item", "delivered_bytes");
    ASSERT_EQ(delivered.size(), sum.traffic.size());
    for (const auto& item : sum.traffic) {
        EXPECT_EQ(delivered.at(item.name), static_cast<double>(item.delivered_bytes)) << item.name;
        EXPECT_GT(item.delivered_bytes, 0U);
    }
    const auto paused = sums(queues_csv(runs), "run", "paused_us");
    const auto in_all = static_cast<double>(sum.tiers[1].paused) / twin::kUs;
    EXPECT_GT(in_all, 0);
    EXPECT_NEAR(paused.at("1"), in_all, 1e-3);
    // Both directions, by the side that may not send: the switch to h0, and the hosts to the switch.
    const auto links = sums(links_csv(runs), "from", "paused_us");
    EXPECT_NEAR(links.at("s0:Ethernet0"), in_all, 1e-3);
    EXPECT_NEAR(links.at("h1:eth0") + links.at("h2:eth0"), static_cast<double>(sum.tiers[0].paused) / twin::kUs, 1e-3);
}

TEST(LabReport, DropsOfTheIntervalsAreThoseOfTheRun)
{
    twin::DropCounts drops;
    for (const auto& interval : storm().recording.drops) {
        drops += interval;
    }
    EXPECT_EQ(drops.by_cause, storm().outcome.summary.totals.drops.by_cause);
    EXPECT_GT(drops.total(), 0U);
}

TEST(LabReport, ARecordedRunIsTheSameRun)
{
    for (const std::uint32_t samples : {1U, 7U, 200U}) {
        auto scenario = scenario_of("storm.toml");
        const auto end = scenario.duration;
        const auto recorded = run(scenario, end, samples);
        EXPECT_EQ(recorded.recording.times.size(), samples);
        EXPECT_EQ(recorded.recording.times.back(), end);
        auto alone = lab::Experiment::make(std::move(scenario)).value();
        alone->run_until(end);
        EXPECT_EQ(recorded.outcome.summary.totals.digest, alone->summary().totals.digest);
    }
}

TEST(LabReport, StandstillIsSeenWhileTheStormLasts)
{
    const auto all = standstills(storm().recording);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].tier, 0);
    EXPECT_EQ(all[0].most, 2U) << "h1 and h2 send; h3 has nothing to send, h0 neither";
    EXPECT_EQ(all[0].most_held, 2U);
    EXPECT_EQ(all[1].most_held, 1U);
    EXPECT_GT(all[0].first_seen, 50 * twin::kMs);
    EXPECT_LE(all[0].last_seen, 170 * twin::kMs) << "the watchdog frees them after 100 ms";
}

TEST(LabReport, DetectionIsMeasuredFromTheFault)
{
    const auto latency = detection_latency(storm());
    ASSERT_TRUE(latency);
    EXPECT_GE(*latency, std::chrono::milliseconds{100});
    EXPECT_LE(*latency, std::chrono::milliseconds{200});
    auto quiet = storm();
    quiet.outcome.events.clear();
    EXPECT_FALSE(detection_latency(quiet));
}

TEST(LabReport, ReportsARunThatWasCutShort)
{
    const auto cut = run(scenario_of("storm.toml"), 100 * twin::kMs);
    const auto page = run_page(cut);
    expect_well_formed(page);
    EXPECT_NE(page.find("not reached"), std::string::npos);
    EXPECT_NE(page.find("The watchdogs detected no storm."), std::string::npos);
}

TEST(LabReport, OneRunIsOnePage)
{
    const auto folder = unused_path("report-of-one");
    ASSERT_TRUE(write_report(folder, {&storm(), 1}));
    for (const auto* file : {"index.html", "report.json", "queues.csv", "links.csv", "traffic.csv"}) {
        EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "run-001.html"));
    EXPECT_EQ(petrel::test::content(folder / "index.html"), run_page(storm()));
}

TEST(LabReport, ManyRunsHaveAnIndexWithValidLinks)
{
    const auto folder = unused_path("report-of-many");
    const std::vector<ReportedRun> runs{storm(), storm(), storm()};
    ASSERT_TRUE(write_report(folder, runs));
    const auto index = petrel::test::content(folder / "index.html");
    const std::regex link{R"(href="([^"]+)\")"};
    std::size_t links = 0;
    for (std::sregex_iterator it{index.begin(), index.end(), link}, end; it != end; ++it, ++links) {
        EXPECT_TRUE(std::filesystem::exists(folder / (*it)[1].str())) << (*it)[1].str();
    }
    EXPECT_EQ(links, runs.size());
    EXPECT_EQ(count(index, "<circle"), runs.size()) << "a dot for each detection";
    EXPECT_EQ(sums(petrel::test::content(folder / "queues.csv"), "run", "paused_us").size(), runs.size());
}

TEST(LabReport, AFolderThatCannotBeMadeIsAnError)
{
    const auto file = unused_path("report-in-the-way");
    std::ofstream{file} << "a file";
    const auto written = write_report(file / "below", {&storm(), 1});
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().what.find("report-in-the-way"), std::string::npos);
}

}  // namespace
}  // namespace petrel::reports
