// The flags of the commands for a running agent.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/complaint_text.hpp"
#include "cli/agent/agent_flags.hpp"
#include "cli/agent/arguments.hpp"
#include "cli/agent/fleet_command.hpp"
#include "codec/policy_reader.hpp"
#include "runtime/atomic_file.hpp"
#include "watchdog/event.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::cli {

struct ControlArguments {
    ControlOptions options;
    std::string last;  // as text
    std::string since;
    std::string types;
    std::string sequence;
    bool all{};
    std::optional<AgentFlags> configuration;
    FleetOptions fleet{};
    std::string policy_file;
};

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kQueue = "PORT:PRIORITY, e.g. Ethernet4:3; of a NIC its interface, e.g. eth0";

void read_policies(ControlArguments& arguments, std::vector<Complaint>& problems)
{
    if (arguments.policy_file.empty()) {
        return problems.push_back({"FILE", 0, 0, "which one? A policy file", {}});
    }
    auto text = runtime::read_whole_file(arguments.policy_file);
    if (!text) {
        return problems.push_back({"FILE", 0, 0, text.error().what, {}});
    }
    const auto read = codec::read_policy_file(*text, arguments.policy_file);
    if (!read) {
        problems.insert(problems.end(), read.error().begin(), read.error().end());
        return;
    }
    arguments.options.request.policy = std::move(*text);
}

void check_link_clear(ControlArguments& arguments, std::vector<Complaint>& problems)
{
    auto& request = arguments.options.request;
    if (request.port.empty()) {
        problems.push_back({"PORT", 0, 0, "which one? e.g. Ethernet4", {}});
    }
    const auto& text = arguments.sequence;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, request.sequence);
    if (text.empty()) {
        problems.push_back({"--sequence", 0, 0, "which event? `petrel link show PORT --history` lists them", {}});
    } else if (error != std::errc{} || stop != end || request.sequence == 0) {
        problems.push_back({"--sequence", 0, 0, text, "the number of an event, 1 or more"});
    }
}

// "10min", or a time.
std::optional<std::int64_t> since_us(std::string_view text)
{
    using namespace std::chrono;
    constexpr std::array<std::pair<std::string_view, seconds>, 6> kUnits{
        {{"s", 1s}, {"m", 1min}, {"min", 1min}, {"h", 1h}, {"d", days{1}}, {"w", weeks{1}}}};
    if (const auto at = wire::time_from_text(text)) {
        return at->time_since_epoch().count();
    }
    std::uint32_t count{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    const std::string_view unit{stop, end};
    const auto known = std::ranges::find(kUnits, unit, [](const auto& one) { return one.first; });
    if (error != std::errc{} || known == kUnits.end()) {
        return std::nullopt;
    }
    return floor<microseconds>(system_clock::now() - std::int64_t{count} * known->second).time_since_epoch().count();
}

void check_events(ControlArguments& arguments, std::vector<Complaint>& problems)
{
    auto& request = arguments.options.request;
    if (!arguments.since.empty()) {
        const auto us = since_us(arguments.since);
        request.since_us = us.value_or(0);
        if (!us) {
            problems.push_back(
                {"--since", 0, 0, arguments.since, "such as 30s, 10min, 2h, 3d, or 2026-03-09T07:05:00Z"});
        }
    }
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i != static_cast<std::size_t>(watchdog::EventKind::count_); ++i) {
        known.push_back(name(static_cast<watchdog::EventKind>(i)));
    }
    std::string_view rest{arguments.types};
    while (!rest.empty()) {
        const auto type = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), type.size() + 1));
        request.types.emplace_back(type);
        if (std::ranges::find(known, type) == known.end()) {
            problems.push_back({"--type", 0, 0, std::string{type}, "an event, " + instead_of(type, known)});
        }
    }
}

