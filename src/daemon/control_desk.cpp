#include "daemon/control_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <ranges>
#include <span>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using control::ControlRequest;
using watchdog::Order;
using watchdog::Phase;
using Command = ControlRequest::Command;

bool about_tables(Command command)
{
    return command == Command::table_keys || command == Command::table_hashes || command == Command::table_change;
}

bool treated(Phase phase) { return phase == Phase::mitigating || phase == Phase::mitigated || phase == Phase::latched; }

// Calls `what` for each row of a target: one row for a queue, all rows of the port for a port.
template <class What>
void for_rows(const watchdog::Watchlist& list, const Target& target, What what)
{
    for (std::uint32_t row = 0; row != list.inventory.rows.size(); ++row) {
        const auto& at = list.inventory.rows[row].target;
        if (at.port == target.port && (!target.priority || at.priority == target.priority)) {
            what(Slot{row});
        }
    }
}

std::string queue_name(const DeviceRunner& runner, const Target& target)
{
    return to_string(runner.agent()->watchdog().watchlist().inventory, target);
}

// Makes the answer from a report or from an error.
template <class T>
ControlAnswer line_of(Result<T> report)
{
    return [report = std::move(report)](const EventHistory&) {
        return report ? codec::answer_json(*report) : codec::answer_json(report.error());
    };
}

ControlAnswer order_line(control::OrderReport report)
{
    return line_of(Result<control::OrderReport>{std::move(report)});
}
ControlAnswer error_line(Error error)
{
    return line_of(Result<control::OrderReport>{tl::unexpected(std::move(error))});
}

// The result of an order: the present state of each row of its target.
std::vector<std::string> states(const DeviceRunner& runner, const Target& target)
{
    const auto& dog = runner.agent()->watchdog();
    std::vector<std::string> lines;
    for_rows(dog.watchlist(), target, [&](Slot slot) {
        const auto& row = dog.watchlist().rows[slot.value];
        const auto phase = dog.phase(slot);
        if (row.policy != watchdog::kUnwatched || !at_rest(phase)) {
            lines.push_back(fmt::format("{} of {} is {}",
                                        queue_name(runner, dog.watchlist().inventory.rows[slot.value].target),
                                        runner.name(), dog.held(slot) ? "held" : name(phase)));
        }
    });
    return lines;
}

// Adds a warning if the big red switch is on: then a release does not last.
void add_red_switch(const DeviceRunner& runner, Instant now, std::vector<std::string>& lines)
{
    if (runner.agent()->watchdog().watchlist().big_red_switch || red_switch_by_order(runner, now)) {
        lines.push_back(fmt::format("{}: the big red switch is still on: the next change of the configuration and the "
                                    "next start mitigate every watched queue again",
                                    runner.name()));
    }
}

// Clears the statistics of one target or of all. Statistics that are not zero afterwards belong to a storm under way.
Result<control::OrderReport> clear_statistics(DeviceRunner& runner, const std::optional<Target>& target, Instant now,
                                              const std::string& by)
{
    if (const auto taken = runner.order({Order::Kind::clear, target, by}); !taken) {
        return tl::unexpected(taken.error());
    }
    const auto& dog = runner.agent()->watchdog();
    const auto& rows = dog.watchlist().inventory.rows;
    std::uint64_t cleared = 0;
    std::vector<std::string> lines;
    const auto look = [&](Slot slot) {
        if (dog.stats(slot, now) == watchdog::QueueStats{}) {
            ++cleared;
        } else {
            lines.push_back(fmt::format("{} of {} is in a storm: its statistics stay",
                                        queue_name(runner, rows[slot.value].target), runner.name()));
        }
    };
    if (target) {
        for_rows(dog.watchlist(), *target, look);
    } else {
        for (std::uint32_t row = 0; row != rows.size(); ++row) {
            look(Slot{row});
        }
    }
    lines.insert(lines.begin(),
                 fmt::format("{}: the statistics of {} are zero", runner.name(), count_text(cleared, "queue")));
    return control::OrderReport{std::move(lines)};
}

std::uint32_t mitigated(const DeviceRunner& runner)
{
    control::DeviceReport counted;
    if (const auto now = runner.snapshot()) {
        count_rows(*now, counted);
    }
    return counted.mitigated;
}

