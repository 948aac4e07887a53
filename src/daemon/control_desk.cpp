#include "daemon/control_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
            lines.push_back(fmt::format("{} is {}",
                                        full_name(runner, dog.watchlist().inventory.rows[slot.value].target),
                                        dog.held(slot) ? "held" : name(phase)));
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
            lines.push_back(
                fmt::format("{} is in a storm: its statistics stay", full_name(runner, rows[slot.value].target)));
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

// How many rows of the device have a treatment that is to stay.
std::uint32_t mitigated(const DeviceRunner& runner)
{
    std::uint32_t count = 0;
    if (runner.agent() != nullptr) {
        const auto& dog = runner.agent()->watchdog();
        for (std::uint32_t row = 0; row != dog.watchlist().rows.size(); ++row) {
            count += treated(dog.phase(Slot{row})) ? 1U : 0U;
        }
    }
    return count;
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
            const auto port = full_name(runner, row.target);
            lines.push_back(fmt::format("{} {}", port, repair_hint(port)));
        }
    }
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
    const auto request = names().with_device(given);
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
    case Command::events: return events(request);
    case Command::reload:
    case Command::policy_push:
    case Command::table_keys:
    case Command::table_hashes:
    case Command::table_change:
    case Command::count_: break;
    }
    return error_line({ErrorKind::unsupported, "this agent does not have the command"});
}

ControlAnswer ControlDesk::order(const ControlRequest& request, const std::string& by) const
{
    const auto place = names().find(request);
    if (!place) {
        return place.error();
    }
    const auto& runner = place->runner;
    const auto& target = place->target;
    const auto refuse = [&](std::string_view why) {
        return error_line({ErrorKind::invalid, fmt::format("{} {}", full_name(*runner, target), why)});
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
        return refuse(repair_hint(full_name(*runner, target)));
    } else if (request.command == Command::repaired && !any_nic(*runner, target, [](Phase) { return true; })) {
        return refuse("is not watched as a NIC: `petrel release` releases a queue");
    } else if (!any(*runner, target, [](Phase phase) { return !at_rest(phase); })) {
        return order_line({{fmt::format("{} is not mitigated: there was nothing to {}", full_name(*runner, target),
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
        const auto place = names().find(request);
        return place ? line_of(clear_statistics(*place->runner, place->target, desk_.now().mono, by)) : place.error();
    }
    if (const auto known = names().check_device(request.device); !known) {
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
    if (const auto known = names().check_device(request.device); !known) {
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

ControlAnswer ControlDesk::queues(const ControlRequest& request) const
{
    if (const auto known = names().check_device(request.device); !known) {
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
    if (const auto known = names().check_device(request.device); !known) {
        return error_line(known.error());
    }
    std::vector<control::LinkReport> all;
    for (const auto& runner : desk_.runners()) {
        if (request.device.empty() || runner->name() == request.device) {
            std::ranges::move(runner->links(request.port, request.history), std::back_inserter(all));
        }
    }
    if (all.empty() && !request.port.empty()) {
        return error_line(names().no_such_link(request));
    }
    return [all = std::move(all)](const EventHistory&) { return codec::answer_json(all); };
}

// The port may be one that several devices have.
ControlAnswer ControlDesk::clear_link(const ControlRequest& request) const
{
    if (const auto known = names().check_device(request.device); !known) {
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
        return error_line(having.empty() ? names().no_such_link(request)
                                         : ControlNames::several_have(request.port, having));
    }
    const auto cleared = having.front()->acknowledge_link(request.port, request.sequence);
    return cleared ? order_line({{fmt::format("{}:{}: {} acknowledged", having.front()->name(), request.port,
                                              count_text(*cleared, "event"))}})
                   : error_line(cleared.error());
}

// Of a queue about which the history has no event: it may be one that no device has.
ControlAnswer ControlDesk::events(const ControlRequest& request) const
{
    if (!request.queue.empty() && names().places(request).empty()) {
        return names().no_such_queue(request);
    }
    return [request](const EventHistory& history) { return events_answer(history, request); };
}

ControlAnswer ControlDesk::explain(const ControlRequest& request) const
{
    const auto place = names().find(request);
    if (!place) {
        return place.error();
    }
    const auto& dog = place->runner->agent()->watchdog();
    const auto& inventory = dog.watchlist().inventory;
    const auto row = std::ranges::find(inventory.rows, place->target, &watchdog::RowInfo::target);
    if (row == inventory.rows.end()) {
        const auto queue = std::ranges::find(inventory.rows, place->target.port,
                                             [](const watchdog::RowInfo& one) { return one.target.port; });
        return error_line(
            {ErrorKind::invalid, queue == inventory.rows.end()
                                     ? fmt::format("'{}' is a port without queues", request.queue)
                                     : fmt::format("'{}' is a port: name one of its queues, e.g. {}", request.queue,
                                                   full_name(*place->runner, queue->target))});
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
