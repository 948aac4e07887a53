// How the agent's configuration is read: which source wins, the origin of each value, and the text of every problem.
#include "codec/agent_config_reader.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "base/complaint_list.hpp"
#include "codec/agent_settings.hpp"
#include "config/agent_config.hpp"
#include "golden.hpp"
#include "mutate.hpp"

namespace petrel::codec {
namespace {

using config::AgentConfig;
using config::EffectiveValue;
using config::LogFormat;
using config::StopPolicy;
using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr std::array<DriverKind, 2> kDrivers{{{"twin"}, {"sai"}}};

constexpr std::string_view kPolicy = "[[policy]]\npreset = \"sonic\"\n";

AgentConfig read_config(std::string_view text, const std::vector<Given>& given = {},
                        std::string_view file = "agent.toml")
{
    const auto config = read_agent_config(text, file, given, kDrivers);
    EXPECT_TRUE(config.has_value()) << (config ? "" : golden::lines(config.error()));
    return config.value_or(AgentConfig{});
}

std::string problems(std::string_view text, const std::vector<Given>& given = {}, std::string_view file = "agent.toml")
{
    const auto config = read_agent_config(text, file, given, kDrivers);
    return config ? "none" : golden::lines(config.error());
}

std::string shown(const AgentConfig& config)
{
    std::string text;
    for (const auto& [key, value, origin] : config.values) {
        text += key + " = " + value + " (" + origin + ")\n";
    }
    return text;
}

EffectiveValue value_of(const AgentConfig& config, std::string_view key)
{
    const auto at =
        std::find_if(config.values.begin(), config.values.end(), [&](const auto& v) { return v.key == key; });
    return at == config.values.end() ? EffectiveValue{} : *at;
}

constexpr std::string_view kWhole = R"(
[agent]
name = "tor-17"
state_dir = "/srv/petrel"
stop = "hold"
stop_timeout_ms = 7000
hang_ms = 300
history_events = 50

[control]
socket = "/tmp/c.sock"
group = "netops"

[metrics]
listen = "[::1]:9500"

[log]
format = "rfc5424"
to = "/dev/log"

[[device]]
name = "sw1"
driver = "twin:x.toml#s0"

[[device]]
driver = "sai:eth"

[limits]
max_mitigated = 8

[[policy]]
preset = "sonic"
name = "tor"
detect_ms = 300

[[policy]]
preset = "sai"
ports = ["Ethernet4", "Ethernet8"]
priorities = [3, 4]

[policy.per_priority.3]
detect_ms = 250

[[port]]
name = "Ethernet0"
role = "host"
)";

TEST(AgentConfig, AWholeFile)
{
    const auto config = read_config(kWhole);
    EXPECT_EQ(config.file, "agent.toml");
    EXPECT_EQ(config.name, "tor-17");
    EXPECT_EQ(config.state_dir, "/srv/petrel");
    EXPECT_EQ(config.stop, StopPolicy::hold);
    EXPECT_EQ(config.stop_timeout, milliseconds{7000});
    EXPECT_EQ(config.hang_after, milliseconds{300});
    EXPECT_EQ(config.history_events, 50U);
    EXPECT_EQ(config.control_socket, "/tmp/c.sock");
    EXPECT_EQ(config.control_group, "netops");
    EXPECT_EQ(config.metrics_listen, "[::1]:9500");
    EXPECT_EQ(config.log_format, LogFormat::rfc5424);
    EXPECT_EQ(config.log_to, "/dev/log");
    ASSERT_EQ(config.devices.size(), 2U);
    EXPECT_EQ(config.devices[0].name, "sw1");
    EXPECT_EQ(config.devices[0].driver, "twin:x.toml#s0");
    EXPECT_EQ(config.devices[0].at, (Place{21, 1}));
    EXPECT_EQ(config.devices[1].name, "");
    EXPECT_EQ(config.policies.file, "agent.toml");
    EXPECT_EQ(config.policies.max_mitigated, 8U);
    ASSERT_EQ(config.policies.policies.size(), 2U);
    EXPECT_EQ(config.policies.policies[0].policy.detect, milliseconds{300});
    EXPECT_EQ(config.policies.ports.size(), 1U);
}

TEST(AgentConfig, TheLogOfASlingshotSwitchAndTheNamesOfItsPorts)
{
    const auto config = read_config(R"([[device]]
name = "x0c0r4b0"
driver = "twin:x.toml"
switch_log = "/dev/log"
[[policy]]
preset = "pause-too-long"
[[port]]
name = "Ethernet0"
number = 19
xname = "x0c0r4j3p1"
)");
    EXPECT_EQ(config.devices[0].switch_log, "/dev/log");
    EXPECT_EQ(value_of(config, "device.1.switch_log").value, "/dev/log");
    ASSERT_EQ(config.policies.ports.size(), 1U);
    EXPECT_EQ(config.policies.ports[0].number, 19U);
    EXPECT_EQ(config.policies.ports[0].xname, "x0c0r4j3p1");
    EXPECT_FALSE(config.policies.ports[0].host_facing);
    EXPECT_EQ(value_of(config, "port.Ethernet0.number").value, "19");
    EXPECT_EQ(value_of(config, "port.Ethernet0.xname").value, "x0c0r4j3p1");
}

TEST(AgentConfig, EveryValueHasItsOrigin)
{
    const std::vector<Given> given{{"log.format", "json", "PETREL_LOG_FORMAT"}, {"agent.hang_ms", "500", "--hang-ms"}};
    test::expect_golden(golden::folder("agent") / "effective.txt", shown(read_config(kWhole, given)));
}

TEST(AgentConfig, WithoutAFileDefaultsApply)
{
    const auto config = read_config("", {}, "");
    EXPECT_EQ(config.state_dir, "/var/lib/petrel");
    EXPECT_EQ(config.stop, StopPolicy::restore);
    EXPECT_EQ(config.log_format, LogFormat::text);
    EXPECT_TRUE(config.devices.empty());
    ASSERT_EQ(config.policies.policies.size(), 1U);
    EXPECT_EQ(config.policies.policies[0].policy.name, "sonic");
    test::expect_golden(golden::folder("agent") / "default.txt", shown(config));
}

// Every default is a valid value of its own setting, also in the file.
TEST(AgentSettings, EveryDefaultCanBeWritten)
{
    std::string text;
    std::string table;
    for (const auto& setting : agent_settings()) {
        const auto dot = setting.key.find('.');
        if (table != setting.key.substr(0, dot)) {
            table = setting.key.substr(0, dot);
            text += "[" + table + "]\n";
        }
        const auto value = setting.is_number ? setting.standard : '"' + setting.standard + '"';
        text += setting.key.substr(dot + 1) + " = " + value + '\n';
    }
    const auto written = read_config(text + std::string{kPolicy});
    const auto by_default = read_config(kPolicy);
    for (const auto& setting : agent_settings()) {
        EXPECT_EQ(value_of(written, setting.key).value, value_of(by_default, setting.key).value) << setting.key;
        EXPECT_EQ(value_of(by_default, setting.key).origin, "default") << setting.key;
        EXPECT_TRUE(value_of(written, setting.key).origin.starts_with("agent.toml:")) << setting.key;
    }
}

TEST(AgentSettings, NamesInAllThreeWorlds)
{
    std::vector<std::string> names;
    for (const auto& setting : agent_settings()) {
        names.push_back(setting.key + ' ' + setting.variable + ' ' + setting.flag);
    }
    EXPECT_THAT(names,
                ElementsAre("agent.name PETREL_NAME --name", "agent.state_dir PETREL_STATE_DIR --state-dir",
                            "agent.stop PETREL_STOP --stop",
                            "agent.stop_timeout_ms PETREL_STOP_TIMEOUT_MS --stop-timeout-ms",
                            "agent.hang_ms PETREL_HANG_MS --hang-ms",
                            "agent.history_events PETREL_HISTORY_EVENTS --history-events", "agent.nos PETREL_NOS --nos",
                            "agent.redis PETREL_REDIS --redis", "control.socket PETREL_CONTROL_SOCKET --control-socket",
                            "control.group PETREL_CONTROL_GROUP --control-group",
                            "metrics.listen PETREL_METRICS_LISTEN --metrics-listen",
                            "manager.url PETREL_MANAGER_URL --manager-url",
                            "manager.token_file PETREL_MANAGER_TOKEN_FILE --manager-token-file",
                            "manager.ca_file PETREL_MANAGER_CA_FILE --manager-ca-file",
                            "manager.certificate_file PETREL_MANAGER_CERTIFICATE_FILE --manager-certificate-file",
                            "log.format PETREL_LOG_FORMAT --log-format", "log.to PETREL_LOG_TO --log-to"));
}

// Flags override the environment, which overrides the file, which overrides the default, for each subset of these.
TEST(AgentConfig, TheStrongestWins)
{
    constexpr std::array<std::string_view, 3> kEvents{"101", "202", "303"};
    for (unsigned who = 0; who < 8; ++who) {
        std::string text{kPolicy};
        std::vector<Given> given;
        std::string wanted = "10000";
        std::string from = "default";
        const auto set_by = [&](unsigned bit, std::string_view origin) {
            wanted = kEvents.at(bit);
            from = origin;
        };
        if ((who & 1U) != 0) {
            text = "[agent]\nhistory_events = 101\n" + text;
            set_by(0, "agent.toml:2:18");
        }
        if ((who & 2U) != 0) {
            given.push_back({"agent.history_events", "202", "PETREL_HISTORY_EVENTS"});
            set_by(1, "PETREL_HISTORY_EVENTS");
        }
        if ((who & 4U) != 0) {
            given.push_back({"agent.history_events", "303", "--history-events"});
            set_by(2, "--history-events");
        }
        const auto config = read_config(text, given);
        const auto value = value_of(config, "agent.history_events");
        EXPECT_EQ(value.value, wanted) << who;
        EXPECT_EQ(value.origin, from) << who;
        EXPECT_EQ(std::to_string(config.history_events), wanted) << who;
    }
}

TEST(AgentConfig, DevicesOfFlagsReplaceThoseOfTheFile)
{
    const auto config = read_config(kWhole, {{"device", "twin:a", "--device"}, {"device", "twin:b", "--device"}});
    ASSERT_EQ(config.devices.size(), 2U);
    EXPECT_EQ(config.devices[0].driver, "twin:a");
    EXPECT_EQ(config.devices[1].driver, "twin:b");
    EXPECT_EQ(value_of(config, "device.2.driver").origin, "--device");
    EXPECT_EQ(value_of(config, "device.1.name").key, "");
}

TEST(AgentConfig, AProfileIsThatOfTheLibrariesGivenByFlags)
{
    const auto config = read_config(kWhole, {{"device", "twin:a", "--device"},
                                             {"device", "sai:libsai.so,version=1.9", "--device"},
                                             {"profile", "sai.profile", "--profile"}});
    EXPECT_EQ(config.devices[0].driver, "twin:a");
    EXPECT_EQ(config.devices[1].driver, "sai:libsai.so,version=1.9,profile=sai.profile");
    EXPECT_EQ(value_of(config, "device.2.driver").value, config.devices[1].driver);

    EXPECT_EQ(problems(kPolicy, {{"device", "sai:a.so,profile=b", "--device"}, {"profile", "c", "--profile"}}),
              "--profile: sai:a.so,profile=b has a profile already: give it once\n");
    const std::string alone =
        "--profile: only together with --device sai:PATH; a [[device]] has its own profile=FILE\n";
    EXPECT_EQ(problems(kPolicy, {{"device", "twin:a", "--device"}, {"profile", "c", "--profile"}}), alone);
    EXPECT_EQ(problems(std::string{kPolicy} + "[[device]]\ndriver = \"sai:a.so\"\n", {{"profile", "c", "--profile"}}),
              alone);
    EXPECT_EQ(problems(kPolicy, {{"device", "sai:a.so", "--device"}, {"profile", "c,d", "--profile"}}),
              "--profile: value 'c,d': allowed the path of a file, without control characters and commas\n");
}

TEST(AgentConfig, TheEnvironmentIsReadByItsNames)
{
    const std::array<const char*, 7> environment{"HOME=/root",
                                                 "PETREL_LOG_FORMAT=json",
                                                 "PETREL_UPDATE_GOLDEN=1",
                                                 "PETREL_LOG_TOO=x",
                                                 "PETREL_METRICS_LISTEN=",
                                                 "NO_PETREL_NAME=x",
                                                 nullptr};
    std::vector<std::string> found;
    for (const auto& [key, value, origin] : given_by_environment(environment.data())) {
        found.push_back(key + '|' + value + '|' + origin);
    }
    EXPECT_THAT(found, ElementsAre("log.format|json|PETREL_LOG_FORMAT", "|x|PETREL_LOG_TOO",
                                   "metrics.listen||PETREL_METRICS_LISTEN"));
}

TEST(AgentConfig, AnAgentThatFollowsSonicNeedsNoPolicies)
{
    EXPECT_EQ(problems("[agent]\nnos = \"sonic\"\n", {}), "none");
    EXPECT_EQ(problems("[agent]\nstop = \"hold\"\n", {{"agent.nos", "sonic", "--nos"}}), "none");
    EXPECT_EQ(problems("[agent]\nstop = \"hold\"\n", {}), "agent.toml: allowed at least one [[policy]]\n");
}

TEST(AgentConfig, NeedsNoPoliciesIfADeviceHasThem)
{
    constexpr std::array<DriverKind, 2> kinds{{{"twin"}, {.name = "tables", .has_policies = true}}};
    const auto is_complete = [&](std::string_view text, const std::vector<Given>& given = {}) {
        return read_agent_config(text, "agent.toml", given, kinds).has_value();
    };
    EXPECT_TRUE(is_complete("[[device]]\ndriver = \"tables:local\"\n"));
    EXPECT_FALSE(is_complete("[[device]]\ndriver = \"twin:local\"\n"));
    EXPECT_TRUE(is_complete("[agent]\nstop = \"hold\"\n", {{"device", "tables:local", "--device"}}));
}

TEST(AgentConfig, ReportsErrorsInFlagsAndEnvironment)
{
    EXPECT_EQ(problems("[log]\nformat = 7\n", {{"log.format", "xml", "PETREL_LOG_FORMAT"},
                                               {"", "x", "PETREL_LOG_FORMT"},
                                               {"agent.hang_ms", "-1", "--hang-ms"},
                                               {"device", "twin", "--device"},
                                               {"device", "twn:x", "--device"},
                                               {"device", "twin:\x1b", "--device"},
                                               {"device", "twin:a", "--device"},
                                               {"device", "twin:a", "--device"}}),
              "agent.toml: allowed at least one [[policy]]\n"
              "agent.toml:2:10: value '7': allowed text, json or rfc5424 (format)\n"
              "PETREL_LOG_FORMAT: value 'xml': allowed text, json or rfc5424\n"
              "PETREL_LOG_FORMT: no such variable; the nearest is 'PETREL_LOG_FORMAT'\n"
              "--hang-ms: value '-1': allowed a whole number 10..600000\n"
              "--device: value 'twin': allowed twin:WHAT\n"
              "--device: value 'twn:x': allowed KIND:WHAT, of a driver KIND: the nearest is 'twin'\n"
              "--device: value 'twin:\\x1b': allowed no control characters\n"
              "--device: value 'twin:a': allowed each device once\n");
}

TEST(AgentConfig, Problems)
{
    for (const auto& path : golden::inputs("agent")) {
        golden::expect_same(path, problems(golden::content(path), {}, path.filename().string()));
    }
}

TEST(AgentSettings, AreDocumented)
{
    const auto page = golden::content(std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "docs/agent-config.md");
    for (const auto& setting : agent_settings()) {
        const auto row = "| `" + setting.key + "` | `" + setting.variable + "` | `" + setting.flag + "` | `" +
                         (setting.standard.empty() ? "\"\"" : setting.standard) + "` | " + setting.allowed + " |\n";
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
}

struct Tried {
    std::string_view key;
    std::vector<std::string> good;
    std::vector<std::string> bad;
};

TEST(AgentSettings, RangesAreChecked)
{
    const std::vector<Tried> tried{
        {"agent.name", {"", "tor-17", std::string(255, 'x')}, {"a b", "\x7f", "\xc3\xbc", std::string(256, 'x')}},
        {"agent.state_dir", {"x", "/a b"}, {"", "a\n"}},
        {"agent.stop", {"hold"}, {"", "Hold", "holdx"}},
        {"agent.stop_timeout_ms", {"100", "600000"}, {"", "99", "600001", "1e3", "0x64", " 100", "100 "}},
        {"agent.hang_ms", {"10"}, {"9", "9999999999999999999999"}},
        {"agent.history_events", {"1", "1000000"}, {"0", "1000001"}},
        {"agent.nos", {"none", "sonic", "own"}, {"", "SONiC"}},
        {"agent.redis",
         {"", "unix:///run/redis.sock", "tcp://10.0.0.1:6379"},
         {"/run/redis.sock", "unix://x", "tcp:/x"}},
        {"control.socket", {std::string(102, 'x')}, {"", std::string(103, 'x')}},
        {"control.group", {"", "netops"}, {"net ops"}},
        {"metrics.listen",
         {"", "0.0.0.0:0", "127.0.0.1:65535", "[::]:9464"},
         {":9464", "9464", "localhost:9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:9464", "[127.0.0.1]:1",
          "[::1]", std::string{"127.0.0.1\0x:1", 13}}},
        {"manager.url",
         {"", "https://manager", "https://manager:7650/", "https://[2001:db8::1]:1", "http://localhost:1",
          "http://127.1.2.3", "http://[::1]:7650"},
         {"manager:7650", "http://manager:7650", "http://10.0.0.1", "https://", "https://a b", "https://manager:0",
          "https://manager:65536", "https://manager:7650/api", "https://[manager]", "https://[::1", "ftp://localhost",
          "https://user@manager", "http://127.0.0.1.example.org", "http://[::ffff:127.0.0.1]"}},
        {"manager.token_file", {"", "/etc/petrel/token"}, {"a\n"}},
        {"manager.ca_file", {"", "/etc/petrel/ca.pem"}, {"a\n"}},
        {"manager.certificate_file", {"", "/var/lib/petrel/manager.pem"}, {"a\n"}},
        {"log.format", {"json"}, {"JSON"}},
        {"log.to", {"stderr", "/dev/log", "./log"}, {"", "stdout", "log", "a/\x1b"}},
    };
    ASSERT_EQ(tried.size(), agent_settings().size());
    for (const auto& [key, good, bad] : tried) {
        for (const auto& value : good) {
            EXPECT_EQ(problems(kPolicy, {{std::string{key}, value, "x"}}), "none") << key;
        }
        for (const auto& value : bad) {
            EXPECT_NE(problems(kPolicy, {{std::string{key}, value, "x"}}), "none") << key << ' ' << value;
        }
    }
}

// A damaged text is either read, or refused with complaints.
TEST(AgentConfig, DamagedFilesAreReadOrRefused)
{
    std::mt19937_64 random{20'250'101};
    int readable = 0;
    constexpr int kTimes = 10'000;
    for (int i = 0; i < kTimes; ++i) {
        const auto config = read_agent_config(mutated(std::string{kWhole}, random), "t", {}, kDrivers);
        readable += config ? 1 : 0;
        ASSERT_TRUE(config || !config.error().empty());
    }
    EXPECT_GT(readable, kTimes / 100);
    EXPECT_LT(readable, kTimes - kTimes / 100);
}

}  // namespace
}  // namespace petrel::codec
