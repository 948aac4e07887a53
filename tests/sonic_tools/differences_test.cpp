// The intended differences from SONiC's own tools: one test for each. The comment `Theirs:` describes the behaviour of
// SONiC's tool. Everything else is the same word for word (transcript_test.cpp). docs/pfcwd.md lists the differences
// for users.
#include <gmock/gmock.h>

#include "sonic/queue_tables.hpp"
#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

using sonic::Db;
using sonic::Hash;
using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kUnknown = "Failed to run command, invalid options:\n";

class Difference : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        bench_.emplace();
    }
    Bench& bench() { return *bench_; }
    Outcome run(const std::string& line) { return bench_->run(line); }
    Hash config(const std::string& key) { return bench_->hash(Db::config, key); }

private:
    std::optional<Bench> bench_;
};

// Theirs: an uncaught exception.
TEST_F(Difference, AnIntervalWithAnEntryWithoutRestorationTimeNamesPortAndField)
{
    for (const auto* line : {"pfcwd interval 300", "pfcwd interval 100"}) {
        const auto outcome = run(line);
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err, "unable to change the polling interval: PFC_WD|Ethernet4 has no restoration_time; pfcwd "
                               "start Ethernet4 200 gives it one, pfcwd stop Ethernet4 removes it\n");
    }
    EXPECT_EQ(config("PFC_WD|GLOBAL").at("POLL_INTERVAL"), "200");
    EXPECT_EQ(run("pfcwd start Ethernet4 200").exit_code, 0);
    EXPECT_EQ(run("pfcwd interval 100").exit_code, 0) << "the advised command works";
    EXPECT_EQ(config("PFC_WD|GLOBAL").at("POLL_INTERVAL"), "100");
}

// Theirs: the same exception, although SONiC advises to enable the history before a start.
TEST_F(Difference, AnEntryThatOnlyWantsAHistoryIsNoObstacleToAnInterval)
{
    bench().set(Db::config, "PFC_WD|Ethernet4", {{"pfc_stat_history", "enable"}});
    EXPECT_EQ(run("pfcwd interval 300"), (Outcome{"", "", 0}));
}

// Theirs: an uncaught exception. The transcript pfcwd_mending.txt shows how a user repairs the entry.
TEST_F(Difference, ATimeThatIsNoNumberIsNamedAndNoObstacle)
{
    bench().set(Db::config, "PFC_WD|Ethernet4", {{"detection_time", "4OO"}, {"restoration_time", "400"}});
    const auto outcome = run("pfcwd interval 300");
    EXPECT_THAT(outcome.err, StartsWith("PFC_WD|Ethernet4 has detection_time '4OO', where 100..5000 ms are allowed"));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(config("PFC_WD|GLOBAL").at("POLL_INTERVAL"), "300");
}

// Theirs: "invalid options: ports, detection-time".
TEST_F(Difference, TheSpellingOfTheTestPlansIsUnderstood)
{
    const Hash wanted{{"action", "drop"}, {"detection_time", "400"}, {"restoration_time", "2000"}};
    auto with_history = wanted;
    with_history["pfc_stat_history"] = "disable";
    const auto outcome = run("pfcwd start --action drop ports all detection-time 400 --restoration-time 2000");
    EXPECT_EQ(outcome, (Outcome{"SKIPPED: PFC is not enabled on port: Ethernet8\n", "", 0}));
    EXPECT_EQ(config("PFC_WD|Ethernet0"), with_history);
    EXPECT_EQ(config("PFC_WD|Ethernet4"), wanted);

    EXPECT_EQ(run("pfcwd start ports Ethernet0 detection-time 500").exit_code, 0);
    EXPECT_EQ(config("PFC_WD|Ethernet0").at("detection_time"), "500");
    EXPECT_EQ(run("pfcwd start Ethernet0 ports 400"), (Outcome{fmt::format("{}ports\n", kUnknown), "", 1}))
        << "other commands do not take these words as ports either";
}

// Theirs: nothing happens, exit code 0.
TEST_F(Difference, StopAllStopsAll)
{
    EXPECT_EQ(run("pfcwd stop all"), (Outcome{"", "", 0}));
    EXPECT_TRUE(config("PFC_WD|Ethernet0").empty());
    EXPECT_TRUE(config("PFC_WD|Ethernet4").empty());
    EXPECT_FALSE(config("PFC_WD|GLOBAL").empty());
}

