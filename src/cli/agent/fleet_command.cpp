#include "cli/agent/fleet_command.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"
#include "codec/fleet_client_json.hpp"
#include "codec/uplink_json.hpp"
#include "config/manager_url.hpp"
#include "daemon/manager_endpoints.hpp"
#include "daemon/manager_token.hpp"
#include "http_client/client.hpp"
#include "reports/agent/control_problems.hpp"
#include "reports/agent/control_text.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;
using FleetCommand = control::ControlRequest::Command;

constexpr int kLookAgain_ms = 100;
constexpr int kLooksForLeader = 300;
constexpr int kFollow_ms = 1000;
constexpr std::size_t kEventsOfAPage = 1000;

// One manager or a group, and the token with which it admits this client.
class ManagerClient {
public:
    static Result<ManagerClient> make(const FleetOptions& options, const AgentParts& parts)
    {
        if (parts.make_manager_client == nullptr) {
            return tl::unexpected(
                Error{ErrorKind::unsupported, "--manager: this program cannot send to a manager; `petrel` can"});
        }
        const auto endpoints = daemon::manager_endpoints(options.manager, options.ca_file);
        if (!endpoints) {
            return tl::unexpected(endpoints.error());
        }
        auto token = daemon::manager_token(options.token_file);
        if (!token) {
            return tl::unexpected(token.error());
        }
        return ManagerClient{options.manager, endpoints->size() > 1, parts.make_manager_client(*endpoints),
                             std::move(*token)};
    }

    bool is_group() const { return group_; }

    // The body of a good answer. With a body it is a POST.
    Result<std::string> request(std::string path, std::optional<std::string> body = {}) const
    {
        const bool once = body.has_value();
        auto response = client_->send({.path = std::move(path),
                                       .body = std::move(body),
                                       .content_type = "application/json",
                                       .token = token_,
                                       .within = 15s,
                                       .once = once});
        if (!response) {
            return tl::unexpected(no_manager(url_, response.error()));
        }
        if (response->status == 200) {
            return std::move(response->body);
        }
        const auto kind = response->status == 400                              ? ErrorKind::invalid
                          : response->status == 401 || response->status == 403 ? ErrorKind::denied
                                                                               : ErrorKind::unreachable;
        return tl::unexpected(
            Error{kind, fmt::format("the manager {} refuses: {}", url_, escaped(codec::problem_text(response->body)))});
    }

private:
    ManagerClient(std::string url, bool group, std::unique_ptr<http_client::Client> client, std::string token)
        : url_(std::move(url)), group_(group), client_(std::move(client)), token_(std::move(token))
    {}

    std::string url_;
    bool group_;
    std::unique_ptr<http_client::Client> client_;
    std::string token_;
};

bool has_ended(const control::FleetReport& report)
{
    return report.state != "running" &&
           std::ranges::none_of(report.agents, [](const auto& one) { return one.state == "waiting"; });
}

// A group has another leader after some seconds.
Result<control::FleetReport> look_at(const ManagerClient& manager, std::uint64_t id)
{
    for (int tries = manager.is_group() ? kLooksForLeader : 1;; --tries) {
        auto body = manager.request(fmt::format("/api/v1/commands/{}", id));
        if (body || body.error().kind != ErrorKind::unreachable || tries == 1) {
            return body.and_then(codec::read_fleet_report);
        }
        ::poll(nullptr, 0, kLookAgain_ms);
    }
}

Result<control::FleetReport> follow(const ManagerClient& manager, const control::FleetRequest& request)
{
    if (manager.is_group()) {  // finds the leader: the order itself is sent to one manager only
        if (const auto leads = manager.request("/api/v1/commands"); !leads) {
            return tl::unexpected(leads.error());
        }
    }
    auto report =
        manager.request("/api/v1/commands", codec::fleet_request_json(request)).and_then([](const std::string& body) {
            return codec::read_fleet_report(body);
        });
    while (report && !request.dry_run && !has_ended(*report)) {
        ::poll(nullptr, 0, kLookAgain_ms);
        report = look_at(manager, report->id);
    }
    return report;
}