bool any(const DeviceRunner& runner, const Target& target, bool (*is)(Phase))
{
    const auto& dog = runner.agent()->watchdog();
    bool found = false;
    for_rows(dog.watchlist(), target, [&](Slot slot) { found = found || is(dog.phase(slot)); });
    return found;
}

// Whether a row of the target is watched as a NIC, and `is`.
bool any_nic(const DeviceRunner& runner, const Target& target, bool (*is)(Phase))
{
    const auto& dog = runner.agent()->watchdog();
    const auto& list = dog.watchlist();
    bool found = false;
    for_rows(list, target, [&](Slot slot) {
        const auto policy = list.rows[slot.value].policy;
        found = found || (policy != watchdog::kUnwatched &&
                          list.policies[policy].criterion == watchdog::Criterion::receive_stall && is(dog.phase(slot)));
    });
    return found;
}

bool latched(Phase phase) { return phase == Phase::latched; }

std::string repair_hint(const std::string& port)
{
    return fmt::format("is latched until it is repaired: then use `petrel host repaired {}`", port);
}

// A line for each NIC that a release leaves latched.
void add_latched_nics(const DeviceRunner& runner, std::vector<std::string>& lines)
{
    const auto& inventory = runner.agent()->watchdog().watchlist().inventory;
    for (const auto& row : inventory.rows) {
        if (any_nic(runner, row.target, latched)) {
            const auto port = to_string(inventory, row.target);
            lines.push_back(fmt::format("{}: {} {}", runner.name(), port, repair_hint(port)));
        }
    }
}

// The names of all queues as an operator may write them, each with the names that find it: with its device if the agent
// has several.
using QueueNames = std::map<std::string, std::vector<std::string>, std::less<>>;

QueueNames queue_names(std::span<const std::shared_ptr<const DeviceSnapshot>> searched, bool several)
{
    QueueNames names;
    for (const auto& device : searched) {
        const auto& inventory = device->list->inventory;
        for (const auto& row : inventory.rows) {
            const auto queue = to_string(inventory, row.target);
            const auto whole = fmt::format("{}:{}", device->device, queue);
            names[queue].push_back(several ? whole : queue);
            names[whole].push_back(whole);
        }
    }
    return names;
}

// Every name in it works if the operator uses it instead.
std::string suggestion(std::string_view queue, const QueueNames& names)
{
    std::vector<std::string_view> all;
    std::vector<std::string_view> usable;
    for (const auto& [name, found_by] : names) {
        all.push_back(name);
        if (found_by.front() == name) {
            usable.push_back(name);
        }
    }
    const auto near = names.find(nearest(queue, all));
    if (near == names.end()) {
        return instead_of(queue, usable);
    }
    return near->second.size() == 1 ? fmt::format("the nearest is '{}'", near->second.front())
                                    : fmt::format("the nearest are {}", fmt::join(near->second, ", "));
}

}  // namespace

bool red_switch_by_order(const DeviceRunner& runner, Instant now)
{
    return runner.agent() != nullptr && runner.agent()->watchdog().save(now).red_switch;
}

void ControlDesk::handle(const ControlRequest& request, const std::string& by, const ControlReply& reply)
{
    if (about_tables(request.command)) {
        return desk_.tables(request, by,
                            [reply](const Result<control::TableReport>& tables) { reply(line_of(tables)); });
    }
    if (request.command == Command::reload) {
        return desk_.reload([reply](const Result<control::ReloadReport>& reloaded) { reply(line_of(reloaded)); });
    }
    if (request.command == Command::policy_push) {
        return desk_.push_policies(request.policy, by, [reply](const Result<control::ReloadReport>& pushed) {
            if (pushed && !pushed->problems.empty()) {
                return reply(error_line({ErrorKind::invalid, fmt::format("{}", fmt::join(pushed->problems, "; "))}));
            }
            reply(pushed ? order_line({{"the pushed policies are in force"}}) : error_line(pushed.error()));
        });
    }
    reply(answer(request, by));
}

