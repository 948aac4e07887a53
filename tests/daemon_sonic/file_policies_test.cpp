// Policies of the agent's file beside those of a NOS: a policy that names ports wins over the tables for these ports,
// on a SONiC switch and with the agent's own tables.
#include <gmock/gmock.h>

#include "daemon_sonic/sonic_detector.hpp"
#include "support/shared_switch.hpp"

namespace petrel::daemon {
namespace {

using test::SharedSwitch;
using test::SimulatedAgent;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string policy_for(const std::string& port)
{
    return "[[policy]]\npreset = \"sai\"\nname = \"mine\"\nports = [\"" + port + "\"]\ndetect_ms = 150\n";
}

class FilePoliciesAgent : public testing::Test {
protected:
    std::string with_device(const std::string& policies)
    {
        return policies + "[[device]]\nname = \"sw\"\ndriver = \"shared:" + (folder.path() / "switch").string() +
               "\"\n";
    }
    void live(const std::string& policies)
    {
        agent = std::make_unique<SimulatedAgent>(time, SimulatedAgent::Options{.folder = folder.path(),
                                                                               .config = with_device(policies),
                                                                               .arguments = {"--nos", "own"}});
        agent->wait_for("agent_ready");
    }
    std::string pfcwd(std::vector<std::string> arguments)
    {
        const auto ended = agent->tool("pfcwd", std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
        return ended.out;
    }
    std::string status() { return agent->control({"status"}).out; }
    std::string explained(const std::string& queue) { return agent->control({"explain", queue}).out; }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sw{folder.path() / "switch", &time};
    std::unique_ptr<SimulatedAgent> agent;
};

TEST_F(FilePoliciesAgent, APolicyThatNamesPortsWinsOverTheTables)
{
    live(policy_for("Ethernet1"));
    EXPECT_THAT(explained("Ethernet1:3"), HasSubstr("policy mine")) << "also while the tables configure nothing";
    pfcwd({"start", "--action", "drop", "all", "100", "--restoration-time", "300"});
    EXPECT_THAT(explained("Ethernet1:3"), AllOf(HasSubstr("policy mine"), HasSubstr("detect 150 ms")));
    EXPECT_THAT(explained("Ethernet2:3"), HasSubstr("policy pfcwd-drop-100-300"));
    EXPECT_THAT(status(), AllOf(HasSubstr("policy pfcwd-drop-100-300 on 4 ports: from pfcwd\n"),
                                ContainsRegex("policy mine on 1 port: from .*\\.toml\n")));
    EXPECT_THAT(agent->control({"status", "--json"}).out,
                HasSubstr(R"({"policy":"pfcwd-drop-100-300","source":"pfcwd","ports":4})"));
    pfcwd({"stop"});
    EXPECT_THAT(explained("Ethernet1:3"), HasSubstr("policy mine"));
    EXPECT_THAT(explained("Ethernet2:3"), HasSubstr("no policy watches it"));
}

TEST_F(FilePoliciesAgent, PfcwdShowsItBelowTheTable)
{
    live(policy_for("Ethernet1"));
    pfcwd({"start", "--action", "drop", "all", "100", "--restoration-time", "300"});
    const auto* row = "Ethernet1      drop               100                 300    disable\n";
    const auto* line = "The agent's file configures Ethernet1: mine (drop, 150 ms, 200 ms)\n";
    const auto shown = pfcwd({"show", "config"});
    EXPECT_THAT(shown, AllOf(HasSubstr(row), testing::EndsWith(line)));
    EXPECT_THAT(pfcwd({"show", "config", "Ethernet2"}), Not(HasSubstr("agent's file")));

    agent->write_config(with_device(policy_for("Ethernet2")));
    EXPECT_EQ(agent->control({"reload"}).exit_code, 0);
    EXPECT_THAT(explained("Ethernet1:3"), HasSubstr("policy pfcwd-drop-100-300"));
    EXPECT_THAT(explained("Ethernet2:3"), HasSubstr("policy mine"));
    EXPECT_THAT(pfcwd({"show", "config"}), testing::EndsWith("configures Ethernet2: mine (drop, 150 ms, 200 ms)\n"));
}

TEST_F(FilePoliciesAgent, APolicyWithoutPortsIsReported)
{
    live("[[policy]]\npreset = \"sai\"\nname = \"mine\"\n");
    EXPECT_THAT(explained("Ethernet1:3"), HasSubstr("no policy watches it"));
    EXPECT_THAT(pfcwd({"show", "config"}), Not(HasSubstr("agent's file")));
    const auto* why = "policy mine of the agent's file is not used: it names no ports, and pfcwd configures the others";
    EXPECT_THAT(agent->log_text(), AllOf(HasSubstr("policy_idle"), HasSubstr(why)));
    EXPECT_THAT(status(), HasSubstr(why));
    EXPECT_THAT(agent->control({"reload"}).err, HasSubstr(why));
    agent->write_config(with_device(policy_for("Ethernet1")));
    EXPECT_EQ(agent->control({"reload"}).exit_code, 0);
    time.run_until([&] { return status().find("is not used") == std::string::npos; });
}

// pfcwd shows a port also if the policy of the file does not watch it.
TEST_F(FilePoliciesAgent, PfcwdShowsPortsThatThePolicyDoesNotWatch)
{
    live("[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet1\", \"Ethernet2\"]\n"
         "[[port]]\nname = \"Ethernet1\"\nrole = \"host\"\n"
         "[[port]]\nname = \"Ethernet2\"\nrole = \"switch\"\n");
    const std::string policy = ": rdma-switch (lossless-off, 200 ms, 200 ms)";
    std::string shown;
    time.run_until([&] {
        shown = pfcwd({"show", "config"});
        return shown.find("not watched") != std::string::npos;
    });
    EXPECT_THAT(shown, testing::EndsWith("The agent's file configures Ethernet1" + policy +
                                         "\nThe agent's file configures Ethernet2" + policy +
                                         "; not watched: not known to face a server\n"));
    EXPECT_THAT(status(), HasSubstr("! policy rdma-switch does not watch Ethernet2"));
}

// rdma-switch on a SONiC switch: its action is lossless-off, for which orchagent treats every lossless queue of the
// port. Other ports keep the policy of PFC_WD.
TEST_F(SonicDetector, RdmaSwitchOfTheFileTreatsTheWholePort)
{
    build();
    const auto agent = live_with("[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n"
                                 "[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet0\"]\n"
                                 "[[port]]\nname = \"Ethernet0\"\nrole = \"host\"\n",
                                 folder.path(), {"--redis", to_text(redis->address())});
    run_until([&] { return !sonic->has_plugins(); });
    EXPECT_THAT(agent->control({"status"}).out, AllOf(HasSubstr("on 2 ports: from SONiC\n"),
                                                      ContainsRegex("policy rdma-switch on 1 port: from .*toml\n")));
    EXPECT_EQ(sonic->get(sonic::Db::state, "PETREL_PFC_WD|policies", "Ethernet0"),
              "rdma-switch (lossless-off, 200 ms, 200 ms)");
    stormed = {"Ethernet0:3", "Ethernet4:3"};
    wait_for_status("Ethernet0:3", "stormed");
    wait_for_status("Ethernet4:3", "stormed");
    wait_for_status("Ethernet0:4", "stormed");
    EXPECT_EQ(sonic->of_queue("Ethernet4:4", "PFC_WD_STATUS"), "operational");
    calm("Ethernet0:3");
    calm("Ethernet4:3");
    wait_for_status("Ethernet0:3", "operational");
    wait_for_status("Ethernet0:4", "operational");
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    EXPECT_EQ(sonic->get(sonic::Db::state, "PETREL_PFC_WD|policies", "Ethernet0"), "");
}

// SONiC knows which ports face servers: by its configuration, or by LLDP.
TEST_F(SonicDetector, RdmaSwitchWatchesThePortsWhoseNeighboursAreServers)
{
    build();
    sonic->set(sonic::Db::config, "DEVICE_NEIGHBOR|Ethernet0", "name", "server-7");
    sonic->set(sonic::Db::config, "DEVICE_NEIGHBOR_METADATA|server-7", "type", "Server");
    sonic->set(sonic::Db::config, "DEVICE_NEIGHBOR|Ethernet4", "name", "leaf-1");
    sonic->set(sonic::Db::config, "DEVICE_NEIGHBOR_METADATA|leaf-1", "type", "LeafRouter");
    const auto agent = live_with("[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n"
                                 "[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet0\", \"Ethernet4\"]\n",
                                 folder.path(), {"--redis", to_text(redis->address())});
    run_until([&] { return !sonic->has_plugins(); });
    EXPECT_THAT(agent->control({"queues"}).out, HasSubstr("server-facing ports of sw: Ethernet0\n"));
    EXPECT_THAT(agent->control({"explain", "Ethernet0:3"}).out, HasSubstr("policy rdma-switch"));
    EXPECT_THAT(agent->control({"explain", "Ethernet4:3"}).out, HasSubstr("policy pfcwd-"));
    EXPECT_THAT(agent->control({"status"}).out,
                HasSubstr("! policy rdma-switch does not watch Ethernet4: it is for ports that face servers, and this "
                          "one is not known to face one"));
    const auto shown = [&](const std::string& port) {
        return sonic->get(sonic::Db::state, "PETREL_PFC_WD|policies", port);
    };
    run_until([&] { return shown("Ethernet4").find("not watched") != std::string::npos; });
    EXPECT_EQ(shown("Ethernet4"),
              "rdma-switch (lossless-off, 200 ms, 200 ms); not watched: not known to face a server");
    EXPECT_EQ(shown("Ethernet0"), "rdma-switch (lossless-off, 200 ms, 200 ms)");
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    wait_for_status("Ethernet0:4", "stormed");
    calm("Ethernet0:3");
    wait_for_status("Ethernet0:4", "operational");
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

TEST_F(SonicDetector, ARoleOfTheFileWinsAndAPolicyThatWatchesNothingIsAnError)
{
    build();
    sonic->set(sonic::Db::appl, "LLDP_ENTRY_TABLE:Ethernet0", "lldp_rem_sys_cap_enabled", "01 00");
    const std::string device = "[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n";
    const std::string policy = "[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet0\"]\n";
    const std::string role = "[[port]]\nname = \"Ethernet0\"\nrole = \"switch\"\n";
    const auto agent = live_with(device + policy + role, folder.path(), {"--redis", to_text(redis->address())});
    EXPECT_THAT(agent->wait_for("policy_idle"), HasSubstr("policy rdma-switch watches no queue: it is for ports that "
                                                          "face servers"));
    EXPECT_THAT(agent->control({"status"}).out,
                HasSubstr("! policy rdma-switch watches no queue: it is for ports that face servers, and none of its "
                          "ports (Ethernet0) is known to face one"));
    EXPECT_THAT(agent->control({"explain", "Ethernet0:3"}).out, HasSubstr("policy pfcwd-")) << "the tables still apply";
    agent->write_config(device + policy);
    EXPECT_EQ(agent->control({"reload"}).exit_code, 0) << "without the role LLDP decides";
    EXPECT_THAT(agent->control({"explain", "Ethernet0:3"}).out, HasSubstr("policy rdma-switch"));
    agent->write_config(device + policy + role);
    const auto refused = agent->control({"reload"});
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_THAT(refused.out + refused.err, HasSubstr("policy rdma-switch watches no queue"));
    EXPECT_THAT(agent->control({"explain", "Ethernet0:3"}).out, HasSubstr("policy rdma-switch"));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    EXPECT_THAT(agent->log_text(), HasSubstr("policy_idle"));
}

TEST_F(SonicDetector, APortOfTheFileWithoutAnEntryInPfcWdIsUnseen)
{
    build({.action = ""});
    sonic->set(sonic::Db::config, "PFC_WD|Ethernet0", "detection_time", "400");
    sonic->set(sonic::Db::config, "PFC_WD|Ethernet0", "restoration_time", "400");
    sonic->watch("Ethernet0");
    const auto agent = live_with("[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n" + policy_for("Ethernet4"),
                                 folder.path(), {"--redis", to_text(redis->address())});
    run_until([&] { return agent->control({"status"}).out.find("Ethernet4:3") != std::string::npos; });
    EXPECT_THAT(
        agent->control({"status"}).out,
        HasSubstr("PFC_WD has no entry for Ethernet4, or its pfcwd_sw_enable lacks the priority: orchagent acts "
                  "on registered queues only. `pfcwd start Ethernet4 ...` adds the entry"));
}

}  // namespace
}  // namespace petrel::daemon
