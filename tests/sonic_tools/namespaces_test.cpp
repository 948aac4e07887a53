// The tools on a switch with two ASICs: two real Redis servers, found through SONiC's own files. asic0 is a front-end
// ASIC with a front port and an internal port; asic1 is a back-end ASIC. Both have a port of the same name.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>

#include "cli/tool_databases.hpp"
#include "control/request.hpp"
#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

using sonic::Db;
using sonic::Hash;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Namespaces : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        for (int i = 0; i != 2; ++i) {
            asics_.push_back(std::make_unique<OneAsic>());
            std::ofstream{folder_ / fmt::format("redis{}.json", i)} << database_config(asic(i).server.address().path);
        }
        std::ofstream{folder_ / "database_config.json"} << database_config("/no host database");
        std::ofstream{folder_ / "database_global.json"}
            << R"({"INCLUDES": [{"include": "x"}, {"namespace": "asic0", "include": "redis0.json"},
                                {"namespace": "asic1", "include": "redis1.json"}]})";
        fill(0, "FrontEnd", {{"Ethernet0", "Ext"}, {"Ethernet-BP0", "Int"}});
        fill(1, "BackEnd", {{"Ethernet-BP256", "Int"}, {"Ethernet-BP0", "Int"}});
    }

    Outcome run(const std::string& line)
    {
        std::istringstream in{line};
        std::vector<std::string> words{std::istream_iterator<std::string>{in}, {}};
        const auto tool = words.front();
        words.erase(words.begin());
        Surroundings around;
        around.open_store = std::bind_front(&cli::ToolDatabases::open, &databases_);
        around.asics = std::bind_front(&cli::ToolDatabases::asics, &databases_);
        around.agent_keeps_tables = std::bind_front(&cli::ToolDatabases::are_agents, &databases_);
        around.request_answer = [](const Where&, const control::ControlRequest&) {
            return tl::unexpected(Error{ErrorKind::unreachable, "no agent answers"});
        };
        around.may_write = may_write_;
        around.cache = folder_ / "cache";
        return run_tool(tool, tool, words, around);
    }

    Hash config(int asic_number, const std::string& key) { return hash(asic_number, Db::config, key); }
    Hash hash(int asic_number, Db db, const std::string& key)
    {
        return asic(asic_number).store.hashes(db, std::vector{key}).value().front();
    }
    void set(int asic_number, Db db, const std::string& key, const Hash& hash)
    {
        const std::vector<sonic::Change> change{{sonic::Change::Kind::replace, key, hash}};
        ASSERT_TRUE(asic(asic_number).store.apply(db, change));
    }
    // The queue's counters, with one storm in the past.
    void set_status(int asic_number, const std::string& port, const std::string& status)
    {
        set(asic_number, Db::counters, fmt::format("COUNTERS:oid:{}Q3", port),
            {{"PFC_WD_STATUS", status}, {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1"}});
    }
    test::RedisServer& server(int asic_number) { return asic(asic_number).server; }

    bool may_write_{true};

private:
    struct OneAsic {
        test::RedisServer server;
        sonic::RedisStore store{sonic::at_one_address(server.address()), std::chrono::seconds{60}};
    };
    OneAsic& asic(int number) { return *asics_.at(static_cast<std::size_t>(number)); }

    static std::string database_config(const std::string& socket)
    {
        std::string databases;
        for (const auto& [name, number] :
             {std::pair{"APPL_DB", 0}, {"COUNTERS_DB", 2}, {"CONFIG_DB", 4}, {"FLEX_COUNTER_DB", 5}, {"STATE_DB", 6}}) {
            databases += fmt::format(R"({}"{}": {{"id": {}, "instance": "redis"}})", databases.empty() ? "" : ", ",
                                     name, number);
        }
        return fmt::format(R"({{"INSTANCES": {{"redis": {{"unix_socket_path": "{}"}}}}, "DATABASES": {{{}}}}})", socket,
                           databases);
    }

    // Every port is lossless and watched.
    void fill(int number, const std::string& sub_role, const std::vector<std::pair<std::string, std::string>>& ports)
    {
        test::run_command(server(number), static_cast<int>(Db::config), {"SET", sonic::kConfigFilled, "1"});
        set(number, Db::config, "DEVICE_METADATA|localhost",
            {{"sub_role", sub_role}, {"default_pfcwd_status", "enable"}});
        set(number, Db::config, "PFC_WD|GLOBAL", {{"POLL_INTERVAL", fmt::format("{}", 200 + 100 * number)}});
        set(number, Db::config, "BUFFER_POOL|pool", {{"size", fmt::format("{}", 1000 + number)}});
        set(number, Db::config, "BUFFER_PROFILE|lossless", {{"dynamic_th", "0"}});
        Hash port_names;
        Hash queue_names;
        for (const auto& [name, role] : ports) {
            set(number, Db::config, "PORT|" + name, {{"admin_status", "up"}, {"role", role}, {"pfc_asym", "off"}});
            set(number, Db::config, "PORT_QOS_MAP|" + name, {{"pfc_enable", "3"}, {"pfcwd_sw_enable", "3"}});
            set(number, Db::config, "PFC_WD|" + name, {{"detection_time", "400"}, {"restoration_time", "800"}});
            set(number, Db::counters, "COUNTERS:oid:" + name,
                {{"SAI_PORT_STAT_PFC_3_RX_PKTS", fmt::format("{}", 500 + number)}});
            set_status(number, name, "operational");
            port_names[name] = "oid:" + name;
            queue_names[name + ":3"] = fmt::format("oid:{}Q3", name);
        }
        set(number, Db::counters, "COUNTERS_PORT_NAME_MAP", port_names);
        set(number, Db::counters, "COUNTERS_QUEUE_NAME_MAP", queue_names);
    }

    test::TemporaryFolder folder_;
    std::vector<std::unique_ptr<OneAsic>> asics_;
    cli::ToolDatabases databases_{"", folder_ / "database_config.json", folder_ / "database_global.json"};
};

TEST_F(Namespaces, AnUnknownNamespaceIsRefusedWithTheKnownOnes)
{
    for (const std::string line : {"pfcwd show config", "pfcwd show stats", "pfc show priority", "pfcstat",
                                   "pfc config priority on Ethernet0 4", "mmuconfig -l"}) {
        const auto refused = run(line + " -n asic7");
        EXPECT_EQ(refused.exit_code, 2) << line;
        EXPECT_EQ(refused.out, "") << line;
        EXPECT_THAT(refused.err, HasSubstr("'asic7' is not one of 'asic0', 'asic1'.\n")) << line;
    }
    EXPECT_THAT(
        run("pfcwd show stats -n asic7").err,
        EndsWith("\n\nError: Invalid value for '--namespace' / '-n': 'asic7' is not one of 'asic0', 'asic1'.\n"));
    may_write_ = false;
    EXPECT_EQ(run("pfc config priority on Ethernet0 4 -n asic7").exit_code, 2)
        << "the namespace is checked before the rights";
}

TEST_F(Namespaces, ConfigurationShowsFrontPortsByDefault)
{
    const auto front = run("pfcwd show config");
    EXPECT_EQ(front.err, "");
    EXPECT_THAT(front.out, StartsWith("Changed polling interval to 200ms on asic0\n"));
    EXPECT_THAT(front.out, HasSubstr("Ethernet0 "));
    EXPECT_THAT(front.out, Not(HasSubstr("Ethernet-BP"))) << "asic1 is a back-end ASIC";
    const auto all = run("pfcwd show config -d all").out;
    EXPECT_THAT(all, StartsWith("Changed polling interval to 200ms on asic0\n"
                                "Changed polling interval to 300ms on asic1\n"));
    EXPECT_THAT(all, AllOf(HasSubstr("Ethernet0 "), HasSubstr("Ethernet-BP0"), HasSubstr("Ethernet-BP256")));
    const auto one = run("pfcwd show config -d all -n asic1").out;
    EXPECT_THAT(one, StartsWith("Changed polling interval to 300ms on asic1\n"));
    EXPECT_THAT(one, AllOf(HasSubstr("Ethernet-BP256"), Not(HasSubstr("Ethernet0 "))));
    EXPECT_THAT(run("pfcwd show config Ethernet-BP256").out, HasSubstr("Ethernet-BP256"))
        << "a port that is named is shown";
    const auto elsewhere = run("pfcwd show config Ethernet0 -n asic1");
    EXPECT_EQ(elsewhere.out, "Failed to run command, invalid options:\nEthernet0\n");
    EXPECT_EQ(elsewhere.exit_code, 1);
}

TEST_F(Namespaces, JsonIsALineForEachAsic)
{
    EXPECT_THAT(run("pfcwd show config -d all --json").out,
                AllOf(StartsWith(R"({"namespace":"asic0","poll_interval":"200","big_red_switch":"disable","ports":[)"),
                      HasSubstr("}\n{\"namespace\":\"asic1\",\"poll_interval\":\"300\",")));
    EXPECT_THAT(run("pfcwd show stats -d all --json").out, HasSubstr("\n{\"namespace\":\"asic1\",\"queues\":["));
    EXPECT_THAT(run("pfc show priority --json").out, HasSubstr("\n{\"namespace\":\"asic1\",\"interfaces\":["));
    EXPECT_THAT(run("mmuconfig -l --json").out, HasSubstr("\n{\"namespace\":\"asic1\",\"buffers\":["));
    EXPECT_THAT(run("pfcstat -s all --json").out, HasSubstr("\n{\"namespace\":\"asic1\",\"counters\":["));
}

TEST_F(Namespaces, StatisticsAreOfFrontPortsAndStormsOfAllPorts)
{
    EXPECT_THAT(run("pfcwd show stats").out, AllOf(HasSubstr("Ethernet0:3"), Not(HasSubstr("Ethernet-BP"))));
    const auto all = run("pfcwd show stats -d all").out;
    EXPECT_THAT(all, AllOf(HasSubstr("Ethernet0:3"), HasSubstr("Ethernet-BP0:3"), HasSubstr("Ethernet-BP256:3")));
    EXPECT_THAT(run("pfcwd show stats -d all -n asic1").out, Not(HasSubstr("Ethernet0:3")));
    EXPECT_EQ(run("pfcwd show stats --check-storm"), (Outcome{"", "", 0}));
    // SONiC's command checks front ports only and does not report this storm.
    set_status(1, "Ethernet-BP256", "stormed");
    EXPECT_EQ(run("pfcwd show stats --check-storm"), (Outcome{"", "", 1}));
    EXPECT_EQ(run("pfcwd show stats --check-storm -n asic1").exit_code, 1);
    EXPECT_EQ(run("pfcwd show stats --check-storm -n asic0").exit_code, 0);
    EXPECT_EQ(run("pfcwd show stats --check-storm -d frontend").exit_code, 0) << "the operator requests front ports";
    EXPECT_EQ(run("pfcwd show stats --check-storm Ethernet-BP256"), (Outcome{"", "", 1}));
    EXPECT_EQ(run("pfcwd show stats --check-storm Ethernet0"), (Outcome{"", "", 0}));
}

TEST_F(Namespaces, AnAsicWithoutAQueueMapIsNamedWhenStormsAreChecked)
{
    set(1, Db::counters, "COUNTERS_QUEUE_NAME_MAP", {});
    EXPECT_EQ(
        run("pfcwd show stats --check-storm"),
        (Outcome{"", "No queue of asic1 was checked for a storm: COUNTERS_QUEUE_NAME_MAP in COUNTERS_DB has no queue\n",
                 0}));
    set_status(0, "Ethernet0", "stormed");
    EXPECT_EQ(run("pfcwd show stats --check-storm").exit_code, 1);
}

TEST_F(Namespaces, StartAndStopConfigureEachAsic)
{
    EXPECT_EQ(run("pfcwd stop"), (Outcome{"", "", 0}));
    for (const auto& [asic, port] : {std::pair{0, "Ethernet0"}, {0, "Ethernet-BP0"}, {1, "Ethernet-BP256"}}) {
        EXPECT_TRUE(config(asic, fmt::format("PFC_WD|{}", port)).empty()) << port;
    }
    EXPECT_EQ(run("pfcwd start Ethernet-BP256 400").out,
              "restoration time not defined; default to 2 times detection time: 800 ms\n");
    EXPECT_EQ(config(1, "PFC_WD|Ethernet-BP256").at("detection_time"), "400");
    EXPECT_TRUE(config(0, "PFC_WD|Ethernet-BP256").empty()) << "asic0 has no such port";
    EXPECT_EQ(run("pfcwd start all 600 -r 600"), (Outcome{"", "", 0}));
    for (const auto& [asic, port] :
         {std::pair{0, "Ethernet0"}, {0, "Ethernet-BP0"}, {1, "Ethernet-BP0"}, {1, "Ethernet-BP256"}}) {
        EXPECT_EQ(config(asic, fmt::format("PFC_WD|{}", port)).at("detection_time"), "600") << port;
    }
    EXPECT_EQ(run("pfcwd stop Ethernet-BP0"), (Outcome{"", "", 0}));
    EXPECT_TRUE(config(0, "PFC_WD|Ethernet-BP0").empty());
    EXPECT_TRUE(config(1, "PFC_WD|Ethernet-BP0").empty()) << "both ASICs have a port of this name";
    EXPECT_EQ(run("pfcwd start Ethernet99 400").exit_code, 1);
}

TEST_F(Namespaces, StartDefaultCountsThePortsOfEachAsic)
{
    for (int i = 0; i != 40; ++i) {
        set(1, Db::config, fmt::format("PORT|Ethernet-BP{}", 1000 + i), {{"role", "Int"}});
    }
    EXPECT_EQ(run("pfcwd start_default").exit_code, 0);
    EXPECT_EQ(config(0, "PFC_WD|Ethernet-BP0").at("detection_time"), "200");
    EXPECT_EQ(config(0, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "200");
    EXPECT_EQ(config(1, "PFC_WD|Ethernet-BP256").at("detection_time"), "400");
    EXPECT_EQ(config(1, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "400");
}

TEST_F(Namespaces, AnErrorOnOneAsicChangesNone)
{
    const auto interval = run("pfcwd start all 250 -r 500");
    EXPECT_EQ(interval.exit_code, 1);
    EXPECT_THAT(interval.err, HasSubstr("the polling interval = 300ms on asic1\n"));
    EXPECT_EQ(config(0, "PFC_WD|Ethernet0").at("detection_time"), "400") << "asic0 would allow it";
    set(1, Db::config, "PFC_WD|Ethernet-BP256", {{"detection_time", "300"}, {"restoration_time", "300"}});
    const auto refused = run("pfcwd interval 400");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("PFC_WD|Ethernet-BP256 on asic1 has detection_time 300"));
    EXPECT_EQ(config(0, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "200");
    EXPECT_EQ(run("pfcwd interval 100").exit_code, 0);
    EXPECT_EQ(config(0, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "100");
    EXPECT_EQ(config(1, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "100");
}

TEST_F(Namespaces, AnAsicWhosePortsHaveNoNamesYetIsAnErrorOfStart)
{
    set(1, Db::counters, "COUNTERS_PORT_NAME_MAP", {});
    EXPECT_EQ(
        run("pfcwd start all 800 -r 800"),
        (Outcome{"", "Error: nothing was started: COUNTERS_PORT_NAME_MAP in COUNTERS_DB of asic1 has no port\n", 1}));
    EXPECT_EQ(config(0, "PFC_WD|Ethernet0").at("detection_time"), "400");
    for (const auto* port : {"Ethernet-BP0", "Ethernet-BP256"}) {
        set(1, Db::config, fmt::format("PORT|{}", port), {});
    }
    EXPECT_EQ(run("pfcwd start all 800 -r 800"), (Outcome{"", "", 0})) << "an ASIC without ports, as fabric ASICs are";
    EXPECT_EQ(config(0, "PFC_WD|Ethernet0").at("detection_time"), "800");
}

TEST_F(Namespaces, AnAsicWithoutItsDatabaseIsNamed)
{
    server(1).kill();
    for (const auto* line : {"pfcwd show config -d all", "pfcwd show stats --check-storm", "pfcwd interval 100",
                             "pfcwd counter_poll disable"}) {
        const auto failed = run(line);
        EXPECT_EQ(failed.exit_code, 1) << line;
        EXPECT_THAT(failed.err, StartsWith("Error: asic1: ")) << line;
    }
    EXPECT_EQ(config(0, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "200");
    EXPECT_EQ(run("pfcwd show config -n asic0").exit_code, 0) << "the other ASIC can still be shown";
}

// A replica answers reads and refuses writes.
TEST_F(Namespaces, AWriteErrorListsTheChanges)
{
    test::run_command(server(1), 0, {"REPLICAOF", "127.0.0.1", "1"});
    const auto failed = run("pfcwd interval 100");
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.err, AllOf(StartsWith("Error: asic1: "), EndsWith("\nChanged: asic0. Not changed: asic1\n")));
    EXPECT_EQ(config(0, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "100");
    EXPECT_EQ(config(1, "PFC_WD|GLOBAL").at("POLL_INTERVAL"), "300");
}

TEST_F(Namespaces, CommandsWaitForTheConfigurationOfEach)
{
    test::run_command(server(1), static_cast<int>(Db::config), {"SET", sonic::kConfigFilled, "0"});
    const auto refused = run("pfcwd big_red_switch enable");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, StartsWith("Error: nothing was changed: CONFIG_DB of asic1 is not filled"));
    EXPECT_FALSE(config(0, "PFC_WD|GLOBAL").contains("BIG_RED_SWITCH"));
    EXPECT_THAT(run("pfc show priority").err, StartsWith("CONFIG_DB of asic1 is not filled"));
}

TEST_F(Namespaces, ClearZeroesTheStatisticsOfEach)
{
    set_status(1, "Ethernet-BP256", "stormed");
    EXPECT_EQ(run("pfcwd clear"), (Outcome{"SKIPPED: storm on queue: Ethernet-BP256:3\n", "", 0}));
    EXPECT_EQ(hash(0, Db::counters, "COUNTERS:oid:Ethernet0Q3").at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "0");
    EXPECT_EQ(hash(1, Db::counters, "COUNTERS:oid:Ethernet-BP0Q3").at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "0");
    EXPECT_EQ(hash(1, Db::counters, "COUNTERS:oid:Ethernet-BP256Q3").at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "1");
}

TEST_F(Namespaces, PfcShowsAndChangesTheInterfacesOfEach)
{
    EXPECT_EQ(run("pfc show asymmetric").out, "Namespace asic0\n"
                                              "Interface     Asymmetric\n"
                                              "------------  ------------\n"
                                              "Ethernet0     off\n"
                                              "Ethernet-BP0  off\n"
                                              "\n"
                                              "Namespace asic1\n"
                                              "Interface       Asymmetric\n"
                                              "--------------  ------------\n"
                                              "Ethernet-BP0    off\n"
                                              "Ethernet-BP256  off\n"
                                              "\n");
    EXPECT_THAT(run("pfc show asymmetric Ethernet-BP256").out,
                AllOf(StartsWith("Namespace asic1\n"), Not(HasSubstr("asic0"))));
    EXPECT_EQ(run("pfc show priority Ethernet0 -n asic1"),
              (Outcome{"Cannot find interface Ethernet0 for namespace asic1\n", "", 1}));
    EXPECT_EQ(run("pfc config asymmetric on Ethernet9"),
              (Outcome{"Cannot find interface Ethernet9 for namespace asic0, asic1\n", "", 1}));
    EXPECT_EQ(run("pfc config priority on Ethernet-BP0 4 -n asic1"),
              (Outcome{"",
                       "Ethernet-BP0:4 of asic1 is not watched until orchagent creates it: COUNTERS_QUEUE_NAME_MAP has "
                       "no such queue\n",
                       0}));
    EXPECT_EQ(config(1, "PORT_QOS_MAP|Ethernet-BP0").at("pfcwd_sw_enable"), "3,4");
    EXPECT_EQ(config(0, "PORT_QOS_MAP|Ethernet-BP0").at("pfc_enable"), "3");
    EXPECT_EQ(run("pfc config priority on Ethernet-BP0 4"),
              (Outcome{"Priority 4 has already been enabled on Ethernet-BP0 for namespace asic1\n", "", 1}));
    EXPECT_EQ(config(0, "PORT_QOS_MAP|Ethernet-BP0").at("pfc_enable"), "3") << "an error changes nothing";
    EXPECT_EQ(run("pfc config asymmetric on Ethernet-BP256").exit_code, 0);
    EXPECT_EQ(config(1, "PORT|Ethernet-BP256").at("pfc_asym"), "on");
}

TEST_F(Namespaces, MmuconfigChangesEachThatHasTheProfile)
{
    EXPECT_THAT(run("mmuconfig -l").out,
                AllOf(StartsWith("Pool for namespace asic0: pool\n"), HasSubstr("\nPool for namespace asic1: pool\n"),
                      HasSubstr("\nProfile for namespace asic1: lossless\n")));
    EXPECT_THAT(run("mmuconfig -l -n asic1").out, Not(HasSubstr("asic0")));
    EXPECT_EQ(run("mmuconfig -p lossless -a 2 -vv").out,
              "Setting lossless dynamic_th value to 2 for namespace asic0\n"
              "Setting lossless dynamic_th value to 2 for namespace asic1\n");
    EXPECT_EQ(run("mmuconfig -p lossless -a 3 -n asic1").exit_code, 0);
    EXPECT_EQ(config(0, "BUFFER_PROFILE|lossless").at("dynamic_th"), "2");
    EXPECT_EQ(config(1, "BUFFER_PROFILE|lossless").at("dynamic_th"), "3");
    set(1, Db::config, "BUFFER_PROFILE|lossless", {{"static_th", "10"}});
    EXPECT_EQ(run("mmuconfig -p lossless -a 4").err, "lossless on asic1 not using dynamic thresholding\n");
    EXPECT_EQ(config(0, "BUFFER_PROFILE|lossless").at("dynamic_th"), "2") << "an error changes nothing";
    set(1, Db::config, "BUFFER_PROFILE|lossless", {});
    EXPECT_EQ(run("mmuconfig -p lossless -a 4"),
              (Outcome{"", "asic1 is not changed: it has no profile lossless\n", 0}));
    EXPECT_EQ(config(0, "BUFFER_PROFILE|lossless").at("dynamic_th"), "4");
    EXPECT_TRUE(config(1, "BUFFER_PROFILE|lossless").empty());
    EXPECT_EQ(run("mmuconfig -p lossless -a 4 -n asic1").err,
              "Cannot find profile lossless on asic1; mmuconfig -l lists them\n");
}

TEST_F(Namespaces, PfcstatKeepsThePortsOfTwoAsicsApart)
{
    EXPECT_THAT(run("pfcstat").out, AllOf(HasSubstr("Ethernet0 "), Not(HasSubstr("Ethernet-BP"))));
    EXPECT_EQ(run("pfcstat -c -n asic0").out, "Clear saved PFC counters and history\n");
    set(1, Db::counters, "COUNTERS:oid:Ethernet-BP0", {{"SAI_PORT_STAT_PFC_3_RX_PKTS", "511"}});
    const auto one = run("pfcstat -s all -n asic1").out;
    EXPECT_THAT(one, HasSubstr("  Ethernet-BP0     N/A     N/A     N/A      10     N/A")) << one;
    EXPECT_THAT(one, Not(HasSubstr("Ethernet0 ")));
    EXPECT_THAT(run("pfcstat -s all -n asic0").out, HasSubstr("Ethernet-BP0     N/A     N/A     N/A       0     N/A"));
}

TEST_F(Namespaces, AFileThatCannotBeReadIsAnError)
{
    const test::TemporaryFolder folder;
    std::ofstream{folder / "database_global.json"} << "nonsense";
    const cli::ToolDatabases broken{"", folder / "database_global.json", folder / "database_global.json"};
    EXPECT_FALSE(broken.asics({}));
    const cli::ToolDatabases named{"unix:///run/redis.sock", "", folder / "database_global.json"};
    EXPECT_THAT(named.asics({}).value(), testing::IsEmpty()) << "one server is one ASIC";
}

}  // namespace
}  // namespace petrel::sonic_tools