// Theirs: nothing happens, exit code 0.
TEST_F(Difference, StoppingAnUnknownPortIsAnErrorAndStopsNothing)
{
    EXPECT_EQ(run("pfcwd stop Ethernet0 Ethernet99"), (Outcome{fmt::format("{}Ethernet99\n", kUnknown), "", 1}));
    EXPECT_FALSE(config("PFC_WD|Ethernet0").empty());
}

// Theirs: the entry of a port that no longer exists cannot be removed.
TEST_F(Difference, AnEntryOfARemovedPortCanBeStopped)
{
    const Hash entry{{"detection_time", "200"}, {"restoration_time", "200"}};
    bench().set(Db::config, "PFC_WD|Ethernet64", entry);
    EXPECT_EQ(run("pfcwd stop Ethernet64").exit_code, 0);
    EXPECT_TRUE(config("PFC_WD|Ethernet64").empty());
    bench().set(Db::config, "PFC_WD|Ethernet64", entry);
    EXPECT_EQ(run("pfcwd stop").exit_code, 0);
    EXPECT_TRUE(config("PFC_WD|Ethernet64").empty());
}

// Theirs: accepted, although SONiC's own YANG model forbids it.
TEST_F(Difference, NoTimeIsBelowThePollingInterval)
{
    const auto before = config("PFC_WD|Ethernet0");
    EXPECT_EQ(run("pfcwd start Ethernet0 100"),
              (Outcome{"",
                       "unable to use detection time = 100ms, value is smaller than the polling interval = 200ms\n"
                       "At least that, or pfcwd interval 100 first\n",
                       1}));
    EXPECT_EQ(run("pfcwd start Ethernet0 400 -r 150"),
              (Outcome{"",
                       "unable to use restoration time = 150ms, value is smaller than the polling interval = 200ms\n"
                       "At least that, or pfcwd interval 150 first\n",
                       1}));
    EXPECT_EQ(config("PFC_WD|Ethernet0"), before);
    EXPECT_EQ(run("pfcwd start Ethernet0 200 -r 200").exit_code, 0);
    bench().set(Db::config, "PFC_WD|GLOBAL", {});
    EXPECT_EQ(run("pfcwd start Ethernet0 100 -r 100").exit_code, 0) << "without any it is 100 ms";
}

// Theirs: sets the interval without regard to the times of other ports.
TEST_F(Difference, StartDefaultKeepsTheIntervalBelowTheTimesOfOthers)
{
    bench().set(Db::config, "PFC_WD|Ethernet64", {{"detection_time", "100"}, {"restoration_time", "400"}});
    const auto outcome = run("pfcwd start_default");
    EXPECT_THAT(outcome.err, StartsWith("unable to use polling interval = 200ms"));
    EXPECT_EQ(outcome.exit_code, 1);
}

// Theirs: an empty table, exit code 0.
TEST_F(Difference, ShowingAnUnknownPortIsAnError)
{
    EXPECT_EQ(run("pfcwd show config Ethernet99"), (Outcome{fmt::format("{}Ethernet99\n", kUnknown), "", 1}));
    EXPECT_EQ(run("pfcwd show stats Ethernet0:3 Ethernet9:9 Ethernet9:9"),
              (Outcome{fmt::format("{}Ethernet9:9\n", kUnknown), "", 1}));
    EXPECT_EQ(run("pfcwd show config Ethernet8").exit_code, 0) << "a port that is not watched exists";
}

// Theirs: does not report a queue in a storm whose counters are all zero.
TEST_F(Difference, CheckStormSeesAStormThatHasNoCountersYet)
{
    bench().set(Db::counters, "COUNTERS:oid:0x15000000000003", {});
    EXPECT_EQ(run("pfcwd show stats --check-storm").exit_code, 0);
    bench().set(Db::counters, "COUNTERS:oid:0x15000000000004", {{"PFC_WD_STATUS", "stormed"}});
    EXPECT_EQ(run("pfcwd show stats --check-storm"), (Outcome{"", "", 1}));
}

