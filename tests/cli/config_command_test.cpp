// `petrel config` with a real environment, which golden transcripts cannot set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "petrel_program.hpp"
#include "support/agent_process.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

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

class ConfigCheck : public testing::Test {
protected:
    petrel::test::Ended check(const std::string& text, std::vector<std::string> flags = {})
    {
        const auto file = folder / "agent.toml";
        std::ofstream{file} << text;
        std::vector<std::string> arguments{"config", "check", file.string()};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        return petrel::test::run(test::petrel(std::move(arguments)));
    }

    // A switch of the twin, and a control socket where no agent listens.
    std::string on_twin(const std::string& policy) const
    {
        return "[control]\nsocket = \"" + (folder / "control.sock").string() + "\"\n" + device() + policy;
    }
    static std::string device()
    {
        return "[[device]]\ndriver = \"twin:../scenarios/agent/calm.toml#leaf0\"\nsimulated = true\n";
    }

    petrel::test::TemporaryFolder folder;
};

constexpr auto kPolicy = "[[policy]]\npreset = \"sonic\"\n";

TEST_F(ConfigCheck, AFileWithoutADeviceWatchesNothing)
{
    const auto ended = check(kPolicy);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("nothing would be watched: name a device in a [[device]]"));
}

TEST_F(ConfigCheck, ASimulatedDeviceHasToBeDeclared)
{
    const auto ended = check(std::string{"[[device]]\ndriver = \"twin:a.toml\"\n"} + kPolicy);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr(":1:1: 'twin:a.toml' is a simulated fabric, no switch"));
    EXPECT_EQ(check(std::string{"[[device]]\ndriver = \"twin:a.toml\"\nsimulated = true\n"} + kPolicy).exit_code, 0);
}

TEST_F(ConfigCheck, APolicyThatSonicReplacesIsAProblem)
{
    const auto ended = check(std::string{"[[device]]\ndriver = \"sonic:local\"\n"} + kPolicy);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("policy sonic of the agent's file is not used"));
}

TEST_F(ConfigCheck, LiveFindsPortsThatDoNotExist)
{
    const auto text = on_twin("[[policy]]\npreset = \"sonic\"\nports = [\"Ethernet0\", \"Ethernet99\"]\n");
    EXPECT_EQ(check(text).exit_code, 0);
    const auto ended = check(text, {"--live"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("Ethernet99"));
    EXPECT_THAT(ended.err, Not(HasSubstr("value 'Ethernet0'")));
    EXPECT_THAT(ended.out, HasSubstr("no agent answers at " + (folder / "control.sock").string()));
    EXPECT_THAT(ended.out, HasSubstr("  leaf0: twin:../scenarios/agent/calm.toml#leaf0, 5 ports\n"));
}

TEST_F(ConfigCheck, LiveFindsDevicesThatThisMachineDoesNotHave)
{
    const auto ended = check("[control]\nsocket = \"" + (folder / "control.sock").string() +
                                 "\"\n[[device]]\nname = \"a\"\ndriver = \"sai:/nowhere/libsai.so\"\n[[device]]\n"
                                 "name = \"b\"\ndriver = \"exec:/nowhere/helper\"\n" +
                                 kPolicy,
                             {"--live"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("a: cannot read the library /nowhere/libsai.so"));
    EXPECT_THAT(ended.err, HasSubstr("b: cannot run the helper /nowhere/helper"));
}

TEST_F(ConfigCheck, LiveComparesTheFileWithTheRunningAgent)
{
    petrel::test::AgentProcess agent{
        {.folder = folder.path(),
         .config = "[[device]]\ndriver = \"twin:" + (test::examples() / "../scenarios/agent/calm.toml").string() +
                   "#leaf0\"\nsimulated = true\n" + kPolicy}};
    ASSERT_NE(agent.wait_for("agent_ready"), "") << agent.log_text();
    const auto same = petrel::test::run(test::petrel({"config", "check", "--live", agent.file().string()}));
    EXPECT_EQ(same.exit_code, 0) << same.err;
    EXPECT_THAT(same.out, HasSubstr(", 5 ports, watching, "));

    auto call = test::petrel({"config", "check", "--live", (folder / "other.toml").string()});
    std::ofstream{folder / "other.toml"} << "[control]\nsocket = \"" << agent.socket().string()
                                         << "\"\n[[device]]\ndriver = \"twin:../scenarios/agent/calm.toml#leaf1\"\n"
                                         << "simulated = true\n"
                                         << kPolicy;
    const auto other = petrel::test::run(call);
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.err, HasSubstr("has no device 'leaf1': restart it"));
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
