#include "daemon/control_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"

namespace petrel::daemon {

namespace {

using control::ControlRequest;
using Command = ControlRequest::Command;

bool about_link(const ControlRequest& request)
{
    return request.command == Command::links || request.command == Command::link_clear;
}

// Names as an operator may write them, each with the names that find it: with its device if the agent has several.
class Names {
public:
    explicit Names(bool several) : several_(several) {}

    void add(std::string_view device, const std::string& name)
    {
        const auto whole = fmt::format("{}:{}", device, name);
        names_[name].insert(several_ ? whole : name);
        names_[whole].insert(whole);
    }

    bool empty() const { return names_.empty(); }

    // Every name in it works if the operator uses it instead.
    std::string suggestion(std::string_view word) const
    {
        std::vector<std::string_view> all;
        std::vector<std::string_view> usable;
        for (const auto& [name, found_by] : names_) {
            all.push_back(name);
            if (found_by.contains(name)) {
                usable.push_back(name);
            }
        }
        const auto near = names_.find(nearest(word, all));
        if (near == names_.end()) {
            return instead_of(word, usable);
        }
        return near->second.size() == 1 ? fmt::format("the nearest is '{}'", *near->second.begin())
                                        : fmt::format("the nearest are {}", fmt::join(near->second, ", "));
    }

private:
    bool several_;
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> names_;
};

}  // namespace

std::string full_name(const DeviceRunner& runner, const Target& target)
{
    auto own = to_string(runner.agent()->watchdog().watchlist().inventory, target);
    return own == runner.name() ? own : fmt::format("{}:{}", runner.name(), own);
}

ControlRequest ControlNames::with_device(ControlRequest request) const
{
    const bool link = about_link(request);
    auto& name = link ? request.port : request.queue;
    std::string_view device;
    for (const auto& runner : runners_) {
        if (!link && runner->agent() != nullptr &&
            find_target(runner->agent()->watchdog().watchlist().inventory, name)) {
            return request;
        }
        const auto& own = runner->name();
        if (name.starts_with(own) && name.substr(own.size()).starts_with(':') && own.size() > device.size() &&
            (request.device.empty() || request.device == own)) {
            device = own;
        }
    }
    if (!device.empty()) {
        request.device = device;
        name.erase(0, device.size() + 1);
    }
    return request;
}

Result<void> ControlNames::check_device(const std::string& device) const
{
    std::vector<std::string> names;
    std::ranges::transform(runners_, std::back_inserter(names), [](const auto& runner) { return runner->name(); });
    return daemon::check_device(names, device);
}

bool ControlNames::chosen(const ControlRequest& request, const DeviceRunner& runner) const
{
    return request.device.empty() || runner.name() == request.device;
}

std::vector<ControlNames::Place> ControlNames::places(const ControlRequest& request) const
{
    std::vector<Place> places;
    for (const auto& runner : runners_) {
        if (runner->agent() == nullptr || !chosen(request, *runner)) {
            continue;
        }
        if (const auto target = find_target(runner->agent()->watchdog().watchlist().inventory, request.queue)) {
            places.push_back({runner.get(), *target});
        }
    }
    return places;
}

ControlNames::Found ControlNames::find(const ControlRequest& request) const
{
    const auto refused = [](const Error& error) {
        return tl::unexpected(ControlAnswer{[error](const EventHistory&) { return codec::answer_json(error); }});
    };
    if (const auto known = check_device(request.device); !known) {
        return refused(known.error());
    }
    const auto all = places(request);
    if (all.empty()) {
        return tl::unexpected(no_such_queue(request));
    }
    if (all.size() > 1) {
        std::vector<DeviceRunner*> having;
        std::ranges::transform(all, std::back_inserter(having), &Place::runner);
        return refused(several_have(request.queue, having));
    }
    return all.front();
}

Error ControlNames::several_have(std::string_view name, std::span<DeviceRunner* const> having)
{
    std::vector<std::string> names;
    std::ranges::transform(having, std::back_inserter(names),
                           [&](const auto* runner) { return fmt::format("{}:{}", runner->name(), name); });
    return {ErrorKind::invalid,
            fmt::format("{} devices have '{}': name one of {}", having.size(), name, fmt::join(names, ", "))};
}

ControlAnswer ControlNames::no_such_queue(const ControlRequest& request) const
{
    std::vector<std::shared_ptr<const DeviceSnapshot>> searched;
    for (const auto& runner : runners_) {
        if (runner->agent() != nullptr && chosen(request, *runner)) {
            searched.push_back(runner->snapshot());
        }
    }
    return [searched = std::move(searched), queue = request.queue, ports = request.command != Command::explain,
            several = runners_.size() > 1](const EventHistory&) {
        Names names{several};
        std::string of_device;  // a queue, if the word is the name of a device
        for (const auto& device : searched) {
            const auto& inventory = device->list->inventory;
            for (const auto& row : inventory.rows) {
                names.add(device->device, to_string(inventory, row.target));
                if (ports && row.target.priority) {
                    names.add(device->device, inventory.ports[row.target.port.index].name);
                }
            }
            if (device->device == queue && !inventory.rows.empty()) {
                of_device = fmt::format("{}:{}", queue, to_string(inventory, inventory.rows.front().target));
            }
        }
        return codec::answer_json(Error{
            ErrorKind::invalid, names.empty() ? "no device is watched now: see `petrel status`"
                                : !of_device.empty()
                                    ? fmt::format("'{}' is a device: name one of its queues, e.g. {}", queue, of_device)
                                    : fmt::format("no queue or port '{}'; {}", queue, names.suggestion(queue))});
    };
}

Error ControlNames::no_such_link(const ControlRequest& request) const
{
    Names names{runners_.size() > 1};
    for (const auto& runner : runners_) {
        if (chosen(request, *runner)) {
            for (const auto& link : runner->links({}, false)) {
                names.add(runner->name(), link.port);
            }
        }
    }
    return {ErrorKind::invalid,
            names.empty() ? std::string{"no links are followed: no device reports them"}
                          : fmt::format("no link of a port '{}'; {}", request.port, names.suggestion(request.port))};
}

}  // namespace petrel::daemon
