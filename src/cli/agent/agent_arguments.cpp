// The flags of `petrel agent`, `petrel hand-back` and `petrel config`.
#include "cli/agent/agent_flags.hpp"
#include "cli/agent/arguments.hpp"
#include "cli/agent/config_command.hpp"

namespace petrel::cli {

Handler agent_flags(CLI::App& app)
{
    return handler([flags = std::make_shared<AgentFlags>(app)](const Call& call) {
        const auto options = flags->options(call);
        return call.extras != nullptr && call.extras->run_agent ? call.extras->run_agent(options) : run_agent(options);
    });
}

Handler hand_back_flags(CLI::App& app)
{
    return handler(
        [flags = std::make_shared<AgentFlags>(app)](const Call& call) { return hand_back(flags->options(call)); });
}

Handler config_check_flags(CLI::App& app)
{
    const auto options = std::make_shared<ConfigCheckOptions>();
    app.add_option("FILE", options->files, "The file; several are checked one by one")->type_name("");
    app.add_flag("--live", options->live, "Also ask this machine's devices and the running agent; changes nothing");
    return handler(
        [options](const Call& call) {
            options->parts = call.parts;
            return run_config_check(*options);
        },
        [options](std::vector<Complaint>& problems) {
            if (options->files.empty()) {
                problems.push_back({"FILE", 0, 0, "which one? The agent's file", {}});
            }
        });
}

Handler config_show_flags(CLI::App& app)
{
    const auto options = std::make_shared<ConfigShowOptions>();
    app.add_flag("--effective", options->effective,
                 "All values, with flags, environment and defaults, and the origin of each");
    app.add_flag("--json", options->json, "As one JSON object");
    return handler([options, flags = std::make_shared<AgentFlags>(app)](const Call& call) {
        options->agent = flags->options(call);
        return run_config_show(*options);
    });
}

}  // namespace petrel::cli
