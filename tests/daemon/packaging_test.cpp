// The files that are installed with the program, each checked by the program that reads it: systemd, Prometheus, the
// agent itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "base/complaint_text.hpp"
#include "codec/agent_config_reader.hpp"
#include "codec/agent_settings.hpp"
#include "config/agent_config.hpp"
#include "daemon/metrics.hpp"
#include "reports.hpp"
#include "support/find_program.hpp"
#include "support/golden.hpp"
#include "support/subprocess.hpp"

namespace petrel::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kPackaging = std::filesystem::path{PETREL_TEST_DATA} / ".." / "packaging";

// A temporary folder; the destructor removes it.
struct InstallFolder {
    InstallFolder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "petrel-packaging-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~InstallFolder() { std::filesystem::remove_all(path); }
    InstallFolder(const InstallFolder&) = delete;
    InstallFolder& operator=(const InstallFolder&) = delete;

    std::filesystem::path path;
};

std::vector<std::smatch> matches(const std::string& text, const std::regex& what)
{
    return {std::sregex_iterator{text.begin(), text.end(), what}, std::sregex_iterator{}};
}

// A copy of the unit that systemd-analyze accepts without an installed petrel: it names /bin/true instead.
std::filesystem::path unit_in(const InstallFolder& folder, const std::string& name)
{
    const auto unit = test::content(kPackaging / "systemd" / name);
    auto path = folder.path / name;
    std::ofstream{path} << std::regex_replace(unit, std::regex{"/usr/bin/petrel(-host)?"}, "/bin/true");
    return path;
}

// After a SIGKILL the agent cannot put SONiC's scripts back, so systemd runs `petrel hand-back`.
TEST(Packaging, TheUnitHandsBackAfterADeath)
{
    EXPECT_THAT(test::content(kPackaging / "systemd" / "petrel-agent.service"),
                HasSubstr("\nExecStopPost=/usr/bin/petrel hand-back --config /etc/petrel/agent.toml\n"));
}

test::Ended analyze(std::vector<std::string> arguments)
{
    return test::run({.program = test::find_program("systemd-analyze"), .arguments = std::move(arguments)});
}

class Unit : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (test::find_program("systemd-analyze").empty()) {
            GTEST_SKIP() << "systemd-analyze is not installed";
        }
    }
    InstallFolder folder;
};

INSTANTIATE_TEST_SUITE_P(Each, Unit, testing::Values("petrel-agent.service", "petrel-host.service"),
                         [](const auto& unit) { return unit.index == 0 ? "Agent" : "Host"; });

TEST_P(Unit, PassesSystemdAnalyze)
{
    const auto judged = analyze({"verify", "--man=no", unit_in(folder, GetParam())});
    EXPECT_EQ(judged.out + judged.err, "");
    EXPECT_EQ(judged.exit_code, 0);
}

TEST_P(Unit, IsHardened)
{
    const auto judged =
        analyze({"security", "--offline=true", "--no-pager", "--threshold=20", unit_in(folder, GetParam())});
    EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
    EXPECT_THAT(judged.out, HasSubstr("Overall exposure level"));
}

config::AgentConfig sample()
{
    constexpr codec::DriverKind kDrivers[] = {{"sai"}};
    auto config =
        codec::read_agent_config(test::content(kPackaging / "etc" / "agent.toml"), "agent.toml", {}, kDrivers);
    if (!config) {
        for (const auto& complaint : config.error()) {
            ADD_FAILURE() << to_text(complaint);
        }
        return {};
    }
    return std::move(*config);
}

std::map<std::string, std::string> values_of(const config::AgentConfig& config)
{
    std::map<std::string, std::string> values;
    for (const auto& value : config.values) {
        values[value.key] = value.value;
    }
    return values;
}

TEST(SampleConfig, ShowsEverySettingWithItsDefault)
{
    const auto defaults = codec::read_agent_config("[[policy]]\npreset = \"sonic\"\n", "empty.toml", {}, {});
    ASSERT_TRUE(defaults.has_value());
    auto expected = values_of(*defaults);
    auto shown = values_of(sample());
    const auto text = test::content(kPackaging / "etc" / "agent.toml");
    for (const auto& setting : codec::agent_settings()) {
        EXPECT_EQ(shown[setting.key], expected[setting.key]) << setting.key;
        const auto key = setting.key.substr(setting.key.find('.') + 1);
        EXPECT_TRUE(std::regex_search(text, std::regex{"\n(# )?" + key + " = "})) << setting.key << " is not shown";
    }
}

TEST(SampleConfig, WatchesASwitchAndChangesNothing)
{
    const auto config = sample();
    ASSERT_EQ(config.devices.size(), 1U);
    EXPECT_THAT(config.devices[0].driver, testing::StartsWith("sai:/"));
    ASSERT_THAT(config.policies.policies, testing::Not(IsEmpty()));
    for (const auto& entry : config.policies.policies) {
        EXPECT_EQ(entry.policy.action, watchdog::Treatment{});
    }
}

