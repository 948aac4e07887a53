// The flags of `petrel host`.
#include <CLI/CLI.hpp>

#include "cli/agent/agent_flags.hpp"
#include "cli/agent/arguments.hpp"
#include "cli/agent/host_command.hpp"

namespace petrel::cli {

Handler host_agent_flags(CLI::App& app)
{
    return handler([flags = std::make_shared<AgentFlags>(app)](const Call& call) {
        auto options = flags->options(call);
        options.defaults = kHostDefaults;
        options.real_time = true;
        return call.extras != nullptr && call.extras->run_agent ? call.extras->run_agent(options) : run_agent(options);
    });
}

Handler host_doctor_flags(CLI::App& app)
{
    const auto options = std::make_shared<HostDoctorOptions>();
    app.add_option("INTERFACE", options->interfaces, "Only these network interfaces")->type_name("");
    return handler([options](const Call&) { return run_host_doctor(*options); });
}

}  // namespace petrel::cli
