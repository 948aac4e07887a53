// The exact output for users. Each tests/golden/cli/*.txt is a transcript: commands ("$ petrel ..."), their output and
// their exit codes. The commands are read from the file and run in examples/; PETREL_UPDATE_GOLDEN=1 writes their
// present output.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "petrel_program.hpp"

namespace petrel::cli {
namespace {

constexpr std::string_view kPrompt = "$ petrel";

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

std::string transcript(const std::vector<std::string>& commands)
{
    std::string text;
    for (const auto& command : commands) {
        const auto ended = petrel::test::run(parse(command));
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
    const auto now = transcript(commands);
    petrel::test::expect_golden(path, now);
}

INSTANTIATE_TEST_SUITE_P(Cli, Golden, testing::ValuesIn(transcripts()), [](const auto& golden) {
    auto name = golden.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace petrel::cli
