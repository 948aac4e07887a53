// The kernel of this machine: loopback and veth have neither PFC nor pause, and the kernel must say so.
#include "runtime/linux_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "support/temporary_folder.hpp"

namespace petrel::runtime {
namespace {

using testing::Contains;
using testing::HasSubstr;

class LinuxKernelTest : public testing::Test {
protected:
    Result<LinuxKernel> kernel_{LinuxKernel::open()};
};

TEST_F(LinuxKernelTest, FindsTheLoopback)
{
    ASSERT_TRUE(kernel_);
    EXPECT_THAT(*kernel_->interfaces(), Contains("lo"));
    const auto link = kernel_->link("lo");
    ASSERT_TRUE(link) << link.error().what;
    EXPECT_EQ(link->index, 1U);
}

TEST_F(LinuxKernelTest, ReportsWhatADriverDoesNotHave)
{
    ASSERT_TRUE(kernel_);
    EXPECT_EQ(kernel_->pfc("lo").error().kind, ErrorKind::unsupported);
    EXPECT_EQ(kernel_->pause("lo").error().kind, ErrorKind::unsupported);
    EXPECT_EQ(kernel_->counters("lo").value_or(std::span<const device::linux_nic::Counter>{}).size(), 0U);
}

TEST_F(LinuxKernelTest, ReadsWhatEthtoolsNetlinkFamilyKnows)
{
    ASSERT_TRUE(kernel_);
    const auto reason = kernel_->link_reason("lo");
    ASSERT_TRUE(reason) << reason.error().what;
    EXPECT_EQ(*reason, std::nullopt);
    EXPECT_EQ(kernel_->prevention("lo").error().kind, ErrorKind::unsupported);
    EXPECT_EQ(kernel_->dcbx("lo").error().kind, ErrorKind::unsupported);
    EXPECT_EQ(kernel_->pfc_counts("lo").error().kind, ErrorKind::unsupported);
    EXPECT_EQ(kernel_->statistics_interval("lo").error().kind, ErrorKind::unsupported);
    EXPECT_EQ(kernel_->port_sharing("lo"), device::linux_nic::PortSharing{});
    EXPECT_EQ(kernel_->private_flag("lo", "fw-lldp-agent").value_or(std::nullopt), std::nullopt);
}

TEST_F(LinuxKernelTest, FollowsChangesWithoutPrivileges)
{
    ASSERT_TRUE(kernel_);
    EXPECT_GE(kernel_->follow_changes(), 0);
    EXPECT_EQ(kernel_->take_changes("lo"), device::linux_nic::Changes{});
}

// sysfs has a file for each counter, and the interface of a port as a file of its first GID.
TEST(RdmaCounters, AreThoseOfTheDevicesBehindTheInterface)
{
    const test::TemporaryFolder sys;
    const auto put = [&](const std::string& path, const std::string& text) {
        const auto file = sys.path() / "class/infiniband" / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream{file} << text << '\n';
    };
    put("mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0");
    put("mlx5_0/ports/1/hw_counters/rx_write_requests", "7");
    put("mlx5_0/ports/1/hw_counters/lifespan", "10");
    put("mlx5_0/ports/1/hw_counters/odd", "none");
    put("mlx5_1/ports/1/gid_attrs/ndevs/0", "eth1");
    put("mlx5_1/ports/1/hw_counters/rx_write_requests", "9");
    put("mlx5_2/ports/1/gid_attrs/ndevs/0", "eth0");
    put("mlx5_2/ports/1/hw_counters/rx_write_requests", "100");
    std::map<std::string, std::uint64_t> counters;
    for (const auto& [name, value] : read_rdma_counters(sys.path(), "eth0")) {
        counters[name] = value;
    }
    EXPECT_EQ(counters, (std::map<std::string, std::uint64_t>{{"lifespan", 10}, {"rx_write_requests", 107}}));
    EXPECT_TRUE(read_rdma_counters(sys.path(), "eth7").empty());
    EXPECT_TRUE(read_rdma_counters(sys.path() / "none", "eth0").empty());
}

class Sysfs : public testing::Test {
protected:
    void put(const std::string& path, const std::string& text) const
    {
        const auto file = sys_.path() / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream{file} << text << '\n';
    }
    void make_bond() const
    {
        put("class/net/bond0/bonding/slaves", "eth0 eth1");
        for (const auto* member : {"eth0", "eth1"}) {
            std::filesystem::create_directories(sys_.path() / "class/net" / member);
            std::filesystem::create_symlink("../bond0", sys_.path() / "class/net" / member / "master");
        }
    }

    const test::TemporaryFolder sys_;
};

TEST_F(Sysfs, APortIsSharedWithVirtualFunctionsAndSubfunctions)
{
    const auto shared = [&](const std::string& interface) {
        return read_port_sharing(sys_.path(), interface).functions;
    };
    EXPECT_FALSE(shared("eth0"));
    put("class/net/eth0/device/sriov_numvfs", "0");
    put("class/net/eth0/device/mlx5_core.eth.0/uevent", "");
    EXPECT_FALSE(shared("eth0"));
    put("class/net/eth0/device/sriov_numvfs", "2");
    EXPECT_TRUE(shared("eth0"));
    put("class/net/eth1/device/mlx5_core.sf.4/uevent", "");
    EXPECT_TRUE(shared("eth1"));
    put("class/net/eth2/device/physfn/uevent", "");
    EXPECT_TRUE(shared("eth2")) << "it is a virtual function";
}

TEST_F(Sysfs, AMemberOfABondHasTheOthersAndTheirRdma)
{
    put("class/infiniband/mlx5_bond_0/ports/1/hw_counters/rx_write_requests", "9");
    for (const auto* device : {"bond0", "eth0", "eth1"}) {
        put("class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", device);
        EXPECT_EQ(read_rdma_counters(sys_.path(), "eth1").size(), device == std::string{"eth1"} ? 1U : 0U);
    }
    EXPECT_EQ(read_port_sharing(sys_.path(), "eth1"), device::linux_nic::PortSharing{});
    make_bond();
    EXPECT_EQ(read_port_sharing(sys_.path(), "eth1"), (device::linux_nic::PortSharing{false, {"eth0"}}));
    for (const auto* device : {"bond0", "eth0", "eth1"}) {
        put("class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", device);
        EXPECT_EQ(read_rdma_counters(sys_.path(), "eth1").size(), 1U) << device;
        EXPECT_EQ(read_rdma_counters(sys_.path(), "eth2").size(), 0U) << device;
    }
}

TEST_F(LinuxKernelTest, ReportsAnInterfaceThatDoesNotExist)
{
    ASSERT_TRUE(kernel_);
    EXPECT_EQ(kernel_->link("petrel-none").error().kind, ErrorKind::unreachable);
    EXPECT_EQ(kernel_->pfc("petrel-none").error().kind, ErrorKind::unreachable);
    EXPECT_THAT(kernel_->driver("petrel-none").error().what, HasSubstr("interface 'petrel-none'"));
    EXPECT_EQ(kernel_->link("a-name-that-is-too-long").error().kind, ErrorKind::invalid);
    EXPECT_EQ(kernel_->driver("").error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace petrel::runtime
