// The agent's driver for the NICs of this machine: "linux:eth0" is one network interface, "linux:all" every interface
// whose driver is in the vendor table (device/linux/vendor_table.hpp). Each interface is a device of its own, so that a
// driver that blocks delays only its own NIC.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/driver.hpp"
#include "device/linux/kernel.hpp"

namespace petrel::drivers {

class LinuxDriver final : public daemon::Driver {
public:
    using OpenKernel = std::function<Result<std::unique_ptr<device::linux_nic::Kernel>>()>;

    // Prepares the thread that will use a device; returns what is not permitted, or nothing.
    using PrepareThread = std::function<std::string()>;

    LinuxDriver();  // with the kernel of this machine, and real-time priority for the threads of its devices
    explicit LinuxDriver(OpenKernel open_kernel, PrepareThread prepare = {})
        : open_kernel_(std::move(open_kernel)), prepare_thread_(std::move(prepare))
    {}

    std::string_view kind() const override { return "linux"; }
    Result<void> check(const config::DeviceEntry&) const override;
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;

private:
    OpenKernel open_kernel_;
    PrepareThread prepare_thread_;
};

}  // namespace petrel::drivers