ControlAnswer ControlDesk::answer(const ControlRequest& given, const std::string& by)
{
    const auto request = with_device(given);
    switch (request.command) {
    case Command::status:
        return [now = desk_.snapshot()](const EventHistory&) { return codec::answer_json(whole_status(now)); };
    case Command::queues: return queues(request);
    case Command::mitigate:
    case Command::release:
    case Command::repaired:
    case Command::hold: return order(request, by);
    case Command::clear: return clear(request, by);
    case Command::release_all: return release_all(by);
    case Command::red_switch: return red_switch(request, by);
    case Command::explain: return explain(request);
    case Command::links: return links(request);
    case Command::link_clear: return clear_link(request);
    case Command::events:
    case Command::reload:
    case Command::policy_push:
    case Command::table_keys:
    case Command::table_hashes:
    case Command::table_change:
    case Command::count_: break;
    }
    return error_line({ErrorKind::unsupported, "this agent does not have the command"});
}

// "leaf0:Ethernet1:3" names the device, too. A device may have a port with a colon in its name: the whole name comes
// first.
ControlRequest ControlDesk::with_device(ControlRequest request) const
{
    const bool link = request.command == Command::links || request.command == Command::link_clear;
    auto& name = link ? request.port : request.queue;
    std::string_view device;
    for (const auto& runner : desk_.runners()) {
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

// Finds a queue by its name, on the device that the request names or on the only device that has it. Suggestions for a
// wrong name are collected when the answer is rendered, outside the loop, because there may be many names.
ControlDesk::Found ControlDesk::find(const ControlRequest& request) const
{
    if (const auto known = check_device(request.device); !known) {
        return tl::unexpected(error_line(known.error()));
    }
    std::vector<Place> places;
    std::vector<std::shared_ptr<const DeviceSnapshot>> searched;
    for (const auto& runner : desk_.runners()) {
        if (runner->agent() == nullptr || (!request.device.empty() && runner->name() != request.device)) {
            continue;
        }
        if (const auto target = find_target(runner->agent()->watchdog().watchlist().inventory, request.queue)) {
            places.push_back({runner.get(), *target});
        }
    }
    if (places.size() > 1) {
        return tl::unexpected(error_line(
            {ErrorKind::invalid, fmt::format("{} devices have '{}': name one of {}", places.size(), request.queue,
                                             fmt::join(places | std::views::transform([&](const Place& p) {
                                                           return fmt::format("{}:{}", p.runner->name(), request.queue);
                                                       }),
                                                       ", "))}));
    }
    if (!places.empty()) {
        return places.front();
    }
    for (const auto& runner : desk_.runners()) {
        if (runner->agent() != nullptr && (request.device.empty() || runner->name() == request.device)) {
            searched.push_back(runner->snapshot());
        }
    }
    return tl::unexpected(ControlAnswer{[searched = std::move(searched), queue = request.queue,
                                         several = desk_.runners().size() > 1](const EventHistory&) {
        const auto known = queue_names(searched, several);
        return codec::answer_json(
            Error{ErrorKind::invalid, known.empty()
                                          ? "no device is watched now: see `petrel status`"
                                          : fmt::format("no queue or port '{}'; {}", queue, suggestion(queue, known))});
    }});
}

ControlAnswer ControlDesk::order(const ControlRequest& request, const std::string& by) const
{
    const auto place = find(request);
    if (!place) {
        return place.error();
    }
    const auto& runner = place->runner;
    const auto& target = place->target;
    const auto refuse = [&](std::string_view why) {
        return error_line({ErrorKind::invalid, fmt::format("{} of {} {}", request.queue, runner->name(), why)});
    };
    Order order{Order::Kind::release, target, by};
    if (request.command == Command::mitigate) {
        order.kind = Order::Kind::mitigate;
        const auto& rows = runner->agent()->watchdog().watchlist().rows;
        const auto& infos = runner->agent()->watchdog().watchlist().inventory.rows;
        bool watched = false;
        bool lossless = false;
        for_rows(runner->agent()->watchdog().watchlist(), target, [&](Slot slot) {
            watched = watched || rows[slot.value].policy != watchdog::kUnwatched;
            lossless = lossless || infos[slot.value].lossless;
        });
        if (!lossless) {
            return refuse("has PFC off, so no peer can pause it: there is nothing to mitigate");
        }
        if (!watched) {
            return refuse("is watched by no policy, so there is no action to take: add one to the configuration");
        }
    } else if (request.command == Command::hold) {
        order.kind = Order::Kind::hold;
        if (!any(*runner, target, treated)) {
            return refuse("is not mitigated, so there is nothing to hold; `petrel mitigate` mitigates it until it is "
                          "released");
        }
    } else if (request.command == Command::release && any_nic(*runner, target, latched)) {
        return refuse(repair_hint(request.queue));
    } else if (request.command == Command::repaired && !any_nic(*runner, target, [](Phase) { return true; })) {
        return refuse("is not watched as a NIC: `petrel release` releases a queue");
    } else if (!any(*runner, target, [](Phase phase) { return !at_rest(phase); })) {
        return order_line(
            {{fmt::format("{} of {} is not mitigated: there was nothing to {}", request.queue, runner->name(),
                          request.command == Command::repaired ? "put back" : "release")}});
    }
    if (request.command == Command::repaired) {
        order.kind = Order::Kind::repaired;
    }
    if (const auto taken = runner->order(order); !taken) {
        return error_line(taken.error());
    }
    control::OrderReport report{states(*runner, target)};
    if (order.kind == Order::Kind::release) {
        add_red_switch(*runner, desk_.now().mono, report.lines);
    }
    return order_line(std::move(report));
}

ControlAnswer ControlDesk::clear(const ControlRequest& request, const std::string& by) const
{
    if (!request.queue.empty()) {
        const auto place = find(request);
        return place ? line_of(clear_statistics(*place->runner, place->target, desk_.now().mono, by)) : place.error();
    }
    if (const auto known = check_device(request.device); !known) {
        return error_line(known.error());
    }
    control::OrderReport report;
    for (const auto& runner : desk_.runners()) {
        if (!request.device.empty() && runner->name() != request.device) {
            continue;
        }
        auto cleared = clear_statistics(*runner, std::nullopt, desk_.now().mono, by);
        if (!cleared) {
            return error_line(cleared.error());
        }
        std::ranges::move(cleared->lines, std::back_inserter(report.lines));
    }
    return order_line(std::move(report));
}

// Releases all devices. The answer is an error if a device does not take the order.
ControlAnswer ControlDesk::release_all(const std::string& by) const
{
    control::OrderReport report;
    bool all = true;
    for (const auto& runner : desk_.runners()) {
        std::vector<std::string> kept;
        if (runner->agent() != nullptr) {
            add_latched_nics(*runner, kept);
        }
        const auto before = mitigated(*runner) - static_cast<std::uint32_t>(kept.size());
        const auto taken = runner->order({Order::Kind::release, std::nullopt, by});
        all = all && taken;
        if (!taken) {
            report.lines.push_back(taken.error().what);
            continue;
        }
        if (before != 0 || kept.empty()) {
            report.lines.push_back(before == 0 ? fmt::format("{}: nothing was mitigated", runner->name())
                                               : fmt::format("{}: {} released; a storm that goes on is detected again",
                                                             runner->name(), count_text(before, "queue")));
        }
        std::ranges::move(kept, std::back_inserter(report.lines));
        if (before != 0) {
            add_red_switch(*runner, desk_.now().mono, report.lines);
        }
    }
    if (!all) {
        return error_line(
            {ErrorKind::exhausted, fmt::format("not everything was released. {}", fmt::join(report.lines, "; "))});
    }
    return order_line(std::move(report));
}

// Turns the big red switch of all devices, or of one. The answer is an error if a device does not take the order.
ControlAnswer ControlDesk::red_switch(const ControlRequest& request, const std::string& by) const
{
    if (const auto known = check_device(request.device); !known) {
        return error_line(known.error());
    }
    const bool on = request.state == "on";
    control::OrderReport report;
    bool all = true;
    ErrorKind refusal = ErrorKind::exhausted;
    for (const auto& runner : desk_.runners()) {
        if (!request.device.empty() && runner->name() != request.device) {
            continue;
        }
        const auto before = mitigated(*runner);
        const bool configured = runner->agent() != nullptr && runner->agent()->watchdog().watchlist().big_red_switch;
        const auto taken =
            configured && !on
                ? tl::unexpected(
                      Error{ErrorKind::invalid,
                            fmt::format("{}: the configuration turns the big red switch on: turn it off there",
                                        runner->name())})
                : runner->order({on ? Order::Kind::red_switch_on : Order::Kind::red_switch_off, std::nullopt, by});
        all = all && taken;
        refusal = taken ? refusal : taken.error().kind;
        report.lines.push_back(!taken ? taken.error().what
                                      : fmt::format("{}: the big red switch is {}; {} mitigated before, {} now",
                                                    runner->name(), request.state, before, mitigated(*runner)));
    }
    if (!all) {
        return error_line({refusal, fmt::format("not every device took the order. {}", fmt::join(report.lines, "; "))});
    }
    return order_line(std::move(report));
}

Result<void> ControlDesk::check_device(const std::string& device) const
{
    std::vector<std::string> names;
    std::ranges::transform(desk_.runners(), std::back_inserter(names),
                           [](const auto& runner) { return runner->name(); });
    return daemon::check_device(names, device);
}

ControlAnswer ControlDesk::queues(const ControlRequest& request) const
{
    if (const auto known = check_device(request.device); !known) {
        return error_line(known.error());
    }
    std::vector<std::shared_ptr<const DeviceSnapshot>> devices;
    for (const auto& runner : desk_.runners()) {
        if (runner->agent() != nullptr && (request.device.empty() || runner->name() == request.device)) {
            devices.push_back(runner->snapshot());
        }
    }
    return [devices = std::move(devices), stormed = request.stormed](const EventHistory&) {
        std::vector<control::QueueReport> all;
        for (const auto& device : devices) {
            for (std::uint32_t row = 0; row != device->rows.size(); ++row) {
                if (!stormed || !at_rest(device->rows[row].phase)) {
                    all.push_back(queue_report(*device, Slot{row}));
                }
            }
        }
        return codec::answer_json(all);
    };
}

ControlAnswer ControlDesk::links(const ControlRequest& request) const
{
    if (const auto known = check_device(request.device); !known) {
        return error_line(known.error());
    }
    std::vector<control::LinkReport> all;
    for (const auto& runner : desk_.runners()) {
        if (request.device.empty() || runner->name() == request.device) {
            std::ranges::move(runner->links(request.port, request.history), std::back_inserter(all));
        }
    }
    if (all.empty() && !request.port.empty()) {
        return error_line({ErrorKind::invalid,
                           fmt::format("no link of a port '{}' is followed: see `petrel link show`", request.port)});
    }
    return [all = std::move(all)](const EventHistory&) { return codec::answer_json(all); };
}

// The port may be one that several devices have.
ControlAnswer ControlDesk::clear_link(const ControlRequest& request) const
{
    if (const auto known = check_device(request.device); !known) {
        return error_line(known.error());
    }
    std::vector<DeviceRunner*> having;
    for (const auto& runner : desk_.runners()) {
        if ((request.device.empty() || runner->name() == request.device) &&
            !runner->links(request.port, false).empty()) {
            having.push_back(runner.get());
        }
    }
    if (having.size() != 1) {
        return error_line(
            {ErrorKind::invalid,
             having.empty()
                 ? fmt::format("no link of a port '{}' is followed: see `petrel link show`", request.port)
                 : fmt::format("{} devices have '{}': choose one with --device", having.size(), request.port)});
    }
    const auto cleared = having.front()->acknowledge_link(request.port, request.sequence);
    return cleared ? order_line({{fmt::format("{} of {}: {} acknowledged", request.port, having.front()->name(),
                                              count_text(*cleared, "event"))}})
                   : error_line(cleared.error());
}

ControlAnswer ControlDesk::explain(const ControlRequest& request) const
{
    const auto place = find(request);
    if (!place) {
        return place.error();
    }
    const auto& dog = place->runner->agent()->watchdog();
    const auto& inventory = dog.watchlist().inventory;
    const auto row = std::ranges::find(inventory.rows, place->target, &watchdog::RowInfo::target);
    if (row == inventory.rows.end()) {
        return error_line({ErrorKind::invalid, fmt::format("'{}' is a port: name one of its queues, e.g. {}:3",
                                                           request.queue, request.queue)});
    }
    control::ExplainReport report;
    report.queue =
        queue_report(*place->runner, Slot{static_cast<std::uint32_t>(row - inventory.rows.begin())}, desk_.now().mono);
    const auto last = place->runner->last_decision(place->target);
    if (last) {
        report.lines = last->text;
    }
    const auto seq = last ? last->seq : 0;
    return [report, seq, port = inventory.ports[place->target.port.index].name,
            priority = place->target.priority](const EventHistory& history) mutable {
        const auto& device = report.queue.device;
        report.event = seq != 0 ? history.find(device, seq) : history.last_about(device, port, priority);
        return codec::answer_json(report);
    };
}

}  // namespace petrel::daemon
