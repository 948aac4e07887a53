// The exact output for users. Each tests/golden/cli/*.txt is a transcript: commands ("$ petrel ..."), their output and
// their exit codes. The commands are read from the file and run in examples/; PETREL_UPDATE_GOLDEN=1 writes their
// present output. Those whose names begin with terminal-80 run on a terminal of 80 columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "petrel_program.hpp"
#include "terminal/wrap.hpp"

namespace petrel::cli {
namespace {

constexpr std::string_view kPrompt = "$ petrel";
constexpr std::string_view kOnTerminal = "terminal-80";

std::filesystem::path folder() { return petrel::test::golden("cli"); }

std::vector<std::string> transcripts()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator{folder()}) {
        if (entry.path().extension() == ".txt") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Splits a command line; "< FILE" is its stdin. Quotes are not supported: no example needs them.
petrel::test::Invocation parse(const std::string& command)
{
    std::istringstream words{command.substr(kPrompt.size())};
    std::vector<std::string> arguments;
    std::string input;
    for (std::string word; words >> word;) {
        if (word == "<") {
            words >> word;
            input = test::content(test::examples() / word);
        } else {
            arguments.push_back(word);
        }
    }
    auto call = test::petrel(std::move(arguments));
    call.input = std::move(input);
    return call;
}

// Lab runs report their speed on stderr: that is not the same twice.
petrel::test::Ended run_on_terminal(petrel::test::Invocation call)
{
    call.environment = {{"COLUMNS", "80"}, {"NO_COLOR", "1"}};
    call.stdout_is_terminal = true;
    call.stderr_is_terminal = call.arguments.size() < 2 || call.arguments[0] != "lab" || call.arguments[1] != "run";
    auto ended = petrel::test::run(call);
    std::erase(ended.out, '\r');
    return ended;
}

std::string transcript(const std::vector<std::string>& commands, bool on_terminal)
{
    std::string text;
    for (const auto& command : commands) {
        const auto ended = on_terminal ? run_on_terminal(parse(command)) : petrel::test::run(parse(command));
        text += command + '\n' + ended.out;
        text += ended.err.empty() ? "" : "[stderr]\n" + ended.err;
        text += "[exit=" + std::to_string(ended.exit_code) + "]\n";
    }
    return text;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Transcript)
{
    const auto path = folder() / (GetParam() + ".txt");
    const auto golden = test::content(path);
    std::vector<std::string> commands;
    std::istringstream lines{golden};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kPrompt)) {
            commands.push_back(line);
        }
    }
    ASSERT_FALSE(commands.empty()) << path << " holds no command";
    const bool on_terminal = GetParam().starts_with(kOnTerminal);
    const auto now = transcript(commands, on_terminal);
    std::istringstream shown{now};
    for (std::string line; on_terminal && std::getline(shown, line);) {
        EXPECT_LE(shown_width(line), line.starts_with(kPrompt) ? kAnyWidth : 80U) << line;
    }
    petrel::test::expect_golden(path, now);
}

INSTANTIATE_TEST_SUITE_P(Cli, Golden, testing::ValuesIn(transcripts()), [](const auto& golden) {
    auto name = golden.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace petrel::cli
