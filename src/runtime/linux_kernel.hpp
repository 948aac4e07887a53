// Linux NICs through the running kernel: netlink for links and PFC (dcbnl), ethtool's ioctls for counters, pause and
// stall prevention, its netlink family for the reasons of links, sysfs for RDMA. Interfaces are those of the network
// namespace in which it was opened.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
    Result<device::linux_nic::PfcCounts> pfc_counts(const std::string& interface) override;
    Result<void> set_pfc(const std::string& interface, const device::linux_nic::Pfc&) override;
    Result<device::linux_nic::LinkPause> pause(const std::string& interface) override;
    Result<void> set_pause(const std::string& interface, const device::linux_nic::LinkPause&) override;
    Result<void> set_enabled(const std::string& interface, bool) override;
    Result<std::optional<device::linux_nic::LinkReason>> link_reason(const std::string& interface) override;
    Result<device::linux_nic::Prevention> prevention(const std::string& interface) override;
    Result<void> set_prevention(const std::string& interface, device::linux_nic::Prevention) override;
    Result<device::linux_nic::StandardCounts> standard_counts(const std::string& interface) override;
    Result<device::linux_nic::Dcbx> dcbx(const std::string& interface) override;
    Result<std::optional<bool>> private_flag(const std::string& interface, std::string_view flag) override;
    Result<std::chrono::microseconds> statistics_interval(const std::string& interface) override;
    device::linux_nic::PortSharing port_sharing(const std::string& interface) override;
    std::vector<device::linux_nic::Counter> rdma_counters(const std::string& interface) override;
    int follow_changes() override;
    device::linux_nic::Changes take_changes(const std::string& interface) override;

private:
    LinuxKernel(FileDescriptor netlink, FileDescriptor ethtool, FileDescriptor ioctls)
        : netlink_(std::move(netlink)), ethtool_(std::move(ethtool)), ioctls_(std::move(ioctls))
    {}

    // An ioctl of ethtool, whose data begin with the number of the command.
    Result<void> ethtool(const std::string& interface, std::string_view doing, void* data) const;
    template <class T, class Read>
    Result<T> ask(const FileDescriptor&, const std::string& interface, const device::linux_nic::Bytes& request,
                  Read read);
    Result<void> read_counters_once(const std::string& interface);
    Result<device::linux_nic::EthtoolFamily> family();
    bool join_groups();

    FileDescriptor netlink_;
    FileDescriptor ethtool_;  // its family of generic netlink
    FileDescriptor ioctls_;
    std::optional<device::linux_nic::EthtoolFamily> family_;
    // Notifications: of links and PFC, of ethtool, and what is readable when one of them is.
    FileDescriptor changes_;
    FileDescriptor ethtool_changes_;
    FileDescriptor any_change_;
    bool follows_{};
    std::uint32_t sequence_{};
    device::linux_nic::Bytes datagram_;  // an answer
    // The last counters, and their names as the kernel wrote them.
    device::linux_nic::Bytes names_;
    std::vector<device::linux_nic::Counter> counters_;
};

// `sys` is /sys, or a copy of it.
device::linux_nic::PortSharing read_port_sharing(const std::filesystem::path& sys, const std::string& interface);
// The hw_counters of the RDMA devices whose port belongs to the interface, to its bond or to another member of that: a
// bond of mlx5 has one RDMA device for all its ports.
std::vector<device::linux_nic::Counter> read_rdma_counters(const std::filesystem::path& sys,
                                                           const std::string& interface);

}  // namespace petrel::runtime
