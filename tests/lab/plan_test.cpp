// The runs that an operator requests, and the command that repeats each of them.
#include <gtest/gtest.h>

#include "base/complaint_text.hpp"
#include "lab/plan.hpp"

namespace petrel::lab {
namespace {

const std::string kText = R"(name = "x"
duration = "1ms"
seed = 7
[parameters]
hosts = 2
speed = "10G"
where = "h1"
[full]
hosts = 4
speed = "100G"
[sweep]
speed = ["1G", "25G"]
[topology]
kind = "single-switch"
hosts = "${hosts}"
host_links = { speed = "${speed}" }
[[traffic]]
from = "h0"
to = "${where}"
)";

PlanOptions one_file()
{
    PlanOptions options;
    options.files = {"x.toml"};
    return options;
}

std::vector<PlannedRun> planned(const PlanOptions& options)
{
    auto runs = plan_runs(options, std::vector<std::string>(options.files.size(), kText));
    if (!runs) {
        for (const auto& complaint : runs.error()) {
            ADD_FAILURE() << to_text(complaint);
        }
        return {};
    }
    return std::move(*runs);
}

std::vector<std::string> labels(const PlanOptions& options)
{
    std::vector<std::string> all;
    for (const auto& run : planned(options)) {
        all.push_back(run.label());
    }
    return all;
}

std::vector<std::string> commands(const PlanOptions& options)
{
    std::vector<std::string> all;
    for (const auto& run : planned(options)) {
        all.push_back(run.command);
    }
    return all;
}

std::string problems(const PlanOptions& options, const std::vector<std::string>& texts)
{
    const auto runs = plan_runs(options, texts);
    std::string all;
    for (const auto& complaint : runs ? std::vector<Complaint>{} : runs.error()) {
        all += to_text(complaint) + '\n';
    }
    return all;
}

using Texts = std::vector<std::string>;

TEST(LabPlan, OneFileIsOneRun)
{
    const auto runs = planned(one_file());
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].file, "x.toml");
    EXPECT_TRUE(runs[0].settings.empty());
    EXPECT_EQ(runs[0].scenario.setup.topology.nodes.size(), 3U);
    EXPECT_EQ(runs[0].label(), "x.toml seed 7");
    EXPECT_EQ(runs[0].command, "petrel lab run x.toml");
}

