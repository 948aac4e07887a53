// The files that are installed with the tools: manual pages that list every command and flag, and a bash completion
// that offers them.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "sonic_tools/help_text.hpp"
#include "sonic_tools/mmuconfig.hpp"
#include "sonic_tools/pfc.hpp"
#include "sonic_tools/pfcstat.hpp"
#include "sonic_tools/pfcwd.hpp"
#include "sonic_tools/transcript.hpp"
#include "support/subprocess.hpp"

namespace petrel::sonic_tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

std::filesystem::path packaging() { return std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "packaging"; }

const std::vector<const Command*>& tools()
{
    static const std::vector<const Command*> all{&pfcwd(), &mmuconfig(), &pfc(), &pfcstat()};
    return all;
}

void each(const Command& command, const Words& path, const std::function<void(const Command&, const Words&)>& visit)
{
    visit(command, path);
    for (const auto& below : command.commands) {
        auto longer = path;
        longer.emplace_back(below.name);
        each(below, longer, visit);
    }
}

TEST(ToolPages, NameEveryCommandAndFlag)
{
    for (const auto* tool : tools()) {
        const auto page = test::content(packaging() / fmt::format("man/{}.1", tool->name));
        each(*tool, {}, [&](const Command& command, const Words& path) {
            if (!path.empty() && command.run != nullptr) {
                EXPECT_THAT(page, HasSubstr(fmt::format("\n.It Nm Cm {}", fmt::join(path, " "))));
            }
            for (const auto& option : command.options) {
                EXPECT_THAT(page, HasSubstr(fmt::format("Fl Fl {}", long_name(option).substr(2)))) << tool->name;
            }
        });
    }
}

std::string range_words(const Kind& kind)
{
    const auto* range = std::get_if<Range>(&kind);
    return range != nullptr && range->least && range->most ? fmt::format("{} to {}", *range->least, *range->most) : "";
}

TEST(ToolPages, NameRangesAndVariables)
{
    for (const auto* tool : tools()) {
        const auto page = test::content(packaging() / fmt::format("man/{}.1", tool->name));
        each(*tool, {}, [&](const Command& command, const Words& path) {
            for (const auto& option : command.options) {
                EXPECT_THAT(page, HasSubstr(range_words(option.kind))) << fmt::format("{}", fmt::join(path, " "));
            }
            for (const auto& argument : command.arguments) {
                EXPECT_THAT(page, HasSubstr(range_words(argument.kind))) << fmt::format("{}", fmt::join(path, " "));
            }
        });
        EXPECT_THAT(page, HasSubstr("\n.Ev PETREL_REDIS ,\n")) << tool->name;
        EXPECT_THAT(page, HasSubstr("\n.Ev PETREL_CONTROL_SOCKET ,\n")) << tool->name;
        EXPECT_THAT(test::content(packaging() / "man/petrel.1"), HasSubstr(fmt::format("\n.It Xr {} 1\n", tool->name)));
    }
}

// No agent is running, so commands that need it fail with exit code 1, although their syntax is correct.
TEST(ToolPages, HaveExamplesThatWork)
{
    PETREL_NEEDS_REDIS();
    Bench bench;
    std::istringstream page{test::content(packaging() / "man/pfcwd.1")};
    std::map<std::string, int> codes;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with(".Dl ")) {
            codes[line.substr(4)] = bench.run(line.substr(4)).exit_code;
        }
    }
    EXPECT_EQ(codes, (std::map<std::string, int>{
                         {"pfcwd start --action drop all 400 --restoration-time 2000", 0},
                         {"pfcwd start --action drop ports all detection-time 400 --restoration-time 2000", 0},
                         {"pfcwd interval 100", 0},
                         {"pfcwd start --action alert Ethernet0 100", 0},
                         {"pfcwd show stats Ethernet0 --check-storm", 1},
                         {"pfcwd show history Ethernet0", 1},
                         {"pfcwd release Ethernet0:3", 1}}));
}

TEST(ToolPages, AreTypesetWithoutAWarning)
{
    const auto groff = test::find_program("groff");
    if (groff.empty()) {
        GTEST_SKIP() << "groff is not installed";
    }
    for (const auto* tool : tools()) {
        test::Invocation call{groff};
        call.arguments = {"-mandoc", "-Tutf8", "-ww", "-z", packaging() / fmt::format("man/{}.1", tool->name)};
        const auto ended = test::run(call);
        EXPECT_EQ(ended.exit_code, 0);
        EXPECT_EQ(ended.err, "") << tool->name;
    }
}

