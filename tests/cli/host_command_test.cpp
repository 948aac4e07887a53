// `petrel host`: what its doctor says about NICs, and the defaults of its agent.
#include "cli/agent/host_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "cli/agent/agent_command.hpp"
#include "cli/agent/host_doctor.hpp"
#include "cli/commands.hpp"
#include "device_linux/fake_kernel.hpp"
#include "drivers/linux/linux_driver.hpp"

namespace petrel::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class HostDoctor : public testing::Test {
protected:
    std::string text(const HostFacts& host = {.may_set = true})
    {
        petrel::test::FakeKernel kernel{nic_};
        return doctor_text(kernel, "eth0", host);
    }

    device::ManualClock clock_;
    petrel::test::FakeNic nic_{clock_};
};

TEST_F(HostDoctor, DescribesANicThatIsWatched)
{
    EXPECT_EQ(text(),
              "eth0: driver mlx5_core, link up\n"
              "  watched    yes; a storm is detected after 100 ms; the NIC itself has found 0 so far\n"
              "  PFC        on for 3\n"
              "  pause      sent: off, honoured: off\n"
              "  treatment  PFC of what is stuck, and pause off; if the driver refuses, the interface goes down if "
              "the policy has port_down_if_refused = true\n"
              "  privilege  the treatment needs CAP_NET_ADMIN, which this process has; reading needs none\n"
              "  prevention the driver has no pfc-prevention-tout: if this machine crashes, only its switch can "
              "stop its pause\n");
}

TEST_F(HostDoctor, NamesWhoDecidesAboutPfcAndTheCommandThatChangesIt)
{
    nic_.dcbx = petrel::test::nic::Dcbx{true, false, true};
    EXPECT_THAT(text(), HasSubstr("DCBX       a program of this host decides (IEEE)\n  prevention"));
    nic_.dcbx->by_firmware = true;
    EXPECT_THAT(text(), HasSubstr("DCBX       the firmware decides"));
    EXPECT_THAT(text(), HasSubstr("run: dcb dcbx set dev eth0 host ieee"));
    nic_.dcbx = petrel::test::nic::Dcbx{true, false, false};
    EXPECT_THAT(text(), HasSubstr("the CEE version is in force"));
}

TEST_F(HostDoctor, NamesTheLldpAgentsThatMayUndoATreatment)
{
    EXPECT_THAT(text(), Not(HasSubstr("LLDP")));
    EXPECT_THAT(text({.may_set = true, .lldpad = true}), HasSubstr("run: lldptool -T -i eth0 -V PFC willing=no"));
    for (const auto& [driver, flag, runs_if, command] :
         {std::tuple{"ice", "fw-lldp-agent", true, "run: ethtool --set-priv-flags eth0 fw-lldp-agent off"},
          std::tuple{"i40e", "disable-fw-lldp", false, "run: ethtool --set-priv-flags eth0 disable-fw-lldp on"}}) {
        nic_.driver = driver;
        nic_.private_flags = {{flag, runs_if}};
        EXPECT_THAT(text(), HasSubstr(command));
        nic_.private_flags = {{flag, !runs_if}};
        EXPECT_THAT(text(), Not(HasSubstr("LLDP")));
    }
}

TEST_F(HostDoctor, ShowsTheStallPreventionOfTheNic)
{
    nic_.prevention = petrel::test::nic::Prevention{8000};
    EXPECT_THAT(text(), HasSubstr("after 8000 ms of a stall; the agent shortens it\n"));
    EXPECT_THAT(text(), HasSubstr("run: ethtool --set-tunable eth0 pfc-prevention-tout 65535"));
    nic_.prevention = petrel::test::nic::Prevention{100};
    EXPECT_THAT(text(), HasSubstr("after 100 ms of a stall\n"));
    EXPECT_THAT(text(), Not(HasSubstr("run:")));
    nic_.prevention = petrel::test::nic::Prevention{0};
    EXPECT_THAT(text(), HasSubstr("prevention is off; the agent arms it"));
    nic_.driver = "veth";
    EXPECT_THAT(text(), HasSubstr("prevention is off\n")) << "no agent watches it";
    nic_.prevention = petrel::test::nic::Prevention{65535};
    EXPECT_THAT(text(), HasSubstr("after its shortest time of a stall\n"));
}

// 8 x 4.096 us x 2^13 = 268 ms; 2^12 is too short.
TEST_F(HostDoctor, ComparesTheTimeoutsOfRdmaWithDetection)
{
    nic_.rdma = {{"rx_write_requests", 7}};
    EXPECT_THAT(text(), HasSubstr("RDMA       the agent also reads rx_write_requests 7\n"));
    EXPECT_THAT(text(),
                HasSubstr("must survive 200 ms without an answer: with retry_cnt 7, a timeout of 13 or more (268 ms)"));
    nic_.driver = "bnxt_en";
    EXPECT_THAT(text(), HasSubstr("NCCL_IB_TIMEOUT=16"));
    EXPECT_THAT(text(), HasSubstr("RDMA       its RDMA device reports none of rx_pkts: "));
}

