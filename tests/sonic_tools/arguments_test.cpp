// Command lines as SONiC's tools parse them. The transcripts also test error messages; this file tests the rest.
#include "sonic_tools/arguments.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "sonic_tools/help_text.hpp"
#include "sonic_tools/mmuconfig.hpp"
#include "sonic_tools/pfc.hpp"
#include "sonic_tools/pfcstat.hpp"
#include "sonic_tools/pfcwd.hpp"
#include "support/golden.hpp"

namespace petrel::sonic_tools {
namespace {

using Words = std::vector<std::string>;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

Given given(const Words& words)
{
    const auto invocation = parse(pfcwd(), "pfcwd", words);
    EXPECT_TRUE(invocation) << invocation.error().err;
    return invocation ? invocation->given : Given{};
}

Outcome refused(const Words& words, const Command& tool = pfcwd())
{
    const auto invocation = parse(tool, tool.name, words);
    EXPECT_FALSE(invocation);
    return invocation ? Outcome{} : invocation.error();
}

std::string complaint(const Words& words, const Command& tool = pfcwd())
{
    const auto outcome = refused(words, tool);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err.substr(outcome.err.find("\n\n") + 2);
}

TEST(Arguments, AnOptionHasItsValueBehindItOrWithinIt)
{
    for (const auto& option :
         {Words{"-a", "drop"}, Words{"-adrop"}, Words{"--action", "drop"}, Words{"--action=drop"}}) {
        Words words{"start"};
        words.insert(words.end(), option.begin(), option.end());
        words.insert(words.end(), {"Ethernet0", "400"});
        EXPECT_EQ(given(words).text("--action"), "drop") << testing::PrintToString(option);
    }
    EXPECT_EQ(given({"start", "-a", "drop", "-a", "alert", "400"}).text("--action"), "alert")
        << "the last value applies";
    EXPECT_EQ(complaint({"start", "-a=drop", "400"}),
              "Error: Invalid value for '--action' / '-a': '=drop' is not one of 'drop', 'forward', 'alert'.\n");
}

TEST(Arguments, TheLastOneIsTheTime)
{
    EXPECT_THAT(given({"start", "400"}).values("PORTS"), IsEmpty());
    EXPECT_THAT(given({"start", "Ethernet0", "Ethernet4", "400"}).values("PORTS"),
                ElementsAre("Ethernet0", "Ethernet4"));
    EXPECT_EQ(given({"start", "Ethernet0", "--", "400"}).number("DETECTION_TIME"), 400);
}

// An option may stand anywhere after its command.
RC_GTEST_PROP(Arguments, OptionsStandAnywhere, ())
{
    Words words{"Ethernet0", "Ethernet4", "400"};
    const std::vector<Words> options{{"-a", "drop"}, {"--restoration-time=500"}, {"--pfc-stat-history"}};
    for (const auto& option : options) {
        // Never between an option and its value.
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i <= words.size(); ++i) {
            if (i == 0 || words[i - 1] != "-a") {
                places.push_back(i);
            }
        }
        const auto at = *rc::gen::elementOf(places);
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), option.begin(), option.end());
    }
    words.insert(words.begin(), "start");
    const auto read = given(words);
    RC_ASSERT(read.values("PORTS") == (Words{"Ethernet0", "Ethernet4"}));
    RC_ASSERT(read.number("DETECTION_TIME") == 400);
    RC_ASSERT(read.text("--action") == "drop");
    RC_ASSERT(read.number("--restoration-time") == 500);
    RC_ASSERT(read.has("--pfc-stat-history"));
}

// A number is accepted if and only if it is in the range.
RC_GTEST_PROP(Arguments, ARangeIsExact, (std::int16_t number))
{
    const auto invocation = parse(pfcwd(), "pfcwd", Words{"interval", "--", std::to_string(number)});
    RC_ASSERT(invocation.has_value() == (number >= 100 && number <= 1000));
}

TEST(Arguments, NumbersAreWholeNumbers)
{
    for (const auto* word : {"400a", "4e2", "400.0", "", "0x190", "+", "++400", "+-400", "4+00"}) {
        EXPECT_EQ(complaint({"interval", word}),
                  fmt::format("Error: Invalid value for 'POLL_INTERVAL': '{}' is not a valid integer range.\n", word));
    }
    EXPECT_EQ(given({"interval", "+400"}).number("POLL_INTERVAL"), 400);
    EXPECT_EQ(given({"start", "-r", "+500", "+400"}).number("--restoration-time"), 500);
    EXPECT_EQ(complaint({"interval", "+99"}),
              "Error: Invalid value for 'POLL_INTERVAL': 99 is not in the range 100<=x<=1000.\n");
    EXPECT_EQ(complaint({"interval", "99999999999999999999"}),
              "Error: Invalid value for 'POLL_INTERVAL': 99999999999999999999 is not in the range 100<=x<=1000.\n");
    EXPECT_EQ(complaint({"-p", "x", "-s", "-1"}, mmuconfig()),
              "Error: Invalid value for '-s' / '--staticth': -1 is not in the range x>=0.\n");
}

