// The flags of `petrel enrol` and `petrel invite`.
#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/enrol_command.hpp"

namespace petrel::cli {

Handler enrol_flags(CLI::App& app)
{
    const auto options = std::make_shared<EnrolOptions>();
    app.add_option("URL", options->manager.url, "The manager: https://HOST:PORT")->type_name("");
    app.add_option("--token-file", options->manager.token_file, "The token of the invitation")->type_name("FILE");
    app.add_option("--ca-file", options->manager.ca_file,
                   "The certificates that the manager may have (PEM); default: the machine's")
        ->type_name("FILE");
    app.add_option("--name", options->name, "Of the agent, default the host name")->type_name("NAME");
    app.add_option("-o,--output", options->file,
                   "Where the key and the certificate are written, default /var/lib/petrel/manager.pem")
        ->type_name("FILE");
    return handler([options](const Call&) { return run_enrol(*options); },
                   [options](std::vector<Complaint>& problems) {
                       if (options->manager.url.empty()) {
                           problems.push_back({"URL", 0, 0, "which manager? e.g. https://manager.example:7650", {}});
                       }
                   });
}

Handler invite_flags(CLI::App& app)
{
    const auto options = std::make_shared<InviteOptions>();
    app.add_option("AGENT", options->agent, "The name of the agent")->type_name("");
    manager_access_flags(app, options->manager);
    app.add_option("--hours", options->hours, "How long the invitation is valid, default 24")
        ->check(CLI::Range(1U, 720U))
        ->type_name("N");
    app.add_flag("--revoke", options->revoke, "Refuse all certificates that the agent has");
    return handler([options](const Call&) { return run_invite(*options); },
                   [options](std::vector<Complaint>& problems) {
                       if (options->agent.empty()) {
                           problems.push_back({"AGENT", 0, 0, "which one? Its name, e.g. leaf3", {}});
                       }
                   });
}

}  // namespace petrel::cli
