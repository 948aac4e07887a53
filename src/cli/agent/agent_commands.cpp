#include "cli/agent/agent_commands.hpp"

#include "cli/agent/arguments.hpp"
#include "cli/agent/watch_command.hpp"

namespace petrel::cli {
namespace {

using Request = control::ControlRequest::Command;

constexpr auto kRunningAgent = "A running agent";

constexpr auto kNoExamples = "";

constexpr auto kLinkShowExamples = R"(Examples:
  petrel link show
  petrel link show Ethernet4 --history
  petrel link show Ethernet4 --history --format opasaquery
  petrel link show leaf3:Ethernet4 --history --manager http://127.0.0.1:7650

A manager shows both ends of each link.
)";

constexpr auto kLinkClearExamples = R"(Examples:
  petrel link clear Ethernet4 --sequence 3          event 3 and all before it; a later one stays

The number shows that the event was read: an event that came meanwhile is not cleared.
)";

constexpr auto kConfigExamples = R"(Examples:
  petrel config check /etc/petrel/agent.toml        every problem at once, with line and column
  petrel config check --live agent.toml             the same, the devices of this machine and the running agent
  petrel config show --config agent.toml            the values in the file
  petrel config show --effective                    all values that the agent would use, and their origin
  PETREL_LOG_FORMAT=json petrel config show --effective --config agent.toml --hang-ms 500

Flags are stronger than the environment, the environment than the file, the file than the defaults.
)";

constexpr auto kOrderExamples = R"(Examples:
  petrel mitigate Ethernet4:3 --note "ticket 4711"
  petrel release Ethernet4                          all queues of a port
  petrel hold Ethernet4:3 --device sw2              when several switches have such a port

An order is an event like others, with the name of the user who gave it.
)";

constexpr auto kRedSwitchExamples = R"(Examples:
  petrel red-switch on --note "the fabric stands still"
  petrel red-switch off --device sw2

Until it is off again, also after a restart of the agent, every watched queue is mitigated, stormed or not.
)";

constexpr auto kPolicyExamples = R"(Examples:
  petrel policy push slower.toml
  petrel --manager https://manager:7650 policy push slower.toml --role leaf --canary 2 --then 10%
  petrel policy drop

Pushed policies are stronger than those of the NOS and those of the agent's file that name no ports. They stay over a
restart.
)";

constexpr auto kReleaseAllExamples = R"(Examples:
  petrel release-all
  petrel release-all --config /etc/petrel/agent.toml

If no agent runs, the mitigations in its journals are released; the flags name the agent.
)";

constexpr auto kStatusExamples = R"(Examples:
  petrel status
  petrel status --check                             for monitoring: 0 all well, 1 a problem, 3 no agent

)";

constexpr auto kEventsExamples = R"(Examples:
  petrel events --last 20
  petrel events --since 2h --queue Ethernet4:3 --type storm_detected,storm_restored
  petrel events --follow --json | jq .event
  petrel events --state-dir /var/lib/petrel         of an agent that is dead

If no agent answers, the history in its state folder is shown.
)";

constexpr auto kExplainExamples = R"(Examples:
  petrel explain Ethernet4:3
)";

}  // namespace

std::vector<Command> config_commands()
{
    return {
        {"config", kGeneral, "Check the agent's configuration, or show it.", kConfigExamples, nullptr},
        {"config check", kGeneral, "Report every problem of the agent's file; fail if nothing real would be watched.",
         kNoExamples, config_check_flags},
        {"config show", kGeneral, "Show the values in the file or, with --effective, all that the agent would use.",
         kNoExamples, config_show_flags},
    };
}

std::vector<Command> link_commands(ExitCode (*show)(const ControlOptions&))
{
    auto flags = std::vector<ControlFlag>{port_flag, history_flag};
    if (show != nullptr) {
        flags.push_back(manager_flags_of_links);
    }
    return {
        {"link show", kGeneral, "The links that a running agent follows, and why they went down.", kLinkShowExamples,
         control_flags(Request::links, flags, show == nullptr ? run_control : show)},
        {"link clear", kGeneral, "Acknowledge that a link of a running agent went down.", kLinkClearExamples,
         control_flags(Request::link_clear, {port_flag, sequence_flag}, run_control)},
    };
}

std::vector<Command> running_agent_commands()
{
    return {
        {"status", kRunningAgent, "The state of the agent: problems first, with what to do about them.",
         kStatusExamples, control_flags(Request::status, {check_flag, fleet_flags}, run_control)},
        {"queues", kRunningAgent, "Every queue: policy, phase, what is configured, possible and in effect.",
         kNoExamples, control_flags(Request::queues, {stormed_flag, device_flag, fleet_flags}, run_control)},
        {"mitigate", kRunningAgent, "Mitigate a queue now, until it is released.", kOrderExamples,
         control_flags(Request::mitigate, {queue_flag, note_flag, fleet_order_flags}, run_control)},
        {"release", kRunningAgent, "Release a queue, latched or not; a storm that goes on is detected again.",
         kOrderExamples, control_flags(Request::release, {queue_flag, note_flag, fleet_order_flags}, run_control)},
        {"hold", kRunningAgent, "Keep a queue mitigated until an operator releases it.", kOrderExamples,
         control_flags(Request::hold, {queue_flag, note_flag, fleet_order_flags}, run_control)},
        {"clear", kRunningAgent,
         "Set the statistics of a queue, or of all, to zero, except those of a storm under way.", kOrderExamples,
         control_flags(Request::clear, {queue_flag, note_flag, all_flag, fleet_order_flags}, run_control)},
        {"red-switch", kRunningAgent, "Mitigate every watched queue until the switch is off again.", kRedSwitchExamples,
         control_flags(Request::red_switch, {state_flag, device_flag, note_flag, fleet_order_flags}, run_control)},
        {"policy", kRunningAgent, "Push policies to agents, or take them back.", kPolicyExamples, nullptr},
        {"policy push", kRunningAgent, "Put the policies of a file in force, over the general ones of the agent.",
         kNoExamples,
         control_flags(Request::policy_push, {policy_file_flag, note_flag, fleet_order_flags}, run_control)},
        {"policy drop", kRunningAgent, "End the policies that were pushed.", kNoExamples,
         control_flags(Request::policy_push, {no_policies_flag, note_flag, fleet_order_flags}, run_control)},
        {"release-all", kRunningAgent, "Release everything, also if the agent is dead.", kReleaseAllExamples,
         control_flags(Request::release_all, {note_flag, configuration_flags, fleet_order_flags}, release_all)},
        {"events", kRunningAgent, "What the agent decided, and why.", kEventsExamples,
         control_flags(Request::events,
                       {follow_flag, last_flag, choice_flags, device_flag, state_dir_flag, fleet_flags}, show_events)},
        {"explain", kRunningAgent, "Why a queue is in its phase: the evidence of the last decision.", kExplainExamples,
         control_flags(Request::explain, {queue_flag, fleet_flags}, run_control)},
        {"watch", kRunningAgent, "A live table of the worst queues, with events; keys explain, hold and release.",
         kNoExamples, control_flags(Request::status, {}, run_watch)},
        {"reload", kRunningAgent, "Reload the configuration: all of it, or nothing if there is a problem.", kNoExamples,
         control_flags(Request::reload, {fleet_order_flags}, run_control)},
    };
}

}  // namespace petrel::cli