// The completions that bash offers for the last of these words.
std::set<std::string> completions(Words words, const std::string& redis = "unix:///nowhere")
{
    test::Invocation bash{"/bin/bash"};
    bash.arguments = {"-c",
                      "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n"
                      "_pfcwd \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
                      "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"",
                      "bash", packaging() / "bash-completion/petrel-tools"};
    bash.arguments.insert(bash.arguments.end(), words.begin(), words.end());
    bash.environment = {{"PATH", PETREL_BIN_DIR ":/usr/bin:/bin"}, {"PETREL_REDIS", redis}};
    const auto ended = test::run(bash);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    std::set<std::string> offered;
    std::istringstream lines{ended.out};
    for (std::string line; std::getline(lines, line);) {
        offered.insert(line);
    }
    return offered;
}

TEST(ToolCompletion, OffersEveryCommandAndFlag)
{
    for (const auto* tool : tools()) {
        each(*tool, {std::string{tool->name}}, [](const Command& command, const Words& path) {
            std::set<std::string> flags{"--help"};
            for (const auto* list : {&command.options, &common_options()}) {
                std::transform(list->begin(), list->end(), std::inserter(flags, flags.end()),
                               [](const Option& option) { return std::string{long_name(option)}; });
            }
            if (!command.version.empty()) {
                flags.insert("--version");
            }
            std::set<std::string> names;
            std::transform(command.commands.begin(), command.commands.end(), std::inserter(names, names.end()),
                           [](const Command& below) { return std::string{below.name}; });
            auto words = path;
            words.emplace_back("--");
            EXPECT_EQ(completions(words), flags) << testing::PrintToString(path);
            words.back() = "";
            if (!names.empty()) {
                EXPECT_EQ(completions(words), names) << testing::PrintToString(path);
            }
        });
    }
}

TEST(ToolCompletion, OffersChoices)
{
    EXPECT_THAT(completions({"pfcwd", "start", "-a", ""}), UnorderedElementsAre("drop", "forward", "alert"));
    EXPECT_THAT(completions({"pfcwd", "start", "--action", "f"}), ElementsAre("forward"));
    EXPECT_THAT(completions({"pfcwd", "big_red_switch", "e"}), ElementsAre("enable"));
    EXPECT_THAT(completions({"mmuconfig", "-t", ""}), UnorderedElementsAre("on", "off"));
    EXPECT_THAT(completions({"mmuconfig", "-p", ""}), IsEmpty());
}

TEST(ToolCompletion, OffersTheValuesOfEachPosition)
{
    PETREL_NEEDS_REDIS();
    const Bench bench;
    const auto redis = redis::to_text(bench.address());
    const auto ports = UnorderedElementsAre("Ethernet0", "Ethernet4", "Ethernet8");
    EXPECT_THAT(completions({"pfc", "config", "priority", ""}, redis), UnorderedElementsAre("on", "off"));
    EXPECT_THAT(completions({"pfc", "config", "priority", "on", ""}, redis), ports);
    EXPECT_THAT(completions({"pfc", "config", "priority", "-n", "", "on", ""}, redis), ports)
        << "the value of a flag has no place";
    EXPECT_EQ(completions({"pfc", "config", "priority", "on", "Ethernet0", ""}, redis).size(), 8U);
    EXPECT_THAT(completions({"pfc", "config", "priority", "on", "Ethernet0", "5", ""}, redis), IsEmpty());
    EXPECT_THAT(completions({"pfcwd", "pfc_stat_history", "e"}, redis), ElementsAre("enable"));
    EXPECT_THAT(completions({"pfcwd", "pfc_stat_history", "enable", "Ethernet4", "e"}, redis), IsEmpty());
    EXPECT_THAT(completions({"pfcwd", "start", "--action", "=", "f"}, redis), ElementsAre("forward"));
}

TEST(ToolCompletion, OffersPortsAndQueuesOfTheSwitch)
{
    PETREL_NEEDS_REDIS();
    const Bench bench;
    const auto redis = redis::to_text(bench.address());
    EXPECT_THAT(completions({"pfcwd", "start", "E"}, redis),
                UnorderedElementsAre("Ethernet0", "Ethernet4", "Ethernet8"));
    EXPECT_THAT(completions({"pfcwd", "stop", "a"}, redis), ElementsAre("all"));
    EXPECT_THAT(completions({"pfcwd", "show", "stats", "Ethernet4"}, redis),
                UnorderedElementsAre("Ethernet4:3", "Ethernet4:4"));
    EXPECT_THAT(completions({"pfcwd", "start", "-a", "drop", "Ethernet0", "Ethernet4"}, redis),
                ElementsAre("Ethernet4"))
        << "the argument may be repeated";
    EXPECT_THAT(completions({"pfcwd", "stop", "E"}), IsEmpty()) << "no switch, no ports, and no complaint";
}

}  // namespace
}  // namespace petrel::sonic_tools
