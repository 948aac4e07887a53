// `petrel config` with a real environment, which golden transcripts cannot set.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "petrel_program.hpp"

namespace petrel::cli {
namespace {

petrel::test::Ended show(std::vector<std::pair<std::string, std::string>> environment,
                         std::vector<std::string> flags = {})
{
    std::vector<std::string> arguments{"config", "show", "--effective", "--config", "agent.toml"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    auto call = test::petrel(std::move(arguments));
    call.environment = std::move(environment);
    return petrel::test::run(call);
}

// The cells in the line of a key, separated by one blank.
std::string line_of(const std::string& text, const std::string& key)
{
    const auto at = text.find('\n' + key + ' ') + 1;
    std::istringstream words{text.substr(at, text.find('\n', at) - at)};
    std::string line;
    for (std::string word; words >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

TEST(ConfigCommand, TheEnvironmentIsStrongerThanTheFileAndWeakerThanFlags)
{
    const auto ended =
        show({{"PETREL_NAME", "env"}, {"PETREL_STOP", "hold"}, {"PETREL_METRICS_LISTEN", ""}}, {"--name", "flag"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(line_of(ended.out, "agent.name"), "agent.name flag --name");
    EXPECT_EQ(line_of(ended.out, "agent.stop"), "agent.stop hold PETREL_STOP");
    EXPECT_EQ(line_of(ended.out, "metrics.listen"), "metrics.listen \"\" PETREL_METRICS_LISTEN");
    EXPECT_EQ(line_of(ended.out, "log.format"), "log.format text agent.toml:15:10");
}

TEST(ConfigCommand, AcceptsAnEmptyValueInEveryForm)
{
    for (const auto& given : {std::vector<std::string>{"--metrics-listen=", "--name", "flag"},
                              std::vector<std::string>{"--metrics-listen", "", "--name=flag"}}) {
        const auto ended = show({}, given);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_EQ(line_of(ended.out, "metrics.listen"), "metrics.listen \"\" --metrics-listen");
        EXPECT_EQ(line_of(ended.out, "agent.name"), "agent.name flag --name");
    }
}

TEST(ConfigCommand, ReportsAnUnknownVariable)
{
    const auto ended = show({{"PETREL_LOG_FROMAT", "json"}, {"PETREL_HANG_MS", "1"}}, {"--stop", "halt"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_NE(ended.err.find("PETREL_LOG_FROMAT: no such variable; the nearest is 'PETREL_LOG_FORMAT'\n"),
              std::string::npos)
        << ended.err;
    EXPECT_NE(ended.err.find("PETREL_HANG_MS: value '1': allowed a whole number 10..600000\n"), std::string::npos);
    EXPECT_NE(ended.err.find("--stop: value 'halt': allowed restore or hold\n"), std::string::npos);
}

TEST(ConfigCommand, AFileIsCheckedAlone)
{
    auto call = test::petrel({"config", "check", "agent.toml"});
    call.environment = {{"PETREL_LOG_FORMAT", "nonsense"}};
    EXPECT_EQ(petrel::test::run(call).exit_code, 0);
}

TEST(ConfigCommand, ShowsTheDefaultFileIfItExists)
{
    const auto ended = petrel::test::run(test::petrel({"config", "show"}));
    if (std::filesystem::exists("/etc/petrel/agent.toml")) {
        EXPECT_EQ(ended.err.find("which file?"), std::string::npos) << ended.err;
    } else {
        EXPECT_EQ(ended.exit_code, 2);
        EXPECT_EQ(ended.err, "--config: which file? Or --effective, for all values that the agent would use\n");
    }
}

}  // namespace
}  // namespace petrel::cli
