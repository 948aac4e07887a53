#include "cli/agent_arguments.hpp"

namespace petrel::cli {

namespace {

constexpr auto kAbout = "Watch the queues of a switch until told to stop: the service.";

constexpr auto kAgentExamples = R"(Examples:
  petrel agent --config /etc/petrel/agent.toml
  petrel agent --device twin:scenarios/agent/storm.toml --state-dir state --control-socket ./petrel.sock

SIGHUP reads the configuration anew, SIGTERM and SIGINT end the agent; what is mitigated is then restored, or held if
the configuration says so. While it runs: petrel status, queues, events, explain, mitigate, release, hold, reload.
)";

}  // namespace

AgentArguments::AgentArguments(CLI::App& petrel) : app(petrel.add_subcommand("agent", kAbout)), flags_(*app)
{
    app->footer(kAgentExamples);
}

}  // namespace petrel::cli