TEST_F(HostDoctor, ShowsTheStandardCountersOfAnyDriver)
{
    EXPECT_THAT(text(), Not(HasSubstr("counted")));
    nic_.driver = "fbnic";
    nic_.standard = {.pause_sent = 5, .pause_received = 0, .storms = 219, .control_sent = 7, .control_received = {}};
    EXPECT_THAT(text(),
                HasSubstr("counted    7 MAC control frames sent (pause and PFC), 5 of link pause sent, 0 received, "
                          "219 storms found by the NIC itself\n"));
    nic_.standard = {};
    nic_.pfc_counts = petrel::test::nic::PfcCounts{};
    nic_.pfc_counts->sent[3] = 7;
    nic_.pfc_counts->sent[4] = 1;
    EXPECT_THAT(text(), HasSubstr("counted    PFC sent 7 of priority 3 and 1 of priority 4, received 0\n"));
}

TEST_F(HostDoctor, SaysWhyALinkIsDown)
{
    nic_.link.up = false;
    EXPECT_THAT(text(), HasSubstr("the driver does not say why the link is down"));
    nic_.link_reason = petrel::test::nic::LinkReason{4, 0};
    EXPECT_THAT(text(), HasSubstr("link       ethtool ext 4.0: "));
    nic_.link.enabled = false;
    EXPECT_THAT(text(), HasSubstr("run: ip link set eth0 up"));
}

TEST_F(HostDoctor, ShowsTheEffectiveDetectionTime)
{
    nic_.driver = "bnxt_en";
    EXPECT_THAT(text(), HasSubstr("a storm is detected after 2000 ms"));
}

TEST_F(HostDoctor, ShowsHowOftenTheDriverRenewsItsCounters)
{
    EXPECT_THAT(text(), Not(HasSubstr("renew")));
    nic_.driver = "bnxt_en";
    nic_.statistics_interval = std::chrono::seconds{1};
    EXPECT_THAT(text(), HasSubstr("renewed    the driver renews the counters every 1000 ms\n"
                                  "             run: ethtool -C eth0 stats-block-usecs 250000\n"));
    nic_.statistics_interval = std::chrono::milliseconds{250};
    EXPECT_THAT(text(), HasSubstr("a storm is detected after 500 ms"));
    EXPECT_THAT(text(), Not(HasSubstr("renew")));
    nic_.statistics_interval = std::chrono::seconds{0};
    EXPECT_THAT(text(), HasSubstr("watched    no: driver 'bnxt_en' never renews the counters"));
    EXPECT_THAT(text(), HasSubstr("stats-block-usecs 250000"));
}

// As the loopback: a screen of advice about it would hide the NICs.
TEST_F(HostDoctor, IsBriefAboutAnInterfaceThatIsNoNic)
{
    nic_.driver = "";
    nic_.pfc = std::nullopt;
    nic_.pause = std::nullopt;
    EXPECT_EQ(text(), "eth0: no driver, link up\n"
                      "  watched    no: it has no driver that reports counters: it is monitored only\n"
                      "  treatment  none: it has neither PFC nor pause to turn off\n");
}

TEST_F(HostDoctor, SaysWhyANicIsNotWatched)
{
    nic_.sharing.functions = true;
    EXPECT_THAT(text(), HasSubstr("watched    no: virtual functions or subfunctions share the port"));
    nic_.sharing.functions = false;
    nic_.driver = "veth";
    EXPECT_THAT(text(), HasSubstr("watched    no: the counters of driver 'veth' are unknown"));
    nic_.driver = "bnxt_en";
    nic_.received = 0;
    nic_.receives = false;
    EXPECT_THAT(text(), HasSubstr("watched    no: this NIC of driver 'bnxt_en' does not show whether it receives"));
}

TEST_F(HostDoctor, SaysWhyANicCannotBeTreated)
{
    EXPECT_THAT(text({}),
                HasSubstr("privilege  the treatment needs CAP_NET_ADMIN, which this process lacks: start the agent as "
                          "root"));
    nic_.pfc = std::nullopt;
    EXPECT_THAT(text(), HasSubstr("treatment  pause off"));
    nic_.pause = std::nullopt;
    EXPECT_THAT(text(), HasSubstr("PFC        the driver does not have it\n"));
    EXPECT_THAT(text(), HasSubstr("treatment  the driver can turn neither PFC nor pause off"));
}

TEST_F(HostDoctor, ReportsAnInterfaceThatIsGone)
{
    nic_.interface = "eth1";
    EXPECT_THAT(text(), HasSubstr("eth0\n  cannot be read: "));
}

TEST(HostAgent, WatchesAllNicsWithTheirPolicyByDefault)
{
    drivers::LinuxDriver driver;
    AgentOptions options;
    options.defaults = kHostDefaults;
    options.parts = &petrel_program().parts;
    const auto config = read_config(options, {&driver});
    ASSERT_TRUE(config);
    ASSERT_EQ(config->devices.size(), 1U);
    EXPECT_EQ(config->devices[0].driver, "linux:all");
    ASSERT_EQ(config->policies.policies.size(), 1U);
    EXPECT_EQ(config->policies.policies[0].policy.name, "rdma-nic");
}

}  // namespace
}  // namespace petrel::cli
