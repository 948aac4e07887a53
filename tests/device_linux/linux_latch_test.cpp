// What ends the latch of a NIC: its repair, or a reboot of the machine. Nothing else does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/agent_config.hpp"
#include "daemon/release.hpp"
#include "device_linux/nic_host.hpp"
#include "drivers/linux/linux_driver.hpp"
#include "runtime/file_memory.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using watchdog::Order;

constexpr std::uint8_t kUsualPfc = 0b0000'1000;

// Afterwards the NIC is latched, and its agent is dead.
void latch(Host& host)
{
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    ASSERT_EQ(host.nic.pfc->enabled, 0);
}

// The boot turns PFC on again.
void reboot(Host& host)
{
    host.disk.boot_id = "another boot";
    host.nic.set(true, false);
    host.nic.pfc->enabled = kUsualPfc;
    host.nic.link = {5, 1, true};
    host.nic.writes.clear();
}

TEST(LinuxLatch, EndsWithARebootOfTheMachine)
{
    Host host;
    latch(host);
    reboot(host);
    auto next = host.process();
    next.run_until(at(10s));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    EXPECT_EQ(host.nic.pfc->enabled, kUsualPfc);
    EXPECT_THAT(next.events(), ElementsAre("storm_restored reboot"));
    EXPECT_EQ(host.disk.journaled().size(), 0U);

    host.nic.set(false, true);
    next.run_until(at(11s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00")) << "a new stall is found";
}

TEST(LinuxLatch, IsAppliedAgainAfterARebootIfThePolicyKeepsIt)
{
    Host host;
    host.policy.latch_across_reboot = true;
    latch(host);
    reboot(host);
    auto next = host.process();
    next.run_until(at(10s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_THAT(next.events(), IsEmpty());
    next.repaired();
    EXPECT_EQ(host.nic.pfc->enabled, kUsualPfc);
}

TEST(LinuxLatch, DoesNotEndIfTheBootIsNotKnown)
{
    Host host;
    host.disk.boot_id.clear();
    latch(host);
    auto next = host.process();
    next.run_until(at(10s));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
}

TEST(LinuxLatch, DoesNotEndWithARelease)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    process.order(Order::Kind::release);
    process.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven", "order_taken operator"));
    process.repaired();
    EXPECT_EQ(host.nic.pfc->enabled, kUsualPfc);
    EXPECT_THAT(process.events(), Contains("storm_released operator"));
}

TEST(LinuxLatch, DoesNotEndWithAReleaseWithoutAnAgent)
{
    const TemporaryFolder folder;
    Host host;
    const auto process = [&] {
        return std::make_unique<Process>(host.nic, runtime::FileMemory::open(folder.path(), "eth0", 100).value(),
                                         host.clock, host.policy);
    };
    host.nic.set(false, true);
    process()->run_until(at(1s));
    ASSERT_EQ(host.nic.pfc->enabled, 0);

    config::AgentConfig config;
    config.state_dir = folder.path();
    config.devices = {{"eth0", "linux:eth0", {}}};
    drivers::LinuxDriver driver{
        [&]() -> Result<std::unique_ptr<nic::Kernel>> { return std::make_unique<FakeKernel>(host.nic); }};
    daemon::Driver* const drivers[]{&driver};
    const auto released = daemon::release_from_journals(config, drivers, "root").value();
    EXPECT_TRUE(released.all);
    EXPECT_THAT(released.report.lines, ElementsAre(HasSubstr("eth0 is latched until it is repaired")));
    EXPECT_EQ(host.nic.pfc->enabled, 0);

    auto next = process();
    next->run_until(at(10s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    host.nic.set(true, false);
    next->repaired();
    EXPECT_EQ(host.nic.pfc->enabled, kUsualPfc);
}

}  // namespace
}  // namespace petrel::test
