#include "drivers/drivers.hpp"

#include "drivers/exec_driver.hpp"
#include "drivers/linux/linux_driver.hpp"
#include "drivers/sai_driver.hpp"
#include "drivers/slingshot_driver.hpp"
#include "drivers/sonic_driver.hpp"
#include "drivers/twin_driver.hpp"

namespace petrel::drivers {

std::vector<std::unique_ptr<daemon::Driver>> make_drivers()
{
    std::vector<std::unique_ptr<daemon::Driver>> drivers;
    drivers.push_back(std::make_unique<TwinDriver>());
    drivers.push_back(std::make_unique<SaiDriver>());
    drivers.push_back(std::make_unique<SonicDriver>());
    drivers.push_back(std::make_unique<ExecDriver>());
    drivers.push_back(std::make_unique<SlingshotDriver>());
    drivers.push_back(std::make_unique<LinuxDriver>());
    return drivers;
}

}  // namespace petrel::drivers