TEST(LabPlan, AllCombinationsTheLastSweepTurnsFastest)
{
    auto options = one_file();
    options.sweeps = {"hosts=2,3", "speed=10G,40G"};
    EXPECT_EQ(labels(options), (Texts{"x.toml hosts=2 speed=10G seed 7", "x.toml hosts=2 speed=40G seed 7",
                                      "x.toml hosts=3 speed=10G seed 7", "x.toml hosts=3 speed=40G seed 7"}));
    EXPECT_EQ(planned(options)[2].scenario.setup.topology.nodes.size(), 4U);
    EXPECT_EQ(planned(options)[3].scenario.setup.topology.links[0].speed.bps, 40'000'000'000U);
}

TEST(LabPlan, FilesThenCombinationsThenSeeds)
{
    auto options = one_file();
    options.files = {"a.toml", "b.toml"};
    options.sweeps = {"hosts=2,3"};
    options.repeat = 2;
    EXPECT_EQ(labels(options), (Texts{"a.toml hosts=2 seed 7", "a.toml hosts=2 seed 8", "a.toml hosts=3 seed 7",
                                      "a.toml hosts=3 seed 8", "b.toml hosts=2 seed 7", "b.toml hosts=2 seed 8",
                                      "b.toml hosts=3 seed 7", "b.toml hosts=3 seed 8"}));
}

TEST(LabPlan, TheFilesOwnSweepIsForAll)
{
    auto options = one_file();
    options.all = true;
    EXPECT_EQ(labels(options), (Texts{"x.toml speed=1G seed 7", "x.toml speed=25G seed 7"}));
    options.settings = {"speed=40G"};
    EXPECT_EQ(labels(options), (Texts{"x.toml speed=40G seed 7"}));
    options.settings = {};
    options.sweeps = {"speed=50G,100G"};
    EXPECT_EQ(labels(options), (Texts{"x.toml speed=50G seed 7", "x.toml speed=100G seed 7"}));
    options.sweeps = {"hosts=2,3"};
    EXPECT_EQ(labels(options), (Texts{"x.toml hosts=2 speed=1G seed 7", "x.toml hosts=2 speed=25G seed 7",
                                      "x.toml hosts=3 speed=1G seed 7", "x.toml hosts=3 speed=25G seed 7"}));
}

TEST(LabPlan, FullSizeAppliesToParametersThatAreNotSet)
{
    auto options = one_file();
    options.full = true;
    EXPECT_EQ(labels(options), (Texts{"x.toml hosts=4 speed=100G seed 7"}));
    options.settings = {"hosts=3"};
    EXPECT_EQ(labels(options), (Texts{"x.toml hosts=3 speed=100G seed 7"}));
    options.all = true;
    EXPECT_EQ(labels(options), (Texts{"x.toml hosts=3 speed=1G seed 7", "x.toml hosts=3 speed=25G seed 7"}));
}

TEST(LabPlan, TheCommandRepeatsJustThisRun)
{
    auto options = one_file();
    options.repeat = 2;
    EXPECT_EQ(commands(options), (Texts{"petrel lab run x.toml", "petrel lab run x.toml --seed 8"}));
    options.seed = 20;
    EXPECT_EQ(commands(options), (Texts{"petrel lab run x.toml --seed 20", "petrel lab run x.toml --seed 21"}));
    options.repeat = 1;
    options.sweeps = {"speed=1G,10G"};
    options.settings = {"hosts=3"};
    options.until = "10us";
    EXPECT_EQ(commands(options), (Texts{"petrel lab run x.toml --set hosts=3 --set speed=1G --seed 20 --until 10us",
                                        "petrel lab run x.toml --set hosts=3 --set speed=10G --seed 20 --until 10us"}));
}

// The command of a run gives the same run.
TEST(LabPlan, TheCommandsSettingsGiveTheSameScenario)
{
    auto options = one_file();
    options.all = true;
    options.full = true;
    for (const auto& run : planned(options)) {
        auto again = one_file();
        for (const auto& [name, value] : run.settings) {
            again.settings.push_back(name + '=' + value);
        }
        const auto same = planned(again);
        ASSERT_EQ(same.size(), 1U);
        EXPECT_EQ(same[0].label(), run.label());
        EXPECT_EQ(same[0].scenario.setup.topology.links[0].speed.bps, run.scenario.setup.topology.links[0].speed.bps);
    }
}

TEST(LabPlan, TheCommandIsQuotedForTheShell)
{
    const auto command_of_file = [](const std::string& file) {
        auto options = one_file();
        options.files = {file};
        return commands(options).at(0);
    };
    EXPECT_EQ(command_of_file("a-b_c/d.e=f:g,h%i+j@k.toml"), "petrel lab run a-b_c/d.e=f:g,h%i+j@k.toml");
    EXPECT_EQ(command_of_file("with a space.toml"), "petrel lab run 'with a space.toml'");
    EXPECT_EQ(command_of_file("it's.toml"), "petrel lab run 'it'\\''s.toml'");
    EXPECT_EQ(command_of_file("$HOME/*.toml"), "petrel lab run '$HOME/*.toml'");
    EXPECT_EQ(command_of_file("a;b&c|d"), "petrel lab run 'a;b&c|d'");
}

TEST(LabPlan, ProblemsOfAllFilesAtOnce)
{
    auto options = one_file();
    options.files = {"good.toml", "bad.toml", "-", "no-toml.toml"};
    EXPECT_EQ(problems(options, {kText, "name = 3\n", "duration = \"soon\"\n", "[parameters\n"}),
              "bad.toml:1:1: allowed duration = a time such as \"2s\"\n"
              "bad.toml:1:1: allowed topology = a table [topology]\n"
              "bad.toml:1:8: value '3': allowed a string that is not empty\n"
              "stdin:1:1: allowed name = a name\n"
              "stdin:1:1: allowed topology = a table [topology]\n"
              "stdin:1:12: value 'soon': allowed a time such as \"20ms\": ps, ns, us, ms, s or min; at most a week\n"
              "no-toml.toml:1:12: value '[parameters': allowed TOML (Error while parsing table header: "
              "expected ']', saw '\\n')\n");
}

TEST(LabPlan, AProblemOfEveryCombinationIsReportedOnce)
{
    auto options = one_file();
    options.sweeps = {"where=h7,h8,h9"};
    EXPECT_EQ(problems(options, {kText}),
              "x.toml:19:6: value 'h7': allowed a host of the topology, the nearest is 'h0'\n");
}

TEST(LabPlan, FlagsThatAreWrong)
{
    auto options = one_file();
    options.settings = {"hosts", "=3", "hosts=", "hosts=2", "hosts=3", ""};
    options.sweeps = {"speed", "speed=", "speed=1G,,2G", "speed=1G,", "hosts=2,3"};
    EXPECT_EQ(problems(options, {kText}), "--set: value 'hosts': allowed name=value\n"
                                          "--set: value '=3': allowed name=value\n"
                                          "--set: value 'hosts=': allowed name=value\n"
                                          "--set: value 'hosts=3': allowed each name once\n"
                                          "--set: allowed name=value\n"
                                          "--sweep: value 'speed': allowed name=a,b,c\n"
                                          "--sweep: value 'speed=': allowed name=a,b,c\n"
                                          "--sweep: value 'speed=1G,,2G': allowed name=a,b,c\n"
                                          "--sweep: value 'speed=1G,': allowed name=a,b,c\n"
                                          "--sweep: value 'hosts': allowed a parameter that is not --set as well\n");
}

TEST(LabPlan, RefusesUnknownParameters)
{
    auto options = one_file();
    options.settings = {"host=2"};
    options.sweeps = {"zebra=1,2"};
    EXPECT_EQ(problems(options, {kText}), "x.toml: value 'host': allowed a parameter, the nearest is 'hosts'\n"
                                          "x.toml: value 'zebra': allowed a parameter, one of hosts, speed, where\n");
}

TEST(LabPlan, RefusesTooManyRuns)
{
    auto options = one_file();
    options.repeat = 5'001;
    options.sweeps = {"hosts=2,3"};
    EXPECT_EQ(problems(options, {kText}), "--sweep: more than 10000 runs\n");
    // The file's own sweep counts as well.
    options.sweeps.clear();
    EXPECT_EQ(problems(options, {kText}), "");
    options.all = true;
    EXPECT_EQ(problems(options, {kText}), "--sweep: more than 10000 runs\n");
}

TEST(LabPlan, RefusesTwoSweepsOfOneName)
{
    auto options = one_file();
    options.sweeps = {"hosts=2", "hosts=3"};
    EXPECT_EQ(problems(options, {kText}), "--sweep: value 'hosts=3': allowed each name once\n");
}

}  // namespace
}  // namespace petrel::lab
