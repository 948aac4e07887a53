#include "sonic_tools/agent_orders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codec/control_json.hpp"

namespace petrel::sonic_tools {
namespace {

using control::ControlRequest;
using Lines = std::vector<std::string>;

std::string first_of(const Lines& lines) { return lines.empty() ? std::string{} : lines.front(); }

// The devices that have a queue of this name. If there is none, the request names no device and the agent reports the
// error.
std::vector<std::string> devices_with(const std::string& name, const std::vector<control::QueueReport>& queues)
{
    std::vector<std::string> devices;
    for (const auto& queue : queues) {
        const bool listed = std::find(devices.begin(), devices.end(), queue.device) != devices.end();
        if (!listed && means(name, name_of(queue))) {
            devices.push_back(queue.device);
        }
    }
    return devices.empty() ? std::vector<std::string>{""} : devices;
}

}  // namespace

std::vector<std::string> request_lines(const Desk& desk, const ControlRequest& request)
{
    auto lines = desk.around.request_answer(desk.where, request);
    if (!lines) {
        stop_with(lines.error());
    }
    return std::move(*lines);
}

std::string name_of(const control::QueueReport& queue)
{
    return queue.priority ? fmt::format("{}:{}", queue.port, *queue.priority) : queue.port;
}

Result<std::vector<control::QueueReport>> agents_queues(const Desk& desk)
{
    ControlRequest request;
    request.command = ControlRequest::Command::queues;
    return desk.around.request_answer(desk.where, request).and_then([](const Lines& lines) {
        return codec::read_queues(first_of(lines));
    });
}

std::vector<Result<control::OrderReport>> order(const Desk& desk, ControlRequest::Command command,
                                                const std::string& name)
{
    std::vector<std::string> devices{""};
    if (!name.empty()) {
        const auto queues = agents_queues(desk);
        if (!queues) {
            return {tl::unexpected(queues.error())};
        }
        devices = devices_with(name, *queues);
    }
    ControlRequest request;
    request.command = command;
    request.queue = name;
    request.note = desk.path;
    std::vector<Result<control::OrderReport>> results;
    for (const auto& device : devices) {
        request.device = device;
        results.push_back(desk.around.request_answer(desk.where, request).and_then([](const Lines& lines) {
            return codec::read_order(first_of(lines));
        }));
    }
    return results;
}

}  // namespace petrel::sonic_tools
