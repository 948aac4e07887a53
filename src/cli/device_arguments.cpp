// The flags of `petrel device`.
#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/device_command.hpp"

namespace petrel::cli {

Handler device_check_flags(CLI::App& app)
{
    const auto options = std::make_shared<DeviceCheckOptions>();
    app.add_option("DEVICE", options->device,
                   "The helper, as in the agent's file: [slingshot:]exec:PROGRAM [ARGUMENTS]")
        ->type_name("");
    app.add_option("--treat", options->treat, "Also try its treatments, on this queue; with slingshot: on this port")
        ->type_name("QUEUE");
    return handler([options](const Call&) { return run_device_check(*options); },
                   [options](std::vector<Complaint>& problems) {
                       if (!options->device.starts_with("exec:") && !options->device.starts_with("slingshot:exec:")) {
                           problems.push_back(
                               {"DEVICE", 0, 0, options->device, "[slingshot:]exec:PROGRAM [ARGUMENTS]"});
                       }
                   });
}

}  // namespace petrel::cli
