// The flags of the commands for a running agent.
#include <CLI/CLI.hpp>

#include <charconv>
#include <utility>

#include "cli/agent/agent_flags.hpp"
#include "cli/agent/arguments.hpp"

namespace petrel::cli {

struct ControlArguments {
    ControlOptions options;
    std::string last;  // as text
    std::string sequence;
    bool all{};
    std::optional<AgentFlags> configuration;
};

namespace {

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

void check_control(const CLI::App& app, ControlArguments& arguments, std::vector<Complaint>& problems)
{
    auto& request = arguments.options.request;
    if (arguments.all && !request.queue.empty()) {
        problems.push_back({"--all", 0, 0, "not together with a queue", {}});
    }
    if (app.get_option_no_throw("QUEUE") != nullptr && request.queue.empty() && !arguments.all) {
        problems.push_back({"QUEUE", 0, 0, "which one? PORT:PRIORITY, e.g. Ethernet4:3", {}});
    }
    if (request.command == control::ControlRequest::Command::link_clear) {
        check_link_clear(arguments, problems);
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
    app.add_option("QUEUE", request.queue, "PORT:PRIORITY, e.g. Ethernet4:3")->type_name("");
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

void state_dir_flag(CLI::App& app, ControlArguments& arguments)
{
    app.add_option("--state-dir", arguments.options.state_dir,
                   "The folder of the history, read if no agent answers; default: as in the agent's configuration")
        ->type_name("FOLDER");
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
                const bool replaced = call.extras != nullptr && call.extras->run_control;
                return replaced ? call.extras->run_control(arguments->options) : run(arguments->options);
            },
            [=, &app](std::vector<Complaint>& problems) { check_control(app, *arguments, problems); });
    };
}

}  // namespace petrel::cli
