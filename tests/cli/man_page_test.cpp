// The manual pages: they contain every command of the help and every setting, and can be formatted without a warning.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/agent_settings.hpp"
#include "help_text.hpp"

namespace petrel::cli {
namespace {

constexpr auto kTypesetter = "/usr/bin/groff";

// The part of petrel.1 between these lines is written with PETREL_UPDATE_GOLDEN=1.
constexpr auto kListsBegin = ".\\\" The lists of commands, as --help has them. Do not edit: a test writes them.\n";
constexpr auto kListsEnd = ".\\\" End of the lists.\n";

std::filesystem::path page(const char* name) { return test::examples().parent_path() / "packaging/man" / name; }

// The entries of a page's lists: ".It Fl Fl hang-ms Ar MS".
test::Words entries(const char* name)
{
    auto lines = test::lines_of(test::content(page(name)));
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with(".It "); });
    return lines;
}

// The entry of a command, or those of all commands below it: ".It Nm Cm explain Ar QUEUE", and what it is about.
std::string entries_of(const test::Words& command)
{
    const auto help = test::help_of(command);
    std::string below;
    for (const auto& name : help.commands()) {
        auto words = command;
        words.push_back(name);
        below += entries_of(words);
    }
    if (!below.empty()) {
        return below;
    }
    std::string entry = ".It Nm Cm";
    for (const auto& word : command) {
        entry += ' ' + word;
    }
    for (const auto& argument : help.arguments) {
        const bool several = argument.ends_with("...");
        entry += " Ar " + (several ? argument.substr(0, argument.size() - 3) + " ..." : argument);
    }
    return entry + '\n' + help.about + '\n';
}

std::string lists_of_commands()
{
    std::string lists;
    for (const auto& [heading, names] : test::help_of({}).groups) {
        lists += ".Ss " + (heading == "Subcommands" ? "Commands" : heading) + "\n.Bl -tag -width Ds\n";
        for (const auto& name : names) {
            lists += entries_of({name});
        }
        lists += ".El\n";
    }
    return lists;
}

TEST(ManPage, ListsTheCommandsOfTheHelp)
{
    const auto text = test::content(page("petrel.1"));
    const auto begin = text.find(kListsBegin);
    const auto end = text.find(kListsEnd);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_NE(end, std::string::npos);
    petrel::test::expect_golden(page("petrel.1"),
                                text.substr(0, begin) + kListsBegin + lists_of_commands() + text.substr(end));
}

TEST(ManPage, HasEverySettingOfTheAgent)
{
    const auto list = entries("petrel-agent.8");
    for (const auto& setting : codec::agent_settings()) {
        const auto is_it = [&](const std::string& line) {
            return line.starts_with(".It Fl Fl " + setting.flag.substr(2) + ' ') &&
                   line.ends_with(" , Ev " + setting.variable + " , Va " + setting.key);
        };
        EXPECT_EQ(std::count_if(list.begin(), list.end(), is_it), 1) << setting.key;
    }
}

// The program lists the kinds of devices when it refuses an unknown one.
TEST(ManPage, HasEveryKindOfDevice)
{
    const auto refusal = petrel::test::run(test::petrel({"agent", "--device", "nosuch:x"})).err;
    const auto at = refusal.find("one of ");
    ASSERT_NE(at, std::string::npos) << refusal;
    const auto text = test::content(page("petrel-agent.8"));
    const auto settings = test::content(test::examples().parent_path() / "docs/agent-config.md");
    std::istringstream kinds{refusal.substr(at + 7)};
    int count = 0;
    for (std::string kind; kinds >> kind; ++count) {
        std::erase(kind, ',');
        EXPECT_NE(text.find("\n.Ql " + kind + ':'), std::string::npos) << kind;
        EXPECT_NE(settings.find('`' + kind + ':'), std::string::npos) << kind;
    }
    EXPECT_GE(count, 3);
}

TEST(ManPage, OfTheHostsProgramHasItsCommands)
{
    petrel::test::Invocation call{std::string{PETREL_BIN_DIR} + "/petrel-host"};
    if (!std::filesystem::exists(call.program)) {
        GTEST_SKIP() << "petrel-host is not built";
    }
    call.arguments = {"--help"};
    const auto text = test::content(page("petrel-host.8"));
    std::istringstream help{petrel::test::run(call).out};
    int commands = 0;
    for (std::string line; std::getline(help, line);) {
        if (line.starts_with("  ") && std::islower(static_cast<unsigned char>(line[2])) != 0 &&
            !line.starts_with("  petrel")) {
            EXPECT_NE(text.find("Cm " + line.substr(2, line.find(' ', 2) - 2)), std::string::npos) << line;
            ++commands;
        }
    }
    EXPECT_GE(commands, 15);
}

TEST(ManPage, IsTypesetWithoutAWarning)
{
    if (!std::filesystem::exists(kTypesetter)) {
        GTEST_SKIP() << "no " << kTypesetter << " here to typeset the manual pages with";
    }
    for (const auto* name : {"petrel.1", "petrel-agent.8", "petrel-host.8", "petrel-manager.8", "petrel-mpi.1"}) {
        petrel::test::Invocation groff{kTypesetter};
        groff.arguments = {"-mandoc", "-Tutf8", "-ww", "-z", page(name).string()};
        const auto ended = petrel::test::run(groff);
        EXPECT_EQ(ended.exit_code, 0) << name;
        EXPECT_EQ(ended.err, "") << name;
    }
}

}  // namespace
}  // namespace petrel::cli
