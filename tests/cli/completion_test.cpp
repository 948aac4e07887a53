// The completion for bash, sourced in a real bash: it offers exactly what the program's help lists.
#include <gmock/gmock.h>

#include <set>

#include "help_text.hpp"
#include "sonic_tools/tools.hpp"
#include "support/agent_process.hpp"
#include "support/temporary_folder.hpp"

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
constexpr auto kHostProgram = PETREL_BIN_DIR "/petrel-host";

// SONiC's tools have their own help; tests/sonic_tools compares it with their completion.
const std::set<std::string> kTools{"mmuconfig", "pfc", "pfcstat", "pfcwd"};

// What bash offers for the last of these words.
Words completions(Words words, const std::string& socket = "/nowhere", const std::string& program = kProgram)
{
    words.insert(words.begin(), program);
    petrel::test::Invocation bash{kBash};
    bash.folder = test::examples();
    bash.arguments = {"-c",
                      "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n"
                      "_petrel \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
                      "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"",
                      "bash", "../packaging/bash-completion/petrel"};
    bash.arguments.insert(bash.arguments.end(), words.begin(), words.end());
    bash.environment = {{"PETREL_CONTROL_SOCKET", socket}, {"PETREL_REDIS", "unix:///nowhere"}};
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
    const auto below = help.commands();
    if (below.empty()) {
        return;
    }
    std::set<std::string> commands{below.begin(), below.end()};
    if (command.empty()) {
        commands.insert(kTools.begin(), kTools.end());
    }
    EXPECT_EQ(offered(""), commands) << testing::PrintToString(command);
    for (const auto& name : below) {
        auto words = command;
        words.push_back(name);
        expect_all_below(words);
    }
}

TEST(Completion, OffersEverythingInTheHelp) { expect_all_below({}); }

TEST(Completion, Commands)
{
    EXPECT_THAT(completions({"polici"}), ElementsAre("policies"));
    EXPECT_THAT(completions({"link", ""}),
                ElementsAre("play", "explain", "decode", "import", "codes", "show", "clear"));
    EXPECT_THAT(completions({"config", "s"}), ElementsAre("show"));
    EXPECT_THAT(completions({"nonsense"}), IsEmpty());
}

TEST(Completion, OffersSonicToolsAsCommands)
{
    for (const auto& tool : kTools) {
        EXPECT_TRUE(sonic_tools::is_tool(tool)) << tool;
    }
    EXPECT_THAT(completions({"pfcs"}), ElementsAre("pfcstat"));
    EXPECT_THAT(completions({"pfc", ""}), ElementsAre("config", "show"));
    EXPECT_THAT(completions({"pfcwd", "show", ""}), ElementsAre("config", "history", "stats"));
    EXPECT_THAT(completions({"pfcwd", "start", "--action", "f"}), ElementsAre("forward"));
    EXPECT_THAT(completions({"pfc", "config", "asymmetric", ""}), ElementsAre("on", "off"));
    EXPECT_THAT(completions({"lab", "pfc"}), IsEmpty());
}

TEST(Completion, ReadsQueuesFromTheAgent)
{
    const petrel::test::TemporaryFolder folder;
    const auto scenario = test::examples().parent_path() / "scenarios/nic-storm-leaf-spine.toml";
    petrel::test::AgentProcess agent{
        {.folder = folder.path(),
         .config = "[[policy]]\npreset = \"sonic\"\n[[device]]\ndriver = \"twin:" + scenario.string() + "#leaf0\"\n"}};
    agent.wait_for("agent_ready");
    const auto socket = agent.socket().string();
    EXPECT_THAT(completions({"explain", "Ethernet1"}, socket), ElementsAre("Ethernet1:3", "Ethernet1:4"));
    EXPECT_THAT(completions({"release", "Ethernet1:4"}, socket), ElementsAre("Ethernet1:4"));
    EXPECT_THAT(completions({"pfcwd", "release", "Ethernet1"}, socket), IsEmpty()) << "pfcwd finds no database";
    EXPECT_THAT(completions({"explain", "Ethernet1"}), IsEmpty()) << "no agent, no queues, and no complaint";
}

// The ports of a NIC have no queues, and a server has no tools of SONiC.
TEST(Completion, OfTheHostsProgram)
{
    if (!std::filesystem::exists(kHostProgram)) {
        GTEST_SKIP() << "petrel-host is not built";
    }
    const petrel::test::TemporaryFolder folder;
    petrel::test::AgentProcess agent{
        {.folder = folder.path(), .config = "[[policy]]\npreset = \"rdma-nic\"\n[[device]]\ndriver = \"linux:lo\"\n"}};
    agent.wait_for("agent_ready");
    const auto of_host = [&](Words words) { return completions(std::move(words), agent.socket(), kHostProgram); };
    EXPECT_THAT(of_host({"pfc"}), IsEmpty());
    EXPECT_THAT(of_host({"rep"}), ElementsAre("repaired"));
    EXPECT_THAT(of_host({"host", "rep"}), ElementsAre("repaired"));
    EXPECT_THAT(of_host({"repaired", ""}), ElementsAre("lo"));
    EXPECT_THAT(of_host({"doctor", ""}), Contains("lo"));
    EXPECT_THAT(of_host({"repaired", "--no"}), ElementsAre("--note"));
    EXPECT_THAT(completions({"host", "doctor", "l"}), ElementsAre("lo"));
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

TEST(Completion, IgnoresAnUnknownFlag)
{
    EXPECT_THAT(completions({"replay", "--a/b", "sto"}), ElementsAre("storm.csv"));
    EXPECT_THAT(completions({"--", ""}), Contains("replay"));
}

}  // namespace
}  // namespace petrel::cli
