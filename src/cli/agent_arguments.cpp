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

constexpr auto kHandBackAbout = "Put SONiC's own scripts back after an agent died; mitigations stay.";

constexpr auto kHandBackExamples = R"(Examples:
  petrel hand-back
  petrel hand-back --config /etc/petrel/agent.toml
  petrel hand-back --device sonic:local

The unit of the agent runs it whenever the agent has ended (ExecStopPost=). It does nothing to a device that a live
agent watches, and nothing where nothing was taken over. The exit code is 0 unless something could not be put back.
)";

}  // namespace

AgentArguments::AgentArguments(CLI::App& petrel) : app(petrel.add_subcommand("agent", kAbout)), flags_(*app)
{
    app->footer(kAgentExamples);
}

HandBackArguments::HandBackArguments(CLI::App& petrel)
    : app(petrel.add_subcommand("hand-back", kHandBackAbout)), flags_(*app)
{
    app->footer(kHandBackExamples);
}

}  // namespace petrel::cli