// Theirs: the same exit codes, and no message about a missing map. fast-reboot aborts on exit code 1.
TEST_F(Difference, CheckStormNeedsNoConfigurationAndNotesAMissingQueueMap)
{
    for (const auto* port : {"PORT|Ethernet0", "PORT|Ethernet4", "PORT|Ethernet8"}) {
        bench().set(Db::config, port, {});
    }
    EXPECT_EQ(run("pfcwd show stats --check-storm"), (Outcome{"", "", 1}));
    bench().set(Db::counters, "COUNTERS:oid:0x15000000000003", {{"PFC_WD_STATUS", "operational"}});
    EXPECT_EQ(run("pfcwd show stats --check-storm"), (Outcome{"", "", 0}));
    bench().set(Db::counters, "COUNTERS_QUEUE_NAME_MAP", {});
    EXPECT_EQ(
        run("pfcwd show stats --check-storm"),
        (Outcome{"", "No queue was checked for a storm: COUNTERS_QUEUE_NAME_MAP in COUNTERS_DB has no queue\n", 0}));
    bench().empty();
    EXPECT_EQ(run("pfcwd show stats --check-storm").exit_code, 0);
    EXPECT_EQ(bench().config_waits, 0) << "CONFIG_DB is not needed for it";
}

// Theirs: accepts queues only.
TEST_F(Difference, APortStandsForItsQueues)
{
    EXPECT_EQ(run("pfcwd show stats Ethernet0 -e").out, run("pfcwd show stats Ethernet0:3 Ethernet0:4 -e").out);
    EXPECT_EQ(run("pfcwd show stats Ethernet0 --check-storm").exit_code, 1);
    EXPECT_EQ(run("pfcwd show stats Ethernet4 --check-storm").exit_code, 0);
    EXPECT_EQ(run("pfcwd show stats Ethernet"), (Outcome{fmt::format("{}Ethernet\n", kUnknown), "", 1}))
        << "half a name is none";
    EXPECT_EQ(run("pfcwd clear Ethernet4"), (Outcome{"", "", 0}));
    EXPECT_EQ(bench().hash(Db::counters, "COUNTERS:oid:0x15000000000013").at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"),
              "0");
}

// Theirs: each port gets the history of the first one.
TEST_F(Difference, APortThatIsStartedAgainKeepsItsOwnHistory)
{
    EXPECT_EQ(run("pfcwd pfc_stat_history enable Ethernet4").exit_code, 0);
    EXPECT_EQ(run("pfcwd start all 400").exit_code, 0);
    EXPECT_EQ(config("PFC_WD|Ethernet0").at("pfc_stat_history"), "disable");
    EXPECT_EQ(config("PFC_WD|Ethernet4").at("pfc_stat_history"), "enable");
}

// Theirs, from release 202511 on: the field is always written. orchagent up to 202505 rejects the whole entry for it,
// so that the port is not watched.
TEST_F(Difference, AnEntryHasAHistoryFieldOnlyIfRequestedOrPresent)
{
    constexpr auto kField = "pfc_stat_history";
    EXPECT_EQ(run("pfcwd start all 400").exit_code, 0);
    EXPECT_TRUE(config("PFC_WD|Ethernet0").contains(kField)) << "the entry had the field";
    EXPECT_FALSE(config("PFC_WD|Ethernet4").contains(kField));
    EXPECT_EQ(run("pfcwd start_default").exit_code, 0);
    EXPECT_EQ(config("PFC_WD|Ethernet0").at(kField), "disable");
    EXPECT_FALSE(config("PFC_WD|Ethernet4").contains(kField));

    EXPECT_EQ(run("pfcwd stop").exit_code, 0);
    EXPECT_EQ(run("pfcwd start_default").exit_code, 0);
    EXPECT_FALSE(config("PFC_WD|Ethernet0").contains(kField)) << "stop and start remove it";
    EXPECT_EQ(run("pfcwd start --pfc-stat-history Ethernet4 400").exit_code, 0);
    EXPECT_EQ(config("PFC_WD|Ethernet4").at(kField), "enable");
}

// Theirs: writes the entry, and the switch retries for ever although there is no queue to watch.
TEST_F(Difference, APortWithAnEmptyListOfLosslessPrioritiesIsSkipped)
{
    bench().set(Db::config, "PORT_QOS_MAP|Ethernet8", {{"pfc_enable", ""}});
    EXPECT_EQ(run("pfcwd start Ethernet8 400 -r 400"),
              (Outcome{"SKIPPED: PFC is not enabled on port: Ethernet8\n", "", 0}));
    EXPECT_TRUE(config("PFC_WD|Ethernet8").empty());
}