// One line for each agent.
std::string status_table(const control::FleetReport& report, std::size_t width)
{
    Table table{{{"agent", Align::left, {}},
                 {"devices", Align::right, {}},
                 {"queues watched", Align::right, {}, 2},
                 {"mitigated", Align::right, {}},
                 {"alerted", Align::right, {}, 1},
                 {"problem", Align::left, {}}}};
    for (const auto& one : report.agents) {
        const auto status = codec::read_status(one.answer);
        if (one.state != "done" || !status) {
            table.add({one.agent, "-", "-", "-", "-", one.state == "expired" ? "does not answer" : one.state});
            continue;
        }
        std::uint64_t watched = 0;
        std::uint64_t mitigated = 0;
        std::uint64_t alerted = 0;
        for (const auto& device : status->devices) {
            watched += device.watched;
            mitigated += device.mitigated;
            alerted += device.alerted;
        }
        const auto problems = reports::problems_of(*status);
        const auto more = problems.size() > 1 ? fmt::format(" (and {} more)", problems.size() - 1) : std::string{};
        table.add({one.agent, fmt::format("{}", status->devices.size()), fmt::format("{}", watched),
                   fmt::format("{}", mitigated), fmt::format("{}", alerted),
                   problems.empty() ? "-" : problems.front().what + more});
    }
    table.fit(width);
    return table.text();
}

bool reads(FleetCommand command)
{
    return command == FleetCommand::status || command == FleetCommand::queues || command == FleetCommand::explain ||
           command == FleetCommand::links;
}

std::string state_text(const std::string& state)
{
    return state == "expired"    ? "no result in time: it is not known whether it was executed"
           : state == "not_sent" ? "not sent"
                                 : state;
}

