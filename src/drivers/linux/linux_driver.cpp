#include "drivers/linux/linux_driver.hpp"

#include <fmt/format.h>
#include <net/if.h>

#include <optional>
#include <utility>
#include <vector>

#include "device/linux/linux_device.hpp"
#include "device/linux/vendor_table.hpp"
#include "runtime/linux_kernel.hpp"
#include "runtime/real_time.hpp"

namespace petrel::drivers {

using device::linux_nic::Kernel;
using device::linux_nic::LinuxDevice;

namespace {

constexpr std::string_view kAllInterfaces = "all";

std::string interface_of(const config::DeviceEntry& entry)
{
    const auto colon = entry.driver.find(':');
    return colon == std::string::npos ? "" : entry.driver.substr(colon + 1);
}

}  // namespace

LinuxDriver::LinuxDriver()
    : LinuxDriver(
          [] {
              return runtime::LinuxKernel::open().map([](runtime::LinuxKernel&& kernel) -> std::unique_ptr<Kernel> {
                  return std::make_unique<runtime::LinuxKernel>(std::move(kernel));
              });
          },
          runtime::run_in_real_time)
{}

Result<void> LinuxDriver::check(const config::DeviceEntry& entry) const
{
    const auto interface = interface_of(entry);
    if (interface.empty() || interface.size() >= IFNAMSIZ || interface.find_first_of("/, \t") != std::string::npos) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{}: allowed linux:all, or linux: and the name of "
                                                                    "one network interface",
                                                                    entry.driver)});
    }
    return {};
}

Result<std::vector<config::DeviceEntry>> LinuxDriver::expand(const config::DeviceEntry& entry)
{
    const auto named = [&](const std::string& interface) {
        auto one = entry;
        one.driver = "linux:" + interface;
        one.name = interface;
        return one;
    };
    if (auto sound = check(entry); !sound) {
        return tl::unexpected(sound.error());
    }
    if (const auto interface = interface_of(entry); interface != kAllInterfaces) {
        auto one = named(interface);
        one.name = entry.name.empty() ? interface : entry.name;
        return std::vector{one};
    }
    return open_kernel_().and_then([&](const std::unique_ptr<Kernel>& kernel) {
        return kernel->interfaces().and_then(
            [&](const std::vector<std::string>& interfaces) -> Result<std::vector<config::DeviceEntry>> {
                std::vector<config::DeviceEntry> entries;
                for (const auto& interface : interfaces) {
                    const auto driver = kernel->driver(interface);
                    if (driver && device::linux_nic::find_vendor(*driver) != nullptr) {
                        entries.push_back(named(interface));
                    }
                }
                if (entries.empty()) {
                    return tl::unexpected(
                        Error{ErrorKind::unsupported,
                              fmt::format("linux:all: none of the {} network interfaces has a driver whose counters "
                                          "are known (see petrel host doctor)",
                                          interfaces.size())});
                }
                return entries;
            });
    });
}

Result<std::optional<std::vector<PortNames>>> LinuxDriver::ports(const config::DeviceEntry& entry)
{
    const auto interface = interface_of(entry);
    return open_kernel_().and_then([&](const std::unique_ptr<Kernel>& kernel) {
        return kernel->link(interface).map([&](const device::linux_nic::LinkState&) {
            return std::optional{std::vector{PortNames{interface, {}, {}}}};
        });
    });
}

Result<std::unique_ptr<device::Device>> LinuxDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                          const device::TimeSource& clock, NoteSink report)
{
    if (prepare_thread_) {
        if (const auto missing = prepare_thread_(); !missing.empty()) {
            report(missing);
        }
    }
    return open_kernel_()
        .and_then([&](std::unique_ptr<Kernel> kernel) {
            return LinuxDevice::open(id, interface_of(entry), std::move(kernel), clock, report);
        })
        .map([](std::unique_ptr<LinuxDevice> device) -> std::unique_ptr<device::Device> { return device; });
}

}  // namespace petrel::drivers
