// The manual pages: they contain every command and every setting, and can be formatted without a warning.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/agent_settings.hpp"
#include "help_text.hpp"

namespace petrel::cli {
namespace {

constexpr auto kTypesetter = "/usr/bin/groff";

std::filesystem::path page(const char* name) { return test::examples().parent_path() / "packaging/man" / name; }

// The entries of a page's lists: ".It Nm Cm lab run Ar".
test::Words entries(const char* name)
{
    auto lines = test::lines_of(test::content(page(name)));
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with(".It "); });
    return lines;
}

// Expects the entries of a command and of all its subcommands.
void expect_entries(const test::Words& list, const test::Words& command)
{
    const auto help = test::help_of(command);
    for (const auto& name : help.commands) {
        auto below = command;
        below.push_back(name);
        expect_entries(list, below);
    }
    if (!help.commands.empty()) {
        return;
    }
    std::string entry = ".It Nm Cm";
    for (const auto& word : command) {
        entry += ' ' + word;
    }
    const auto is_it = [&](const std::string& line) { return line == entry || line.starts_with(entry + ' '); };
    EXPECT_EQ(std::count_if(list.begin(), list.end(), is_it), 1) << entry;
}

TEST(ManPage, HasEveryCommandOnce) { expect_entries(entries("petrel.1"), {}); }

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

TEST(ManPage, IsTypesetWithoutAWarning)
{
    if (!std::filesystem::exists(kTypesetter)) {
        GTEST_SKIP() << "no " << kTypesetter << " here to typeset the manual pages with";
    }
    for (const auto* name : {"petrel.1", "petrel-agent.8"}) {
        petrel::test::Invocation groff{kTypesetter};
        groff.arguments = {"-mandoc", "-Tutf8", "-ww", "-z", page(name).string()};
        const auto ended = petrel::test::run(groff);
        EXPECT_EQ(ended.exit_code, 0) << name;
        EXPECT_EQ(ended.err, "") << name;
    }
}

}  // namespace
}  // namespace petrel::cli
