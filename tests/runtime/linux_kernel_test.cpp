// The kernel of this machine: loopback and veth have neither PFC nor pause, and the kernel must say so.
#include "runtime/linux_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
