#include "drivers/slingshot_driver.hpp"

#include <utility>

#include "device/slingshot/exec/helper_registers.hpp"
#include "device/slingshot/slingshot_device.hpp"
#include "drivers/exec_driver.hpp"

namespace petrel::drivers {

using device::slingshot::HelperRegisters;
using device::slingshot::SlingshotDevice;

Result<void> SlingshotDriver::check(const config::DeviceEntry& entry) const
{
    return exec_words(entry.driver).map([](const std::vector<std::string>&) {});
}

Result<std::vector<config::DeviceEntry>> SlingshotDriver::expand(const config::DeviceEntry& entry)
{
    return named_after_program(entry);
}

Result<std::optional<std::vector<PortNames>>> SlingshotDriver::ports(const config::DeviceEntry& entry)
{
    return find_helper(entry.driver);
}

Result<std::unique_ptr<device::Device>> SlingshotDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                              const device::TimeSource& clock, NoteSink report)
{
    return exec_words(entry.driver)
        .and_then([&](const std::vector<std::string>& words) {
            return HelperRegisters::open(start_program(words), clock, std::move(report));
        })
        .map([&](std::unique_ptr<HelperRegisters> registers) -> std::unique_ptr<device::Device> {
            return std::make_unique<SlingshotDevice>(id, std::move(registers), clock);
        });
}

}  // namespace petrel::drivers
