#include "cli/agent/control_command.hpp"

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "cli/agent/control_client.hpp"
#include "codec/control_json.hpp"
#include "daemon/stored_events.hpp"
#include "reports/agent/agent_links_text.hpp"
#include "reports/agent/control_text.hpp"
#include "terminal/source_lines.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using Request = control::ControlRequest::Command;

// The answer as text for the operator.
template <class Report, class Render>
Shown as_text(const Result<Report>& report, const Render& render)
{
    if (!report) {
        return {{}, escaped(report.error().what), {}, exit_code(report.error().kind)};
    }
    return {render(*report), {}, {}, ExitCode::ok};
}

Shown checked(const Result<control::StatusReport>& report)
{
    auto answer = as_text(report, [](const auto& status) { return reports::check_text(status).text; });
    if (report && !reports::check_text(*report).good) {
        answer.code = ExitCode::failure;
    }
    return answer;
}

// If the agent refuses the new configuration, the command prints the problems and fails.
Shown reloaded(const ControlOptions& options, std::string_view line, std::size_t width)
{
    const auto report = codec::read_reload(line);
    if (!report || report->problems.empty()) {
        return as_text(report, [](const auto&) { return "the configuration was reloaded and is in force\n"; });
    }
    std::string problems;
    for (const auto& problem : report->problems) {
        problems += escaped(problem) + '\n';
    }
    if (!options.other_machine && !report->complaints.empty()) {  // an older agent does not send them
        problems = with_source_lines(report->complaints, width);
    }
    return {{}, "the configuration was refused; the one before is in force", problems, ExitCode::usage};
}

Shown answer_text(const ControlOptions& options, std::string_view line, const Paint& paint, std::size_t width)
{
    const auto& request = options.request;
    switch (request.command) {
    case Request::status:
        if (options.check) {
            return checked(codec::read_status(line));
        }
        return as_text(codec::read_status(line),
                       [&](const auto& report) { return reports::status_text(report, paint, width); });
    case Request::queues:
        return as_text(codec::read_queues(line),
                       [&](const auto& report) { return reports::queues_text(report, request.stormed, width); });
    case Request::explain:
        return as_text(codec::read_explanation(line),
                       [&](const auto& report) { return reports::explain_text(report, paint, width); });
    case Request::links:
        return as_text(codec::read_links(line), [&](const auto& links) {
            return options.format.empty() ? reports::agent_links_text(links, width) : reports::opasaquery_text(links);
        });
    case Request::reload: return reloaded(options, line, width);
    case Request::events: return {reports::event_text(line, width), {}, {}, ExitCode::ok};
    default: return as_text(codec::read_order(line), reports::order_text);
    }
}

ExitCode show(const ControlOptions& options, const Result<std::string>& line)
{
    if (!line) {
        return fail(line.error());
    }
    const auto answer = shown(options, *line, Paint{stdout_wants_colour()}, stdout_columns());
    if (!answer.complaint.empty()) {
        print_stderr(fmt::format("{}petrel: {}", answer.details, answer.complaint));
    }
    return finish(answer.text, answer.code);
}

// The configuration of the agent that these options would start.
Parsed<config::AgentConfig> configuration(const AgentOptions& options)
{
    const auto own = options.parts->make_drivers();
    auto drivers = options.extras != nullptr ? options.extras->drivers : std::vector<daemon::Driver*>{};
    for (const auto& driver : own) {
        drivers.push_back(driver.get());
    }
    return read_config(options, drivers);
}

std::filesystem::path socket_of(const ControlOptions& options)
{
    const auto config = configuration(options.agent);
    return !options.socket.empty() || !config ? control_socket(options.socket) : config->control_socket;
}

// Where the agent of this socket keeps its history; empty: not known.
std::filesystem::path state_dir_of(const ControlOptions& options, const std::filesystem::path& socket)
{
    if (!options.state_dir.empty()) {
        return options.state_dir;
    }
    const auto config = configuration(options.agent);
    return config && config->control_socket == socket ? config->state_dir : std::filesystem::path{};
}

ExitCode show_stored_events(const ControlOptions& options, const std::filesystem::path& folder, const Error& no_agent)
{
    const auto stored = daemon::stored_events(folder, options.request);
    if (!stored) {
        const auto code = fail(no_agent);
        return stored.error().kind == ErrorKind::unreachable ? code : fail(stored.error());
    }
    print_stderr(fmt::format("petrel: {}", no_agent.what));
    print_stderr(fmt::format("petrel: the events that an agent has stored in {}:", folder.string()));
    for (const auto& note : stored->notes) {
        print_stderr(fmt::format("petrel: note: {}", escaped(note)));
    }
    std::string text;
    std::string_view left = stored->lines.text;
    while (!left.empty()) {
        const auto end = left.find('\n');
        text += shown(options, left.substr(0, end), Paint{stdout_wants_colour()}, stdout_columns()).text;
        left.remove_prefix(end + 1);
    }
    return finish(text, ExitCode::ok);
}

}  // namespace

Shown shown(const ControlOptions& options, std::string_view line, const Paint& paint, std::size_t width)
{
    auto answer = answer_text(options, line, paint, width);
    return options.json ? Shown{json_escaped(line) + '\n', {}, {}, answer.code} : answer;
}

ExitCode run_control(const ControlOptions& options)
{
    return show(options, request_answer(control_socket(options.socket), options.request));
}

// Prints lines until the agent marks the end; with --follow until the user interrupts it.
ExitCode show_events(const ControlOptions& options)
{
    const auto socket = control_socket(options.socket);
    const Paint paint{stdout_wants_colour()};
    const auto width = stdout_columns();
    if (options.request.follow && !options.request.queue.empty()) {
        auto probe = options.request;  // of a queue that no device has there would never be an event
        probe.follow = false;
        probe.last = 1;
        const auto known = request_answer(socket, probe).and_then(codec::read_events_end);
        if (!known) {
            return fail(known.error());
        }
    }
    auto client = ControlClient::send(socket, options.request);
    if (!client) {
        const bool dead = client.error().kind == ErrorKind::unreachable && !options.request.follow;
        const auto folder = dead ? state_dir_of(options, socket) : std::filesystem::path{};
        return folder.empty() ? fail(client.error()) : show_stored_events(options, folder, client.error());
    }
    for (;;) {
        const auto line = client->line(options.request.follow);
        if (!line) {
            return fail(line.error());
        }
        if (!*line) {
            return fail({ErrorKind::unreachable, fmt::format("the agent at {} went away", socket.string())});
        }
        const auto end = codec::read_events_end(**line);
        if (!end) {
            return fail(end.error());
        }
        if (*end) {
            return ExitCode::ok;
        }
        const auto written = write_stdout(shown(options, **line, paint, width).text);
        if (!written) {
            return fail(written.error());
        }
        if (!*written) {
            return ExitCode::ok;
        }
    }
}

ExitCode release_all(const ControlOptions& options)
{
    const auto line = request_answer(socket_of(options), options.request);
    if (!line && line.error().kind == ErrorKind::unreachable) {
        print_stderr(fmt::format("petrel: {}", line.error().what));
        print_stderr("petrel: releasing the mitigations in the journals");
        return release_without_agent(options.agent, options.json);
    }
    return show(options, line);
}

}  // namespace petrel::cli