TEST(SampleConfig, FitsTheUnit)
{
    const auto unit = test::content(kPackaging / "systemd" / "petrel-agent.service");
    const auto config = sample();
    std::smatch stop;
    ASSERT_TRUE(std::regex_search(unit, stop, std::regex{"\nTimeoutStopSec=(\\d+)\n"}));
    EXPECT_GT(std::chrono::seconds{std::stoi(stop[1])}, 2 * config.stop_timeout);
    EXPECT_THAT(unit, HasSubstr("\nStateDirectory=" + config.state_dir.filename().string() + "\n"));
    EXPECT_THAT(unit,
                HasSubstr("\nRuntimeDirectory=" + config.control_socket.parent_path().filename().string() + "\n"));
}

// A process without privileges that may set the network's settings, and nothing more.
TEST(Packaging, TheHostsUnitHasOneCapability)
{
    const auto unit = test::content(kPackaging / "systemd" / "petrel-host.service");
    EXPECT_THAT(unit, HasSubstr("\nCapabilityBoundingSet=CAP_NET_ADMIN\nAmbientCapabilities=CAP_NET_ADMIN\n"));
    EXPECT_THAT(unit, HasSubstr("\nUser=petrel\n"));
    EXPECT_THAT(unit, HasSubstr(" AF_NETLINK\n"));
    EXPECT_THAT(unit, testing::Not(HasSubstr("RestrictRealtime")));
}

class AlertRules : public testing::Test {
protected:
    std::string rules = test::content(kPackaging / "prometheus" / "petrel.rules.yml");
    std::string cases = test::content(kPackaging / "prometheus" / "petrel.rules.test.yml");
    std::string promtool = test::find_program("promtool");

    test::Ended run_promtool(std::string what, std::string file) const
    {
        return test::run({.program = promtool,
                          .arguments = {std::move(what), "rules", std::move(file)},
                          .folder = kPackaging / "prometheus"});
    }
};

TEST_F(AlertRules, PassTheirTests)
{
    if (promtool.empty()) {
        GTEST_SKIP() << "promtool is not installed (package prometheus)";
    }
    const auto checked = run_promtool("check", "petrel.rules.yml");
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
    const auto tested = run_promtool("test", "petrel.rules.test.yml");
    EXPECT_EQ(tested.exit_code, 0) << tested.out << tested.err;
}

TEST_F(AlertRules, EachFiresInATestAndIsSilentInAnother)
{
    std::map<std::string, std::set<bool>> tested;
    for (const auto& found :
         matches(cases, std::regex{"alertname: (\\w+)\n +eval_time: \\w+\n +exp_alerts:( \\[\\])?"})) {
        tested[found[1]].insert(found[2].matched);
    }
    const auto alerts = matches(rules, std::regex{"- alert: (\\w+)\n"});
    EXPECT_GE(alerts.size(), 10U);
    for (const auto& alert : alerts) {
        EXPECT_THAT(tested[alert[1]], testing::ElementsAre(false, true)) << alert[1];
    }
}

TEST_F(AlertRules, UseExportedMetricsOnly)
{
    const auto exported = metrics_text(two_devices(), some_queues());
    const auto used = matches(rules, std::regex{"\\bpetrel_\\w+"});
    EXPECT_THAT(used, testing::Not(IsEmpty()));
    for (const auto& metric : used) {
        EXPECT_THAT(exported, HasSubstr("# TYPE " + metric.str() + " "));
    }
}

// A panel with a misspelt metric shows nothing, and no error.
TEST(Dashboard, UsesExportedMetricsOnly)
{
    const auto exported =
        metrics_text(two_devices(), some_queues(), std::vector<DevicePauses>{{"sw1", 1, {{"Ethernet0", 3, {1, 1}}}}});
    const auto dashboard = test::content(kPackaging / "grafana" / "petrel.json");
    const auto used = matches(dashboard, std::regex{"\\bpetrel_\\w+"});
    EXPECT_GE(used.size(), 20U);
    for (const auto& metric : used) {
        EXPECT_THAT(exported, HasSubstr("# TYPE " + metric.str() + " "));
    }
}

// Labels by which the panels choose and group.
TEST(Dashboard, UsesLabelsThatAreDocumented)
{
    const auto page = test::content(kPackaging / "../docs/metrics.md");
    const auto dashboard = test::content(kPackaging / "grafana" / "petrel.json");
    std::set<std::string> labels;
    for (const auto& found : matches(dashboard, std::regex{"\\{\\{(\\w+)\\}\\}"})) {
        labels.insert(found[1]);
    }
    EXPECT_GE(labels.size(), 4U);
    labels.erase("instance");  // Prometheus adds it
    for (const auto& label : labels) {
        EXPECT_THAT(page, HasSubstr('`' + label + '`'));
    }
}

class Install : public testing::Test {
protected:
    void SetUp() override
    {
        if (cmake.empty() || !std::filesystem::exists(program)) {
            GTEST_SKIP() << "cmake or the program does not exist";
        }
    }