TEST(Arguments, ReportsMissingAndExtraArguments)
{
    EXPECT_EQ(complaint({"start"}), "Error: Missing argument 'DETECTION_TIME'.\n");
    EXPECT_EQ(complaint({"big_red_switch"}),
              "Error: Missing argument '{enable|disable}'. Choose from:\n\tenable,\n\tdisable\n");
    EXPECT_EQ(complaint({"interval", "200", "300"}), "Error: Got unexpected extra argument (300)\n");
    EXPECT_EQ(complaint({"interval", "200", "a", "b"}), "Error: Got unexpected extra arguments (a b)\n");
    EXPECT_EQ(complaint({"start", "400", "-a"}), "Error: Option '-a' requires an argument.\n");
    EXPECT_EQ(complaint({"start", "--pfc-stat-history=1", "400"}),
              "Error: Option '--pfc-stat-history' does not take a value.\n");
    EXPECT_EQ(complaint({"start", "-q", "400"}), "Error: No such option: -q\n");
    EXPECT_EQ(complaint({"start", "--nonsense", "400"}), "Error: No such option: --nonsense\n");
    EXPECT_EQ(complaint({"start", "--acton", "400"}), "Error: No such option: --acton Did you mean --action?\n");
    EXPECT_EQ(complaint({"nonsense"}), "Error: No such command 'nonsense'.\n");
    EXPECT_EQ(complaint({"shwo"}), "Error: No such command 'shwo'. Did you mean 'show'?\n");
    EXPECT_EQ(complaint({"it's"}), "Error: No such command \"it's\".\n");
    EXPECT_EQ(complaint({"\x1b[2J"}), "Error: No such command '\\x1b[2J'.\n") << "nothing disturbs a terminal";
}

TEST(Arguments, ReportsTheFirstInvalidValue)
{
    EXPECT_THAT(complaint({"start", "50", "-r", "1", "-a", "x"}),
                testing::StartsWith("Error: Invalid value for '--restoration-time' / '-r': 1 "));
    EXPECT_THAT(complaint({"start", "50", "-a", "x", "-r", "1"}),
                testing::StartsWith("Error: Invalid value for '--action' / '-a': 'x' "));
}

TEST(Arguments, ACommandWithoutOneOfItsCommandsShowsThem)
{
    EXPECT_EQ(refused({}), (Outcome{help_text(pfcwd(), "pfcwd"), "", 0}));
    EXPECT_EQ(refused({"show"}), refused({"show", "--help"}));
}

TEST(Arguments, AcceptsOurOptionsBeforeACommand)
{
    const auto invocation =
        parse(pfcwd(), "pfcwd", Words{"--redis", "tcp://switch:6379", "show", "--socket=/s", "config"});
    ASSERT_TRUE(invocation);
    EXPECT_EQ(invocation->path, "pfcwd show config");
    EXPECT_EQ(invocation->given.text("--redis"), "tcp://switch:6379");
    EXPECT_EQ(invocation->given.text("--socket"), "/s");
}

// As in SONiC's tools, words are parsed from left to right: `--help` after an unknown command has no effect.
TEST(Arguments, AnUnknownCommandHasNoHelp)
{
    EXPECT_EQ(complaint({"nosuch", "--help"}), "Error: No such command 'nosuch'.\n");
    EXPECT_EQ(complaint({"show", "confg", "--help"}), "Error: No such command 'confg'. Did you mean 'config'?\n");
    EXPECT_EQ(complaint({"nosuch", "--help"}, pfc()), "Error: No such command 'nosuch'.\n");
    EXPECT_EQ(refused({"--help", "nosuch"}).exit_code, 0);
}

TEST(Arguments, PrintsTheVersion)
{
    EXPECT_EQ(refused({"--version"}, mmuconfig()), (Outcome{"mmuconfig, version 1.0\n", "", 0}));
    EXPECT_EQ(complaint({"--version"}), "Error: No such option: --version\n") << "SONiC's tool has no such option";
    EXPECT_EQ(refused({"-v"}, pfcstat()), (Outcome{"pfcstat 1.0\n", "", 0}));
    EXPECT_EQ(refused({"--version"}, pfcstat()), (Outcome{"pfcstat 1.0\n", "", 0}));
    EXPECT_EQ(refused({"-h"}, pfcstat()), (Outcome{help_text(pfcstat(), "pfcstat"), "", 0}));
    EXPECT_EQ(complaint({"-h"}), "Error: No such option: -h\n") << "SONiC's tool has no such option";
}

// Appends the help of a command and of all its subcommands.
void add_help(const Command& command, const std::string& path, std::string& text)
{
    text += fmt::format("$ {} --help\n{}", path, help_text(command, path));
    for (const auto& below : command.commands) {
        add_help(below, fmt::format("{} {}", path, below.name), text);
    }
}

TEST(Arguments, Help)
{
    std::string text;
    for (const auto* tool : {&pfcwd(), &mmuconfig(), &pfc(), &pfcstat()}) {
        add_help(*tool, std::string{tool->name}, text);
    }
    petrel::test::expect_golden(petrel::test::golden("sonic/help.txt"), text);
}

}  // namespace
}  // namespace petrel::sonic_tools
