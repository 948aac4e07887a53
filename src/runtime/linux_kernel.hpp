// Linux NICs through the running kernel: netlink for links and PFC (dcbnl), ethtool's ioctls for counters and pause.
// Interfaces are those of the network namespace in which it was opened.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/linux/kernel.hpp"
#include "device/linux/kernel_message.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

class LinuxKernel : public device::linux_nic::Kernel {
public:
    static Result<LinuxKernel> open();

    Result<std::vector<std::string>> interfaces() override;
    Result<std::string> driver(const std::string& interface) override;
    Result<BitRate> speed(const std::string& interface) override;
    Result<device::linux_nic::LinkState> link(const std::string& interface) override;
    Result<std::span<const device::linux_nic::Counter>> counters(const std::string& interface) override;
    Result<device::linux_nic::Pfc> pfc(const std::string& interface) override;
    Result<void> set_pfc(const std::string& interface, const device::linux_nic::Pfc&) override;
    Result<device::linux_nic::LinkPause> pause(const std::string& interface) override;
    Result<void> set_pause(const std::string& interface, const device::linux_nic::LinkPause&) override;

private:
    LinuxKernel(FileDescriptor netlink, FileDescriptor ioctls)
        : netlink_(std::move(netlink)), ioctls_(std::move(ioctls))
    {}

    // An ioctl of ethtool, whose data begin with the number of the command.
    Result<void> ethtool(const std::string& interface, std::string_view doing, void* data) const;
    template <class T, class Read>
    Result<T> ask(const std::string& interface, const device::linux_nic::Bytes& request, Read read);
    Result<void> read_counters_once(const std::string& interface);

    FileDescriptor netlink_;
    FileDescriptor ioctls_;
    std::uint32_t sequence_{};
    device::linux_nic::Bytes datagram_;  // an answer
    // The last counters, and their names as the kernel wrote them.
    device::linux_nic::Bytes names_;
    std::vector<device::linux_nic::Counter> counters_;
};

}  // namespace petrel::runtime