    // Below the folder, as if it were the root of a machine.
    test::Ended install(const std::string& prefix, bool staged = true) const
    {
        test::Invocation call{.program = cmake,
                              .arguments = {"--install", program.parent_path().parent_path(), "--prefix", prefix}};
        if (staged) {
            call.environment = {{"DESTDIR", folder.path.string()}};
        }
        return test::run(call);
    }

    void expect_files(const std::filesystem::path& root, std::initializer_list<const char*> files) const
    {
        for (const auto* file : files) {
            EXPECT_TRUE(std::filesystem::exists(root / file)) << file;
        }
    }

    std::string cmake = test::find_program("cmake");
    std::filesystem::path program = std::filesystem::path{PETREL_BIN_DIR} / "petrel";
    InstallFolder folder;
};

TEST_F(Install, UsrHasAllFilesAndKeepsTheAdministratorsFile)
{
    const auto first = install("/usr");
    ASSERT_EQ(first.exit_code, 0) << first.err;
    expect_files(folder.path,
                 {"usr/bin/petrel", "usr/bin/pfcwd", "usr/lib/systemd/system/petrel-agent.service",
                  "usr/lib/sysusers.d/petrel.conf", "usr/share/petrel/prometheus/petrel.rules.yml",
                  "usr/share/petrel/scenarios/nic-storm-leaf-spine.toml", "usr/share/man/man1/petrel.1",
                  "usr/share/man/man8/petrel-agent.8", "usr/share/bash-completion/completions/petrel",
                  "usr/share/bash-completion/completions/petrel-tools", "usr/share/bash-completion/completions/pfcwd",
                  "usr/share/fish/vendor_completions.d/petrel.fish", "usr/share/zsh/vendor-completions/_petrel",
                  "usr/share/petrel/grafana/petrel.json", "usr/lib/systemd/system/petrel-manager.service",
                  "etc/petrel/agent.toml", "etc/petrel-manager/manager.env"});
    // The folder for libraries differs between distributions.
    const std::filesystem::recursive_directory_iterator files{folder.path / "usr"};
    EXPECT_TRUE(std::ranges::any_of(files, [](const auto& file) {
        return file.path().filename() == "libsai-petrel.so" &&
               file.path().string().find("/usr/lib") != std::string::npos;
    }));
    EXPECT_THAT(test::content(folder.path / "usr/lib/systemd/system/petrel-agent.service"),
                HasSubstr("\nExecStart=/usr/bin/petrel agent --config /etc/petrel/agent.toml\n"));
    std::ofstream{folder.path / "etc/petrel/agent.toml"} << "# mine\n";
    ASSERT_EQ(install("/usr").exit_code, 0);
    EXPECT_EQ(test::content(folder.path / "etc/petrel/agent.toml"), "# mine\n");
}

TEST_F(Install, AnotherPrefixHasEverythingBelowIt)
{
    const auto prefix = folder.path / "opt" / "petrel";
    ASSERT_EQ(install(prefix.string()).exit_code, 0);
    const auto below = folder.path.string() + prefix.string();
    for (const auto& file : std::filesystem::recursive_directory_iterator{folder.path}) {
        EXPECT_TRUE(file.is_directory() || file.path().string().starts_with(below)) << file.path();
    }
    ASSERT_EQ(install(prefix.string(), false).exit_code, 0);
    expect_files(prefix, {"bin/petrel", "etc/petrel/agent.toml", "lib/systemd/system/petrel-agent.service"});
    const auto unit = test::content(prefix / "lib/systemd/system/petrel-agent.service");
    EXPECT_THAT(unit, HasSubstr("\nExecStart=" + (prefix / "bin/petrel").string() + " agent --config " +
                                (prefix / "etc/petrel/agent.toml").string() + "\n"));
    EXPECT_THAT(unit, HasSubstr("\nExecReload=" + (prefix / "bin/petrel").string() + " reload\n"));
    EXPECT_THAT(unit, testing::Not(HasSubstr("/usr/")));
    EXPECT_THAT(unit, testing::Not(HasSubstr(" /etc/")));
}

TEST_F(Install, TheWatchdogIsALibrary)
{
#ifdef PETREL_SANITIZED
    GTEST_SKIP() << "an archive of a sanitized build needs the sanitizers to link";
#endif
    const auto prefix = folder.path / "library";
    ASSERT_EQ(install(prefix.string(), false).exit_code, 0);
    const auto example = prefix / "share/doc/petrel-dev/examples/main.cpp";
    ASSERT_TRUE(std::filesystem::exists(example));
    const auto built =
        test::run({.program = "/bin/sh",
                   .arguments = {"-c", R"(c++ "$1" $(pkg-config --cflags --libs petrel-watchdog) -o "$2" && "$2")",
                                 "sh", example, folder.path / "storm"},
                   .environment = {{"PKG_CONFIG_PATH", (prefix / "lib/pkgconfig").string()}}});
    EXPECT_EQ(built.err, "");
    EXPECT_EQ(built.out, "400 ms: Ethernet0:3 gets the treatment drop\n");
}

}  // namespace
}  // namespace petrel::daemon