// Theirs: changes pfc_enable only, so that the priority is lossless but not watched.
TEST_F(Difference, ALosslessPriorityIsWatched)
{
    EXPECT_EQ(run("pfc config priority on Ethernet0 5"),
              (Outcome{"",
                       "Ethernet0:5 is not watched until orchagent creates it: COUNTERS_QUEUE_NAME_MAP has no such "
                       "queue\n",
                       0}));
    EXPECT_EQ(config("PORT_QOS_MAP|Ethernet0"), (Hash{{"pfc_enable", "3,4,5"}, {"pfcwd_sw_enable", "3,4,5"}}));
    EXPECT_EQ(run("pfc config priority off Ethernet0 3"), (Outcome{"", "", 0}));
    EXPECT_EQ(config("PORT_QOS_MAP|Ethernet0"), (Hash{{"pfc_enable", "4,5"}, {"pfcwd_sw_enable", "4,5"}}));
    EXPECT_EQ(run("pfc config priority on Ethernet0 3"), (Outcome{"", "", 0})) << "the switch has this queue";
}

// Theirs: the same messages, exit code 0.
TEST_F(Difference, ErrorsOfPfcAreErrors)
{
    EXPECT_EQ(run("pfc show priority Ethernet99"), (Outcome{"Cannot find interface Ethernet99\n", "", 1}));
    EXPECT_EQ(run("pfc config priority on Ethernet99 3"), (Outcome{"Cannot find interface Ethernet99\n", "", 1}));
    EXPECT_EQ(run("pfc config asymmetric on Ethernet99"), (Outcome{"Cannot find interface Ethernet99\n", "", 1}));
    EXPECT_EQ(run("pfc config priority on Ethernet0 3"),
              (Outcome{"Priority 3 has already been enabled on Ethernet0\n", "", 1}));
    EXPECT_EQ(run("pfc config priority off Ethernet0 6"), (Outcome{"Priority 6 is not enabled on Ethernet0\n", "", 1}));
}

// Theirs: an empty table, exit code 0.
TEST_F(Difference, AsymmetricPfcOfAnUnknownPortIsAnError)
{
    EXPECT_EQ(run("pfc show asymmetric Ethernet99"), (Outcome{"Cannot find interface Ethernet99\n", "", 1}));
}

// Theirs: writes the change, exit code 0. The change is not in force, and is lost when SONiC fills CONFIG_DB.
TEST_F(Difference, NothingIsChangedBeforeConfigDbIsFilled)
{
    bench().empty();
    bench().set(Db::config, "PORT|Ethernet0", {{"admin_status", "up"}});
    bench().set(Db::config, "PORT_QOS_MAP|Ethernet0", {{"pfc_enable", "3,4"}});
    bench().set(Db::config, "BUFFER_PROFILE|lossless", {{"dynamic_th", "0"}});
    bench().set(Db::config, "DEVICE_METADATA|localhost", {{"default_pfcwd_status", "enable"}});
    bench().set(Db::counters, "COUNTERS_PORT_NAME_MAP", {{"Ethernet0", "oid:0x1"}});
    bench().set(Db::counters, "COUNTERS_QUEUE_NAME_MAP", {{"Ethernet0:3", "oid:0x2"}});
    const Outcome refused{"",
                          "Error: nothing was changed: CONFIG_DB is not filled (CONFIG_DB_INITIALIZED is not set), so "
                          "the change would not be in force\n"
                          "Try again when SONiC has filled it; after a restart of Redis: config reload\n",
                          1};
    for (const auto* line :
         {"pfcwd start all 400", "pfcwd start Ethernet0 400", "pfcwd start Ethernet99 400", "pfcwd start_default",
          "pfcwd stop", "pfcwd stop Ethernet0", "pfcwd interval 100", "pfcwd counter_poll disable",
          "pfcwd big_red_switch enable", "pfcwd pfc_stat_history enable", "pfc config priority on Ethernet0 5",
          "pfc config asymmetric on Ethernet0", "mmuconfig -p lossless -a 1"}) {
        bench().config_waits = 0;
        EXPECT_EQ(run(line), refused) << line;
        EXPECT_EQ(bench().config_waits, 1) << line;
    }
    EXPECT_TRUE(config("PFC_WD|Ethernet0").empty());
    EXPECT_TRUE(config("PFC_WD|GLOBAL").empty());
    EXPECT_TRUE(config("FLEX_COUNTER_TABLE|PFCWD").empty());
    EXPECT_EQ(config("PORT_QOS_MAP|Ethernet0").at("pfc_enable"), "3,4");
    EXPECT_EQ(config("BUFFER_PROFILE|lossless").at("dynamic_th"), "0");
    for (const auto* line : {"pfcwd show config", "pfcwd show stats", "pfc show priority", "mmuconfig -l", "pfcstat",
                             "pfcstat -c", "pfcwd clear"}) {
        EXPECT_EQ(run(line).exit_code, 0) << line << ": show commands work without CONFIG_DB";
    }
    EXPECT_EQ(run("pfcwd show config").err,
              "CONFIG_DB is not filled (CONFIG_DB_INITIALIZED is not set): what it has may be incomplete\n");
    EXPECT_EQ(run("pfcwd show stats").err, "") << "show stats does not read CONFIG_DB";
    bench().may_write = false;
    EXPECT_THAT(run("pfcwd stop").err, StartsWith("Root privileges are required"));
}

