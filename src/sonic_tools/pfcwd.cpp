#include "sonic_tools/pfcwd.hpp"

#include "sonic_tools/desk.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/pfcwd_tables.hpp"

namespace petrel::sonic_tools {
namespace {

using Count = Argument::Count;

Argument switch_argument(std::string_view name) { return {name, Choice{{"enable", "disable"}}}; }

Command show_commands()
{
    return {
        .name = "show",
        .about = "The configuration, statistics and history.",
        .commands = {
            {.name = "config",
             .about = "The configuration of ports. Without names: of all that are watched.",
             .run = show_config,
             .options = {display_option(), namespace_option(), json_option()},
             .arguments = {{"PORTS", Text{}, Count::any}}},
            {.name = "stats",
             .about =
                 "Storms and packets of queues. A port stands for its queues; without names: all that ever had any.",
             .run = show_stats,
             .options = {display_option(),
                         namespace_option(),
                         {{"-e", "--empty"}, Flag{}, "Queues without any storm as well."},
                         {{"--check-storm"}, Flag{}, "Print nothing; exit with 1 if a queue is stormed."},
                         json_option()},
             .arguments = {{"QUEUES", Text{}, Count::any}}},
            {.name = "history",
             .about = "Storms with their evidence, as the agent keeps them. A port stands for its queues; without "
                      "names: all.",
             .run = show_history,
             .options = {{{"--json"}, Flag{}, "As JSON lines, as the agent sends them."}},
             .arguments = {{"QUEUES", Text{}, Count::any}}}}};
}

Command start_command()
{
    return {.name = "start",
            .about =
                "Watch ports: a queue that is paused for the detection time is stormed. Without names, or with "
                "'all': every port that has PFC enabled. Times are in milliseconds, the detection time 100 to 5000.\n"
                "pfcwd start --action drop all 400 --restoration-time 2000\n"
                "pfcwd start --action drop ports all detection-time 400 -r 2000",
            .run = start,
            .options = {{{"--action", "-a"}, Choice{{"drop", "forward", "alert"}}, "The action for a stormed queue."},
                        {{"--restoration-time", "-r"},
                         kRestorationTime.allowed,
                         "The time without pause after which the storm is over."},
                        {{"--pfc-stat-history"}, Flag{}, "Keep a history of pauses as well."}},
            .arguments = {{"PORTS", Text{}, Count::any}, {"DETECTION_TIME", kDetectionTime.allowed}}};
}

Command make_pfcwd()
{
    return {
        .name = "pfcwd",
        .about = "The PFC watchdog: which ports it watches, and what it has seen.",
        .commands = {
            show_commands(),
            start_command(),
            {.name = "stop",
             .about = "Watch ports no longer. Without names, or with 'all': none.",
             .run = stop,
             .arguments = {{"PORTS", Text{}, Count::any}}},
            {.name = "interval",
             .about = "The poll interval of the watchdog, in milliseconds. 100 to 1000, and not above any time that is "
                      "configured.",
             .run = set_interval,
             .arguments = {{"POLL_INTERVAL", kPollInterval.allowed}}},
            {.name = "start_default",
             .about = "Watch all ports that have a neighbour, with times for their number. Only where the device's "
                      "metadata say so (default_pfcwd_status). Without SONiC: all ports that face servers.",
             .run = start_default},
            {.name = "counter_poll",
             .about = "Whether syncd reads the watchdog's counters.",
             .run = set_counter_poll,
             .arguments = {switch_argument("COUNTER_POLL")}},
            {.name = "big_red_switch",
             .about = "Drop on every lossless queue of every port, storm or not.",
             .run = set_big_red_switch,
             .arguments = {switch_argument("BIG_RED_SWITCH")}},
            {.name = "pfc_stat_history",
             .about = "Whether ports keep a history of pauses. Without names, or with 'all': every port.",
             .run = set_stat_history,
             .arguments = {switch_argument("PFC_STAT_HISTORY"), {"PORTS", Text{}, Count::any}}},
            {.name = "clear",
             .about = "Set statistics to zero, also the agent's. A port stands for its queues; without names, or with "
                      "'all': every queue. Queues in a storm keep theirs.",
             .run = clear_stats,
             .arguments = {{"QUEUES", Text{}, Count::any}}},
            {.name = "release",
             .about = "Release queues that the agent has mitigated. A storm that goes on is detected again. Names of "
                      "queues or ports, or 'all'.",
             .run = release,
             .arguments = {{"QUEUES", Text{}, Count::any}}}}};
}

}  // namespace

const Command& pfcwd()
{
    static const Command command = make_pfcwd();
    return command;
}

}  // namespace petrel::sonic_tools