void check_control(const CLI::App& app, ControlArguments& arguments, std::vector<Complaint>& problems)
{
    auto& request = arguments.options.request;
    if (arguments.all && !request.queue.empty()) {
        problems.push_back({"--all", 0, 0, "not together with a queue", {}});
    }
    if (app.get_option_no_throw("QUEUE") != nullptr && request.queue.empty() && !arguments.all) {
        problems.push_back({"QUEUE", 0, 0, std::string{"which one? "}.append(kQueue), {}});
    }
    if (app.get_option_no_throw("STATE") != nullptr && request.state != "on" && request.state != "off") {
        problems.push_back({"STATE", 0, 0, request.state, "on or off"});
    }
    if (app.get_option_no_throw("FILE") != nullptr) {
        read_policies(arguments, problems);
    }
    const auto& fleet = arguments.fleet;
    const bool of_one_agent = arguments.options.check || !arguments.since.empty() || !arguments.types.empty() ||
                              (request.command == control::ControlRequest::Command::events && !request.queue.empty());
    if (!fleet.manager.empty() && of_one_agent) {
        problems.push_back({"--manager", 0, 0, "not together with --check, --since, --queue or --type", {}});
    }
    if (fleet.manager.empty() &&
        (!fleet.request.agents.empty() || !fleet.request.racks.empty() || !fleet.request.roles.empty() ||
         fleet.request.all || fleet.request.canary != 0 || fleet.request.dry_run)) {
        problems.push_back({"--manager", 0, 0, "which one? Agents are chosen at a fabric manager", {}});
    }
    if (request.command == control::ControlRequest::Command::link_clear) {
        check_link_clear(arguments, problems);
    }
    if (request.command == control::ControlRequest::Command::events) {
        check_events(arguments, problems);
    }
    if (!arguments.options.format.empty() && arguments.options.format != "opasaquery") {
        problems.push_back({"--format", 0, 0, arguments.options.format, "opasaquery"});
    }
    const auto& last = arguments.last;
    if (!last.empty()) {
        const auto* end = last.data() + last.size();
        const auto [stop, error] = std::from_chars(last.data(), end, request.last);
        if (error != std::errc{} || stop != end || request.last == 0) {
            problems.push_back({"--last", 0, 0, last, "1..4294967295"});
        }
    }
}

}  // namespace

void queue_flag(CLI::App& app, ControlArguments& arguments)
{
    auto& request = arguments.options.request;
    app.add_option("QUEUE", request.queue, std::string{kQueue})->type_name("");
    app.add_option("--device", request.device, "The device, if several have a queue of this name")->type_name("NAME");
}

void device_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--device", arguments.options.request.device, "Only of this device")->type_name("NAME");
}

void stormed_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_flag("--stormed", arguments.options.request.stormed, "Only those that are not in phase watching");
}

void note_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--note", arguments.options.request.note, "Why, for the event")->type_name("TEXT");
}

void state_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("STATE", arguments.options.request.state, "on or off")->type_name("");
}

void policy_file_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("FILE", arguments.policy_file, "A policy file; only its [[policy]] tables count")->type_name("");
}

void no_policies_flag(CLI::App& /*app*/, ControlArguments& arguments) { arguments.options.request.policy = "none"; }

void all_flag(CLI::App& app, ControlArguments& arguments) { app.add_flag("--all", arguments.all, "Of every queue"); }

void port_flag(CLI::App& app, ControlArguments& arguments)
{
    auto& request = arguments.options.request;
    app.add_option("PORT", request.port, "A port, e.g. Ethernet4")->type_name("");
    app.add_option("--device", request.device, "The device of the port")->type_name("NAME");
}

void history_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_flag("--history", arguments.options.request.history, "With each time that the links went down");
    app.add_option("--format", arguments.options.format, "As this tool prints it")->type_name("opasaquery");
}

void manager_flags_of_links(CLI::App& app, ControlArguments& arguments)
{
    auto& options = arguments.options;
    app.add_option("--manager", options.manager, "Ask this fabric manager instead of an agent: both ends of each link")
        ->type_name("URL");
    app.add_option("--token-file", options.token_file, "A file with the token for the manager")->type_name("FILE");
    app.add_option("--ca-file", options.ca_file, "The certificates that the manager may have (PEM)")->type_name("FILE");
}

void sequence_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--sequence", arguments.sequence, "The event to acknowledge, with all before it")->type_name("N");
}

void follow_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_flag("--follow", arguments.options.request.follow, "Follow new events");
}

void last_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--last", arguments.last, "The largest number of past events; default: all that are kept")
        ->type_name("N");
}

