// `petrel host`: what its doctor says about NICs, and the defaults of its agent.
#include "cli/agent/host_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/agent/agent_command.hpp"
#include "cli/commands.hpp"
#include "device_linux/fake_kernel.hpp"
#include "drivers/linux/linux_driver.hpp"

namespace petrel::cli {
namespace {

using testing::HasSubstr;

class HostDoctor : public testing::Test {
protected:
    std::string text(bool may_set = true)
    {
        petrel::test::FakeKernel kernel{nic_};
        return doctor_text(kernel, "eth0", may_set);
    }

    device::ManualClock clock_;
    petrel::test::FakeNic nic_{clock_};
};

TEST_F(HostDoctor, DescribesANicThatIsWatched)
{
    EXPECT_EQ(text(), "eth0: driver mlx5_core, link up\n"
                      "  watched   yes; a storm is detected after 100 ms\n"
                      "  PFC       on for 3\n"
                      "  pause     sent: off, honoured: off\n"
                      "  treatment PFC and pause off, unless the driver refuses\n");
}

TEST_F(HostDoctor, ShowsTheEffectiveDetectionTime)
{
    nic_.driver = "bnxt_en";
    EXPECT_THAT(text(), HasSubstr("a storm is detected after 2000 ms"));
}

TEST_F(HostDoctor, SaysWhyANicIsNotWatched)
{
    nic_.driver = "veth";
    EXPECT_THAT(text(), HasSubstr("watched   no: the counters of driver 'veth' are unknown"));
    nic_.driver = "bnxt_en";
    nic_.received = 0;
    nic_.receives = false;
    EXPECT_THAT(text(), HasSubstr("watched   no: this NIC of driver 'bnxt_en' does not show whether it receives"));
}

TEST_F(HostDoctor, SaysWhyANicCannotBeTreated)
{
    EXPECT_THAT(text(false), HasSubstr("treatment none: CAP_NET_ADMIN is missing"));
    nic_.pfc = std::nullopt;
    EXPECT_THAT(text(), HasSubstr("treatment pause off"));
    nic_.pause = std::nullopt;
    EXPECT_THAT(text(), HasSubstr("treatment none: the driver can turn neither PFC nor pause off"));
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
