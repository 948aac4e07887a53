// The completions for fish and zsh in these shells: they offer what the program's help lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "help_text.hpp"
#include "support/find_program.hpp"

namespace petrel::cli {
namespace {

using test::help_of;
using test::Words;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

constexpr auto kProgramFolder = PETREL_BIN_DIR;

class OtherShell : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (shell().empty()) {
            GTEST_SKIP() << GetParam() << " is not installed (packaging/apt-packages, group package)";
        }
    }

    static std::string shell() { return petrel::test::find_program(GetParam()); }

    // What the shell offers at the end of this line, which ends in the word to complete.
    static std::set<std::string> offered(const std::string& line)
    {
        // fish completes a line by itself. zsh does so at a prompt only: here the functions that it offers to a
        // completion print their words.
        const bool fish = std::string{GetParam()} == "fish";
        petrel::test::Invocation call{shell()};
        call.folder = test::examples();
        call.arguments =
            fish ? Words{"--no-config", "-c", "source ../packaging/fish/petrel.fish; complete -C $argv[1]", line}
                 : Words{"-f", "-c",
                         "setopt extendedglob; compadd() { shift; print -l -- ${(M)@:#$PREFIX*} }\n"
                         "_files() { print -l -- $PREFIX*(N) }\n"
                         "words=(\"${(@s: :)1}\"); CURRENT=$#words; PREFIX=$words[-1]\n"
                         "complete_it() { source ../packaging/zsh/_petrel }; complete_it",
                         "zsh", line};
        const char* path = std::getenv("PATH");
        call.environment = {{"PATH", std::string{kProgramFolder} + ":" + (path != nullptr ? path : "")},
                            {"PETREL_CONTROL_SOCKET", "/nowhere"}};
        const auto ended = petrel::test::run(call);
        EXPECT_EQ(ended.err, "");
        std::set<std::string> words;
        for (const auto& one : test::lines_of(ended.out)) {
            words.insert(one.substr(0, one.find('\t')));
        }
        words.erase("");
        return words;
    }
};

INSTANTIATE_TEST_SUITE_P(Completion, OtherShell, testing::Values("fish", "zsh"),
                         [](const auto& shell) { return std::string{shell.param}; });

TEST_P(OtherShell, OffersTheCommandsOfTheHelp)
{
    const auto help = help_of({}).commands();
    EXPECT_EQ(offered("petrel "), (std::set<std::string>{help.begin(), help.end()}));
    const auto lab = help_of({"lab"}).commands();
    EXPECT_EQ(offered("petrel lab "), (std::set<std::string>{lab.begin(), lab.end()}));
    EXPECT_THAT(offered("petrel polici"), ElementsAre("policies"));
}

TEST_P(OtherShell, OffersTheFlagsOfACommand)
{
    EXPECT_THAT(offered("petrel config check --"), IsSupersetOf({"--live", "--help"}));
    EXPECT_THAT(offered("petrel replay --det"), Contains("--detect-ms"));
}

TEST_P(OtherShell, OffersTheCommandsOfTheHostsProgram)
{
    if (!std::filesystem::exists(std::string{kProgramFolder} + "/petrel-host")) {
        GTEST_SKIP() << "petrel-host is not built";
    }
    EXPECT_THAT(offered("petrel-host rep"), ElementsAre("repaired"));
    EXPECT_THAT(offered("petrel-host repaired --no"), ElementsAre("--note"));
    EXPECT_THAT(offered("petrel-host doctor l"), ElementsAre("lo"));
}

TEST_P(OtherShell, OffersFilesWhereACommandTakesThem)
{
    EXPECT_THAT(offered("petrel replay sto"), Contains("storm.csv"));
    EXPECT_THAT(offered("petrel status sto"), Not(Contains("storm.csv")));
}

}  // namespace
}  // namespace petrel::cli
