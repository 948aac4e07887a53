#include "cli/agent/live_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "cli/agent/control_client.hpp"
#include "codec/control_json.hpp"
#include "config/policy_bind.hpp"
#include "control/report.hpp"
#include "control/request.hpp"

namespace petrel::cli {
namespace {

using Request = control::ControlRequest::Command;
using Condition = control::DeviceReport::Condition;

struct RunningAgent {
    control::StatusReport status;
    std::vector<control::QueueReport> queues;
};

Result<RunningAgent> ask_agent(const std::filesystem::path& socket)
{
    control::ControlRequest request;
    request.command = Request::status;
    return request_answer(socket, request).and_then(codec::read_status).and_then([&](control::StatusReport status) {
        request.command = Request::queues;
        return request_answer(socket, request)
            .and_then(codec::read_queues)
            .map([&](std::vector<control::QueueReport> queues) {
                return RunningAgent{std::move(status), std::move(queues)};
            });
    });
}

std::vector<PortNames> ports_of(const std::vector<control::QueueReport>& queues, std::string_view device)
{
    std::set<std::string> names;
    for (const auto& queue : queues) {
        if (queue.device == device) {
            names.insert(queue.port);
        }
    }
    std::vector<PortNames> ports;
    std::ranges::transform(names, std::back_inserter(ports), [](const auto& name) { return PortNames{name, {}, {}}; });
    return ports;
}

class Check {
public:
    Check(const config::AgentConfig& config, std::span<daemon::Driver* const> drivers)
        : config_(config), drivers_(drivers)
    {}

    LiveCheck run()
    {
        const auto socket = control_socket({}, config_.control_socket);
        auto agent = ask_agent(socket);
        if (agent) {
            agent_ = std::move(*agent);
        } else if (agent.error().kind == ErrorKind::unreachable) {
            found_.text += fmt::format("  no agent answers at {}: only this machine is checked\n", socket.string());
        } else {
            add({}, agent.error().what);
        }
        for (const auto& entry : config_.devices) {
            expand(entry);
        }
        check_port_names();
        return std::move(found_);
    }

private:
    void add(const Place& at, std::string problem)
    {
        found_.problems.push_back({config_.file, at.line, at.column, std::move(problem), {}});
    }

    // The problems of another file, such as the scenario of a twin, have their own places.
    void add(const Place& at, const Error& error)
    {
        if (error.complaints.empty()) {
            return add(at, error.what);
        }
        found_.problems.insert(found_.problems.end(), error.complaints.begin(), error.complaints.end());
    }

    void expand(const config::DeviceEntry& entry)
    {
        auto* driver = daemon::find_driver(drivers_, entry);
        const auto devices = driver->expand(entry);
        if (!devices) {
            all_ports_known_ = false;
            return add(entry.at, devices.error());
        }
        for (const auto& device : *devices) {
            check(*driver, device);
        }
    }

    void check(daemon::Driver& driver, const config::DeviceEntry& device)
    {
        auto ports = driver.ports(device);
        if (!ports) {
            all_ports_known_ = false;
            return add(device.at, fmt::format("{}: {}", device.name, ports.error().what));
        }
        std::string watched;
        if (agent_) {
            const auto& reports = agent_->status.devices;
            const auto report = std::ranges::find(reports, device.name, &control::DeviceReport::name);
            if (report == reports.end()) {
                all_ports_known_ = all_ports_known_ && ports->has_value();
                return add(device.at, fmt::format("the running agent (process {}) has no device '{}': restart it",
                                                  agent_->status.pid, device.name));
            }
            watched = compare(device, *report);
            if (auto open = ports_of(agent_->queues, device.name); !*ports && !open.empty()) {
                *ports = std::move(open);
            }
        }
        found_.text += fmt::format("  {}: {}{}{}\n", device.name, device.driver,
                                   *ports ? fmt::format(", {} ports", (*ports)->size())
                                          : std::string{", ports not checked: only the running agent has their names"},
                                   watched);
        if (*ports) {
            inventories_.push_back({{}, std::move(**ports), 0});
        } else {
            all_ports_known_ = false;
        }
    }

    std::string compare(const config::DeviceEntry& device, const control::DeviceReport& report)
    {
        if (report.condition == Condition::failing || report.condition == Condition::not_answering) {
            add(device.at, fmt::format("{} is {}: {}", device.name, control::name(report.condition), report.why));
        } else if (report.condition == Condition::watching && report.watched == 0) {
            add(device.at, fmt::format("the running agent watches no queue of {}", device.name));
        }
        return fmt::format(", {}, {} of {} queues watched", control::name(report.condition), report.watched,
                           report.queues);
    }

    void check_port_names()
    {
        if (!all_ports_known_) {
            return;
        }
        std::vector<const watchdog::Inventory*> devices;
        std::ranges::transform(inventories_, std::back_inserter(devices), [](const auto& of) { return &of; });
        const auto unknown = config::unknown_ports(config_.policies, devices);
        found_.problems.insert(found_.problems.end(), unknown.begin(), unknown.end());
    }

    const config::AgentConfig& config_;
    std::span<daemon::Driver* const> drivers_;
    std::optional<RunningAgent> agent_;
    std::vector<watchdog::Inventory> inventories_;  // with names of ports only
    bool all_ports_known_{true};
    LiveCheck found_;
};

}  // namespace

LiveCheck check_live(const config::AgentConfig& config, std::span<daemon::Driver* const> drivers)
{
    return Check{config, drivers}.run();
}

}  // namespace petrel::cli