// Theirs: wait without a limit and print nothing.
TEST_F(Difference, CommandsWaitUntilConfigDbIsFilled)
{
    for (const auto* line : {"pfcwd start Ethernet0 500", "pfcwd show config", "pfc show priority", "mmuconfig -l",
                             "pfcstat", "pfc config priority off Ethernet0 4"}) {
        bench().fill_config(false);
        bench().config_waits = 0;
        bench().wait_for_config = [&] {
            bench().fill_config(bench().config_waits == 3);
            return true;
        };
        const auto outcome = run(line);
        EXPECT_EQ(outcome.exit_code, 0) << line << outcome.err;
        EXPECT_EQ(outcome.err, "") << line;
        EXPECT_EQ(bench().config_waits, 3) << line;
    }
    EXPECT_EQ(config("PFC_WD|Ethernet0").at("detection_time"), "500");
    EXPECT_EQ(config("PORT_QOS_MAP|Ethernet0").at("pfc_enable"), "3");
}

// Theirs: print the wrong name without a suggestion.
TEST_F(Difference, AMisspeltPortIsReportedWithTheNearestName)
{
    const auto hint = [](const std::string& name, const std::string& near) {
        return Outcome{fmt::format("{}{}\n", kUnknown, name), fmt::format("{}: the nearest is {}\n", name, near), 1};
    };
    EXPECT_EQ(run("pfcwd start ethernet0 400"), hint("ethernet0", "Ethernet0"));
    EXPECT_EQ(run("pfcwd stop Etherent4"), hint("Etherent4", "Ethernet4"));
    EXPECT_EQ(run("pfcwd show config ethernet0"), hint("ethernet0", "Ethernet0"));
    EXPECT_EQ(run("pfcwd show stats ethernet0:3"), hint("ethernet0:3", "Ethernet0:3"));
    EXPECT_EQ(run("pfcwd show config Ethernet40").err, "") << "the wrong number is no slip of the pen";
}

// Theirs: writes without a check of privileges, if Redis accepts the connection.
TEST_F(Difference, PfcNeedsTheSameRightsAsTheOthers)
{
    bench().may_write = false;
    const Outcome refused{"",
                          "Root privileges are required for this operation\n"
                          "Members of the group 'petrel' have them as well\n",
                          1};
    EXPECT_EQ(run("pfc config priority on Ethernet0 5"), refused);
    EXPECT_EQ(run("pfc config asymmetric on Ethernet0"), refused);
    EXPECT_EQ(run("pfcwd clear"), refused);
    bench().writers_exist = false;
    EXPECT_EQ(run("pfcwd clear"), (Outcome{"", "Root privileges are required for this operation\n", 1}));
}

// Theirs: creates the profile.
TEST_F(Difference, AProfileThatIsNotThereIsAnError)
{
    EXPECT_EQ(run("mmuconfig -p nosuch -a 1"),
              (Outcome{"", "Cannot find profile nosuch; mmuconfig -l lists them\n", 1}));
    EXPECT_TRUE(config("BUFFER_PROFILE|nosuch").empty());
}

// Theirs: orchagent programs the profile. An agent that owns the switch does not.
TEST_F(Difference, AProfileOfASwitchThatAnAgentOwnsIsNotChanged)
{
    const auto before = config("BUFFER_PROFILE|pg_lossless_400000_5m_profile");
    bench().set(sonic::Db::state, sonic::kAgentMark, {{"mark", "1"}});
    const auto refused = run("mmuconfig -p pg_lossless_400000_5m_profile -a -8");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("nothing was changed: petrel agent owns this switch"));
    EXPECT_EQ(config("BUFFER_PROFILE|pg_lossless_400000_5m_profile"), before);
}