void choice_flags(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--since", arguments.since, "Only since then: 30s, 10min, 2h, 3d, or a time (UTC)")
        ->type_name("TIME");
    app.add_option("--queue", arguments.options.request.queue, "Only of this queue or port, e.g. Ethernet4:3")
        ->type_name("QUEUE");
    app.add_option("--type", arguments.types, "Only these events, e.g. storm_detected,storm_restored")
        ->type_name("EVENT,...");
}

void check_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_flag("--check", arguments.options.check,
                 "For monitoring: only what is wrong; the exit code is 1 if there is a problem");
}

void state_dir_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--state-dir", arguments.options.state_dir,
                   "The folder of the history, read if no agent answers; default: as in the agent's configuration")
        ->type_name("FOLDER");
}

void fleet_flags(CLI::App& app, ControlArguments& arguments)
{
    auto& fleet = arguments.fleet;
    auto& request = fleet.request;
    const auto group = "With a fabric manager";
    app.add_option("--manager", fleet.manager, "Send it to the agents of this fabric manager")
        ->type_name("URL")
        ->group(group);
    app.add_option("--token-file", fleet.token_file, "The token for the manager")->type_name("FILE")->group(group);
    app.add_option("--ca-file", fleet.ca_file, "Certificates that are trusted")->type_name("FILE")->group(group);
    app.add_option("--agent", request.agents, "Only these agents")
        ->type_name("NAME")
        ->group(group)
        ->allow_extra_args(false);
    app.add_option("--rack", request.racks, "Only agents of these racks")
        ->type_name("NAME")
        ->group(group)
        ->allow_extra_args(false);
    app.add_option("--role", request.roles, "Only agents with these roles")
        ->type_name("NAME")
        ->group(group)
        ->allow_extra_args(false);
    request.within_s = 5;
    app.add_option("--within", request.within_s, "Seconds in which an agent must begin it, default 5, orders 30")
        ->check(CLI::Range(1U, 86'400U).description(""))
        ->type_name("S")
        ->group(group);
}

void fleet_order_flags(CLI::App& app, ControlArguments& arguments)
{
    fleet_flags(app, arguments);
    auto& request = arguments.fleet.request;
    request.within_s = 30;
    const auto group = "With a fabric manager";
    app.add_flag("--all-agents", request.all, "All of its agents")->group(group);
    app.add_option("--canary", request.canary, "First so many agents; the first alarm stops the others")
        ->check(CLI::Range(1U, 1'000'000U).description(""))
        ->type_name("N")
        ->group(group);
    app.add_option("--then", request.then, "With --canary: the share of each further wave, default 100%")
        ->type_name("P%")
        ->group(group);
    app.add_option("--watch", request.watch_s, "Seconds without an alarm before the next wave, default 30")
        ->check(CLI::Range(0U, 86'400U).description(""))
        ->type_name("S")
        ->group(group);
    app.add_flag("--dry-run", request.dry_run, "Only show which agents would get it, in which wave")->group(group);
}

void configuration_flags(CLI::App& app, ControlArguments& arguments) { arguments.configuration.emplace(app); }

Flags control_flags(control::ControlRequest::Command command, std::vector<ControlFlag> flags,
                    ExitCode (*run)(const ControlOptions&))
{
    return [command, flags = std::move(flags), run](CLI::App& app) {
        const auto arguments = std::make_shared<ControlArguments>();
        auto& options = arguments->options;
        options.request.command = command;
        app.add_option("--socket", options.socket,
                       "Where the agent listens; default: PETREL_CONTROL_SOCKET or /run/petrel/control.sock")
            ->type_name("PATH");
        app.add_flag("--json", options.json, "Print the agent's answer unchanged, as JSON lines");
        for (const auto add : flags) {
            add(app, *arguments);
        }
        return handler(
            [=](const Call& call) {
                arguments->options.agent =
                    arguments->configuration
                        ? arguments->configuration->options(call)
                        : AgentOptions{.config = {}, .given = {}, .extras = call.extras, .parts = call.parts};
                if (!arguments->fleet.manager.empty()) {
                    return run_for_fleet(arguments->options, arguments->fleet);
                }
                const bool replaced = call.extras != nullptr && call.extras->run_control;
                return replaced ? call.extras->run_control(arguments->options) : run(arguments->options);
            },
            [=, &app](std::vector<Complaint>& problems) { check_control(app, *arguments, problems); });
    };
}

}  // namespace petrel::cli
