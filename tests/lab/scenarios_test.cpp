// Every file directly in scenarios/ has the same result with one thread and with two, and its report equals the file in
// tests/golden/lab.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "codec/scenario/template.hpp"
#include "lab/experiment.hpp"
#include "reports/lab_text.hpp"
#include "support/golden.hpp"

namespace petrel::lab {
namespace {

std::filesystem::path folder() { return std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "scenarios"; }

std::vector<std::string> files()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator{folder()}) {
        if (entry.path().extension() == ".toml") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string all_of(const std::vector<Complaint>& complaints)
{
    std::string text;
    for (const auto& complaint : complaints) {
        text += to_text(complaint) + '\n';
    }
    return text;
}

// The whole report of a run in `pieces` steps.
std::string report(const std::string& name, unsigned threads, unsigned pieces)
{
    const auto read = [](const std::string& file) -> Result<std::string> { return test::content(folder() / file); };
    const auto file = name + ".toml";
    auto scenario = codec::read_whole_scenario(test::content(folder() / file), file, {}, read);
    if (!scenario) {
        return all_of(scenario.error());
    }
    scenario->setup.threads = threads;
    const auto duration = scenario->duration;
    auto experiment = Experiment::make(std::move(*scenario));
    if (!experiment) {
        return all_of(experiment.error());
    }
    const Paint plain{false};
    auto text = reports::lab_heading((*experiment)->scenario());
    for (unsigned i = 1; i <= pieces; ++i) {
        (*experiment)->run_until(duration / pieces * i);
        text += reports::lab_events((*experiment)->new_events(), plain);
    }
    return text + reports::lab_summary((*experiment)->summary(), (*experiment)->scenario().setup.topology);
}

class Scenarios : public testing::TestWithParam<std::string> {};

TEST_P(Scenarios, Golden)
{
    test::expect_golden(test::golden("lab") / (GetParam() + ".txt"), report(GetParam(), 1, 1));
}

TEST_P(Scenarios, NeitherThreadsNorPiecesMatter) { EXPECT_EQ(report(GetParam(), 1, 1), report(GetParam(), 2, 10)); }

INSTANTIATE_TEST_SUITE_P(Lab, Scenarios, testing::ValuesIn(files()), [](const auto& file) {
    auto name = file.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace petrel::lab
