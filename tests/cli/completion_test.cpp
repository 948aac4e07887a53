// The completion for bash, sourced in a real one: it offers what the program's own help names, no more and no less.
#include <gmock/gmock.h>

#include <set>

#include "help_text.hpp"

namespace petrel::cli {
namespace {

using petrel::test::run;
using test::help_of;
using test::lines_of;
using test::Words;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr auto kBash = "/bin/bash";
constexpr auto kProgram = PETREL_BIN_DIR "/petrel";

// What bash would offer for the last of these words.
Words completions(Words words)
{
    words.insert(words.begin(), kProgram);
    petrel::test::Invocation bash{kBash};
    bash.folder = test::examples();
    bash.arguments = {"-c",
                      "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n"
                      "_petrel \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
                      "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"",
                      "bash", "../packaging/bash-completion/petrel"};
    bash.arguments.insert(bash.arguments.end(), words.begin(), words.end());
    const auto ended = run(bash);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    return lines_of(ended.out);
}

void expect_all_below(const Words& command)
{
    const auto help = help_of(command);
    const auto offered = [&](const std::string& beginning) {
        auto words = command;
        words.push_back(beginning);
        const auto list = completions(words);
        return std::set<std::string>{list.begin(), list.end()};
    };
    EXPECT_EQ(offered("--"), help.flags) << testing::PrintToString(command);
    EXPECT_THAT(help.flags, Contains("--help")) << testing::PrintToString(command);
    if (help.commands.empty()) {
        return;
    }
    EXPECT_EQ(offered(""), help.commands) << testing::PrintToString(command);
    for (const auto& name : help.commands) {
        auto below = command;
        below.push_back(name);
        expect_all_below(below);
    }
}

TEST(Completion, OffersWhatTheHelpNames) { expect_all_below({}); }

TEST(Completion, Commands)
{
    EXPECT_THAT(completions({"pol"}), ElementsAre("policies"));
    EXPECT_THAT(completions({"link", ""}), ElementsAre("play", "explain", "decode", "codes"));
    EXPECT_THAT(completions({"config", "s"}), ElementsAre("show"));
    EXPECT_THAT(completions({"nonsense"}), IsEmpty());
}

TEST(Completion, Values)
{
    EXPECT_THAT(completions({"replay", "--policy", "s"}), UnorderedElementsAre("sonic", "sai"));
    EXPECT_THAT(completions({"replay", "storm.csv", "--policy", "rdma-"}),
                UnorderedElementsAre("rdma-switch", "rdma-nic"));
    EXPECT_THAT(completions({"config", "show", "--log-format", ""}), ElementsAre("text", "json", "rfc5424"));
    EXPECT_THAT(completions({"config", "show", "--log-format", "=", "j"}), ElementsAre("json"));
    EXPECT_THAT(completions({"config", "show", "--log-format", "="}), ElementsAre("text", "json", "rfc5424"));
    EXPECT_THAT(completions({"replay", "--detect-ms", ""}), IsEmpty());
}

TEST(Completion, Files)
{
    EXPECT_THAT(completions({"replay", "sto"}), ElementsAre("storm.csv"));
    EXPECT_THAT(completions({"replay", "storm.csv", "-o", "pet"}), ElementsAre("petrel.toml"));
    EXPECT_THAT(completions({"config", "show", "--log-to", "s"}), UnorderedElementsAre("stderr", "storm.csv"));
    EXPECT_THAT(completions({"demo", "--fast", "sto"}), Not(Contains("storm.csv")));
}

TEST(Completion, AFlagThatIsNoneIsNoTrouble)
{
    EXPECT_THAT(completions({"replay", "--a/b", "sto"}), ElementsAre("storm.csv"));
    EXPECT_THAT(completions({"--", ""}), Contains("replay"));
}

}  // namespace
}  // namespace petrel::cli