// Each line of the text with the agent in front, or below its name if the text is a table.
std::string of_agent(const std::string& agent, std::string_view text, bool below)
{
    if (below) {
        return fmt::format("{}:\n{}\n", escaped(agent), text);
    }
    std::string lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines += fmt::format("{}: {}\n", escaped(agent), text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string indented(std::string_view lines)
{
    std::string text;
    while (!lines.empty()) {
        const auto line = lines.substr(0, lines.find('\n'));
        text += fmt::format("    {}\n", line);
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return text;
}

std::string answers_text(const ControlOptions& options, const control::FleetReport& report)
{
    const Paint paint{stdout_wants_colour()};
    const auto width = stdout_columns();
    const auto command = options.request.command;
    if (command == FleetCommand::status && report.agents.size() > 1) {
        return status_table(report, width);
    }
    const bool below = reads(command);
    std::string text;
    for (const auto& one : report.agents) {
        const auto answer = one.answer.empty() ? Shown{} : shown(options, one.answer, paint, width);
        const bool good = one.state == "done" && answer.complaint.empty();
        text += good ? of_agent(one.agent, answer.text, below)
                     : fmt::format("{}: {}{}\n{}", escaped(one.agent), state_text(one.state),
                                   answer.complaint.empty() ? "" : ": " + answer.complaint, indented(answer.details));
    }
    return wrapped(text, width);
}

// How many agents are in which state, and why the others did not get the command.
std::string end_text(const control::FleetReport& report)
{
    std::map<std::string, std::size_t> count;
    for (const auto& one : report.agents) {
        ++count[one.state];
    }
    std::string text;
    for (const auto& [state, agents] : count) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", agents, state == "not_sent" ? "not sent" : state);
    }
    return fmt::format("command {}: {}{}", report.id, text, report.why.empty() ? "" : "; stopped: " + report.why);
}

std::string waves_text(const control::FleetReport& report)
{
    std::map<std::uint64_t, std::vector<std::string>> waves;
    for (const auto& one : report.agents) {
        waves[one.wave].push_back(escaped(one.agent));
    }
    std::string text;
    for (const auto& [wave, agents] : waves) {
        text += fmt::format("wave {}: {}\n", wave, fmt::join(agents, ", "));
    }
    return text;
}

ExitCode end_code(const control::FleetReport& report)
{
    const auto any = [&](std::string_view state) {
        return std::ranges::any_of(report.agents, [&](const auto& one) { return one.state == state; });
    };
    return any("failed") || !report.why.empty() ? ExitCode::failure
           : any("expired")                     ? ExitCode::unreachable
                                                : ExitCode::ok;
}

std::string json_text(const control::FleetReport& report)
{
    std::string text;
    for (const auto& one : report.agents) {
        text += codec::fleet_answer_json(one) + '\n';
    }
    return text;
}

bool chooses(const control::FleetRequest& request)
{
    return request.all || !request.agents.empty() || !request.racks.empty() || !request.roles.empty() ||
           !request.devices.empty();
}

// The devices whose events are wanted; none: all. An agent may have several.
Result<std::optional<std::set<std::string>>> chosen_devices(const ManagerClient& manager, control::FleetRequest request)
{
    if (!chooses(request)) {
        return std::nullopt;
    }
    request.request = {};
    request.request.command = FleetCommand::status;
    request.dry_run = true;
    return follow(manager, request)
        .and_then([&](const control::FleetReport& report) -> Result<std::optional<std::set<std::string>>> {
            if (!request.devices.empty()) {
                return std::set<std::string>{request.devices.begin(), request.devices.end()};
            }
            return manager.request("/api/v1/devices")
                .and_then(codec::read_device_agents)
                .map([&](const auto& agent_of) {
                    std::optional<std::set<std::string>> devices{std::in_place};
                    for (const auto& [device, agent] : agent_of) {
                        if (std::ranges::find(report.agents, agent, &control::FleetAnswer::agent) !=
                            report.agents.end()) {
                            devices->insert(device);
                        }
                    }
                    return devices;
                });
        });
}

// Those that the manager has, the oldest first; then new ones, if the user wants to follow.
ExitCode show_fleet_events(const ControlOptions& options, const ManagerClient& manager,
                           const control::FleetRequest& request)
{
    const auto chosen = chosen_devices(manager, request);
    if (!chosen) {
        return fail(chosen.error());
    }
    const Paint paint{stdout_wants_colour()};
    std::deque<std::string> last;
    const auto device =
        options.request.device.empty() ? std::string{} : "&device=" + config::percent_escaped(options.request.device);
    const auto print = [&](const std::string& line) {
        return write_stdout(shown(options, line, paint, stdout_columns()).text);
    };
    for (std::int64_t after = 0;;) {
        const auto page =
            manager.request(fmt::format("/api/v1/events?after={}&limit={}{}", after, kEventsOfAPage, device))
                .and_then([](const std::string& body) { return codec::read_fleet_events(body); });
        if (!page) {
            return fail(page.error());
        }
        after = page->next;
        for (const auto& [from, line] : page->lines) {
            if (*chosen && !(*chosen)->contains(from)) {
                continue;
            }
            last.push_back(line);
            if (options.request.last != 0 && last.size() > options.request.last) {
                last.pop_front();
            }
        }
        const bool is_last_page = page->lines.size() < kEventsOfAPage;
        if (is_last_page || options.request.last == 0) {
            for (const auto& line : std::exchange(last, {})) {
                if (const auto written = print(line); !written || !*written) {
                    return written ? ExitCode::ok : fail(written.error());
                }
            }
        }
        if (is_last_page && !options.request.follow) {
            return ExitCode::ok;
        }
        if (is_last_page) {
            ::poll(nullptr, 0, kFollow_ms);
        }
    }
}

}  // namespace

Error no_manager(std::string_view url, const Error& why)
{
    const bool away = why.kind == ErrorKind::unreachable;
    return {why.kind, fmt::format("the manager at {}: {}{}", url, why.what,
                                  away ? "; is it running there? (systemctl status petrel-manager)" : "")};
}

ExitCode run_for_fleet(ControlOptions options, FleetOptions fleet)
{
    options.other_machine = true;
    auto& request = fleet.request;
    request.request = options.request;
    // "leaf3:Ethernet4:3" and --device leaf3 name the agent of the device.
    const auto& queue = options.request.queue;
    const auto colon = queue.find(':');
    if (!options.request.device.empty()) {
        request.devices = {options.request.device};
    } else if (colon != std::string::npos && queue.find(':', colon + 1) != std::string::npos) {
        request.devices = {queue.substr(0, colon)};
    }
    const auto manager = ManagerClient::make(fleet, *options.agent.parts);
    if (!manager) {
        return fail(manager.error());
    }
    if (request.request.command == FleetCommand::events) {
        return show_fleet_events(options, *manager, request);
    }
    if (!reads(request.request.command) && !chooses(request)) {
        return fail({ErrorKind::invalid,
                     "which agents? An order needs --agent, --rack, --role, --device, a queue such as "
                     "leaf3:Ethernet4:3, or --all-agents"});
    }
    const auto report = follow(*manager, request);
    if (!report) {
        return fail(report.error());
    }
    if (request.dry_run) {
        return finish(waves_text(*report), ExitCode::ok);
    }
    if (options.json) {
        return finish(json_text(*report), end_code(*report));
    }
    const auto code = finish(answers_text(options, *report), end_code(*report));
    if (!reads(options.request.command) || code != ExitCode::ok) {
        print_stderr("petrel: " + end_text(*report));
    }
    return code;
}

}  // namespace petrel::cli