// Theirs: without a value does nothing, exit code 0; of two thresholds sets only the first.
TEST_F(Difference, AllThatWasGivenOfAProfileIsSet)
{
    const auto none = run("mmuconfig -p pg_lossless_400000_5m_profile");
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_THAT(none.err, HasSubstr("Error: Nothing to set: give -a, -s or -t.\n"));
    EXPECT_EQ(run("mmuconfig -p pg_lossless_400000_5m_profile -a -8 -t on").exit_code, 0);
    const auto profile = config("BUFFER_PROFILE|pg_lossless_400000_5m_profile");
    EXPECT_EQ(profile.at("dynamic_th"), "-8");
    EXPECT_EQ(profile.at("packet_discard_action"), "trim");
}

// Theirs: the help shows a spelling that the tool refuses.
TEST_F(Difference, TheHelpOfStartShowsOnlyWorkingForms)
{
    const auto help = run("pfcwd start --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, Not(HasSubstr("--pfc-stat-history enable")));
    for (std::size_t at = 0; (at = help.out.find("\n  pfcwd start ", at)) != std::string::npos;) {
        const auto line = help.out.substr(at + 3, help.out.find('\n', at + 1) - at - 3);
        EXPECT_EQ(run(line).exit_code, 0) << line;
        at += line.size();
    }
}

// Theirs: there is no such command.
TEST_F(Difference, StatisticsCanBeCleared)
{
    EXPECT_EQ(run("pfcwd clear"), (Outcome{"SKIPPED: storm on queue: Ethernet0:3\n", "", 0}));
    EXPECT_EQ(bench().hash(Db::counters, "COUNTERS:oid:0x15000000000013").at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"),
              "0");
    EXPECT_EQ(bench().hash(Db::counters, "COUNTERS:oid:0x15000000000013").at("PFC_WD_STATUS"), "operational");
    EXPECT_EQ(bench().hash(Db::counters, "COUNTERS:oid:0x15000000000003").at("PFC_WD_QUEUE_STATS_TX_PACKETS"), "100")
        << "the statistics of a storm under way stay";
    EXPECT_TRUE(bench().hash(Db::counters, "COUNTERS:oid:0x15000000000023").empty()) << "the queue was never watched";
    EXPECT_EQ(run("pfcwd clear Ethernet9:9"), (Outcome{fmt::format("{}Ethernet9:9\n", kUnknown), "", 1}));
}

// Theirs: no JSON output.
TEST_F(Difference, EveryOutputIsAvailableAsJson)
{
    EXPECT_EQ(
        run("pfcwd show config --json").out,
        R"({"poll_interval":"200","big_red_switch":"disable","ports":[)"
        R"({"port":"Ethernet0","action":"drop","detection_time":"400","restoration_time":"400","pfc_stat_history":"disable"},)"
        R"({"port":"Ethernet4","action":"drop","detection_time":"200","restoration_time":"infinite","pfc_stat_history":"disable"}]})"
        "\n");
    EXPECT_EQ(
        run("pfcwd show stats Ethernet0:3 --json").out,
        R"({"queues":[{"queue":"Ethernet0:3","status":"stormed","detected":"1","restored":"0","tx_ok":"100","tx_drop":"300",)"
        R"("rx_ok":"100","rx_drop":"300","tx_ok_last":"0","tx_drop_last":"200","rx_ok_last":"0","rx_drop_last":"200"}]})"
        "\n");
    EXPECT_EQ(run("pfc show priority Ethernet0 --json").out,
              R"({"interfaces":[{"interface":"Ethernet0","pfc_enable":"3,4"}]})"
              "\n");
    EXPECT_THAT(run("mmuconfig -l --json").out,
                StartsWith(R"({"buffers":[{"table":"pool","name":"ingress_lossless_pool",)"));
    EXPECT_THAT(
        run("pfcstat --json").out,
        StartsWith(R"({"counters":[{"port":"Ethernet0","priority":"0","rx":"1000","tx":"10","transitions":"N/A",)"));
}

}  // namespace
}  // namespace petrel::sonic_tools
