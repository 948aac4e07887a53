#include "daemon/control_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"
#include "daemon/event_order.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using codec::ControlRequest;
using watchdog::Order;
using watchdog::Phase;
using Command = ControlRequest::Command;

// It stands in the history with every order.
constexpr std::size_t kLongestNote = 256;

bool about_tables(Command command)
{
    return command == Command::table_keys || command == Command::table_hashes || command == Command::table_change;
}

bool treated(Phase phase) { return phase == Phase::mitigating || phase == Phase::mitigated || phase == Phase::latched; }

// The rows that a target means: itself, or all queues of a port.
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

template <class T>
std::string line_of(const Result<T>& answer)
{
    return answer ? codec::answer_json(*answer) : codec::answer_json(answer.error());
}

// What an order came to, row by row, as it is now.
std::vector<std::string> states(const DeviceRunner& runner, const Target& target)
{
    const auto& dog = runner.agent()->watchdog();
    std::vector<std::string> words;
    for_rows(dog.watchlist(), target, [&](Slot slot) {
        const auto& row = dog.watchlist().rows[slot.value];
        const auto phase = dog.phase(slot);
        if (row.policy != watchdog::kUnwatched || !at_rest(phase)) {
            words.push_back(fmt::format("{} of {} is {}",
                                        queue_name(runner, dog.watchlist().inventory.rows[slot.value].target),
                                        runner.name(), name(phase)));
        }
    });
    return words;
}

// Whoever releases under it should know that this does not last.
void add_red_switch(const DeviceRunner& runner, std::vector<std::string>& words)
{
    if (runner.agent()->watchdog().watchlist().big_red_switch) {
        words.push_back(fmt::format("{}: the big red switch is still on: the next change of the configuration and the "
                                    "next start mitigate every watched queue again",
                                    runner.name()));
    }
}

// Of one target or of all. What is not zero then is being counted.
Result<codec::OrderReport> clear_statistics(DeviceRunner& runner, const std::optional<Target>& target, Instant now,
                                            const std::string& by)
{
    if (const auto taken = runner.order({Order::Kind::clear, target, by}); !taken) {
        return tl::unexpected(taken.error());
    }
    const auto& dog = runner.agent()->watchdog();
    const auto& rows = dog.watchlist().inventory.rows;
    std::uint64_t cleared = 0;
    std::vector<std::string> words;
    const auto look = [&](Slot slot) {
        if (dog.stats(slot, now) == watchdog::QueueStats{}) {
            ++cleared;
        } else {
            words.push_back(fmt::format("{} of {} is in a storm: its statistics stay",
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
    words.insert(words.begin(),
                 fmt::format("{}: the statistics of {} are zero", runner.name(), count_text(cleared, "queue")));
    return codec::OrderReport{std::move(words)};
}

bool any(const DeviceRunner& runner, const Target& target, bool (*is)(Phase))
{
    const auto& dog = runner.agent()->watchdog();
    bool found = false;
    for_rows(dog.watchlist(), target, [&](Slot slot) { found = found || is(dog.phase(slot)); });
    return found;
}

}  // namespace

void ControlDesk::handle(const Peer& peer, std::string_view line)
{
    const auto request = codec::read_request(line);
    if (!request) {
        peer->send(codec::answer_json(request.error()));
        return peer->close_after_sending();
    }
    if (request->command == Command::events) {
        return send_events(peer, *request);
    }
    if (request->note.size() > kLongestNote) {
        peer->send(codec::answer_json(Error{
            ErrorKind::invalid, fmt::format("a note of {} bytes: at most {}", request->note.size(), kLongestNote)}));
        return peer->close_after_sending();
    }
    auto by = peer->caller().name;
    if (!request->note.empty()) {
        by += ": " + escaped(request->note);
    }
    if (about_tables(request->command)) {
        return desk_.tables(*request, by, [peer](const Result<codec::TableReport>& tables) {
            peer->send(line_of(tables));
            peer->close_after_sending();
        });
    }
    peer->send(answer(*request, by));
    peer->close_after_sending();
}

std::string ControlDesk::answer(const ControlRequest& request, const std::string& by)
{
    switch (request.command) {
    case Command::status: return codec::answer_json(desk_.status());
    case Command::queues: return line_of(queues(request));
    case Command::mitigate:
    case Command::release:
    case Command::hold: return line_of(order(request, by));
    case Command::clear: return line_of(clear(request, by));
    case Command::release_all: return line_of(release_all(by));
    case Command::explain: return line_of(explain(request));
    case Command::reload: return codec::answer_json(desk_.reload());
    case Command::events:
    case Command::table_keys:
    case Command::table_hashes:
    case Command::table_change:
    case Command::count_: break;
    }
    return codec::answer_json(Error{ErrorKind::unsupported, "this agent does not know the command"});
}

// A queue by its name, on the device that is named or on the only one that has it.
Result<ControlDesk::Place> ControlDesk::find(const ControlRequest& request) const
{
    if (const auto known = check_device(request.device); !known) {
        return tl::unexpected(known.error());
    }
    std::vector<Place> places;
    std::vector<std::string> known;
    for (const auto& runner : desk_.runners()) {
        if (!request.device.empty() && runner->name() != request.device) {
            continue;
        }
        if (runner->agent() == nullptr) {
            continue;
        }
        const auto& inventory = runner->agent()->watchdog().watchlist().inventory;
        if (const auto target = find_target(inventory, request.queue)) {
            places.push_back({runner.get(), *target});
        }
        for (const auto& row : inventory.rows) {
            known.push_back(to_string(inventory, row.target));
        }
    }
    if (places.size() > 1) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("{} devices have '{}': say which with --device {}", places.size(), request.queue,
                              fmt::join(places | std::views::transform([](const Place& p) { return p.runner->name(); }),
                                        ", "))});
    }
    if (places.empty()) {
        const std::vector<std::string_view> names{known.begin(), known.end()};
        return tl::unexpected(Error{ErrorKind::invalid, known.empty()
                                                            ? "no device is watched now: see `petrel status`"
                                                            : fmt::format("no queue or port '{}'; {}", request.queue,
                                                                          instead_of(request.queue, names))});
    }
    return places.front();
}

Result<codec::OrderReport> ControlDesk::order(const ControlRequest& request, const std::string& by) const
{
    const auto place = find(request);
    if (!place) {
        return tl::unexpected(place.error());
    }
    const auto& runner = place->runner;
    const auto& target = place->target;
    const auto refuse = [&](std::string_view why) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("{} of {} {}", request.queue, runner->name(), why)});
    };
    Order order{Order::Kind::release, target, by};
    if (request.command == Command::mitigate) {
        order.kind = Order::Kind::mitigate;
        const auto& rows = runner->agent()->watchdog().watchlist().rows;
        bool watched = false;
        for_rows(runner->agent()->watchdog().watchlist(), target,
                 [&](Slot slot) { watched = watched || rows[slot.value].policy != watchdog::kUnwatched; });
        if (!watched) {
            return refuse("is watched by no policy, so there is no action to take: add one to the configuration");
        }
    } else if (request.command == Command::hold) {
        order.kind = Order::Kind::hold;
        if (!any(*runner, target, treated)) {
            return refuse("is not mitigated, so there is nothing to hold; `petrel mitigate` mitigates it until it is "
                          "released");
        }
    } else if (!any(*runner, target, [](Phase phase) { return !at_rest(phase); })) {
        return codec::OrderReport{
            {fmt::format("{} of {} is not mitigated: there was nothing to release", request.queue, runner->name())}};
    }
    if (const auto taken = runner->order(order); !taken) {
        return tl::unexpected(taken.error());
    }
    codec::OrderReport report{states(*runner, target)};
    if (order.kind == Order::Kind::release) {
        add_red_switch(*runner, report.words);
    }
    return report;
}

Result<codec::OrderReport> ControlDesk::clear(const ControlRequest& request, const std::string& by) const
{
    if (!request.queue.empty()) {
        return find(request).and_then(
            [&](const Place& place) { return clear_statistics(*place.runner, place.target, desk_.now().mono, by); });
    }
    if (const auto known = check_device(request.device); !known) {
        return tl::unexpected(known.error());
    }
    codec::OrderReport report;
    for (const auto& runner : desk_.runners()) {
        if (!request.device.empty() && runner->name() != request.device) {
            continue;
        }
        auto cleared = clear_statistics(*runner, std::nullopt, desk_.now().mono, by);
        if (!cleared) {
            return cleared;
        }
        std::ranges::move(cleared->words, std::back_inserter(report.words));
    }
    return report;
}

// All of it, or an error that says what was not released.
Result<codec::OrderReport> ControlDesk::release_all(const std::string& by) const
{
    codec::OrderReport report;
    bool all = true;
    for (const auto& runner : desk_.runners()) {
        const auto before = runner->report().mitigated;
        const auto taken = runner->order({Order::Kind::release, std::nullopt, by});
        all = all && taken;
        report.words.push_back(!taken ? taken.error().what
                               : before == 0
                                   ? fmt::format("{}: nothing was mitigated", runner->name())
                                   : fmt::format("{}: {} released; a storm that still goes on proves itself anew",
                                                 runner->name(), count_text(before, "queue")));
        if (taken && before != 0) {
            add_red_switch(*runner, report.words);
        }
    }
    if (!all) {
        return tl::unexpected(
            Error{ErrorKind::exhausted, fmt::format("not everything was released. {}", fmt::join(report.words, "; "))});
    }
    return report;
}

Result<void> ControlDesk::check_device(const std::string& device) const
{
    const auto& runners = desk_.runners();
    const auto is = [&](const auto& runner) { return runner->name() == device; };
    if (device.empty() || std::ranges::any_of(runners, is)) {
        return {};
    }
    std::vector<std::string_view> names;
    std::ranges::transform(runners, std::back_inserter(names),
                           [](const auto& runner) -> std::string_view { return runner->name(); });
    return tl::unexpected(
        Error{ErrorKind::invalid, fmt::format("no device '{}'; {}", device, instead_of(device, names))});
}

Result<std::vector<codec::QueueReport>> ControlDesk::queues(const ControlRequest& request) const
{
    if (const auto known = check_device(request.device); !known) {
        return tl::unexpected(known.error());
    }
    std::vector<codec::QueueReport> all;
    for (const auto& runner : desk_.runners()) {
        if (runner->agent() == nullptr || (!request.device.empty() && runner->name() != request.device)) {
            continue;
        }
        const auto& dog = runner->agent()->watchdog();
        for (std::uint32_t row = 0; row != dog.watchlist().rows.size(); ++row) {
            if (!request.stormed || !at_rest(dog.phase(Slot{row}))) {
                all.push_back(queue_report(*runner, Slot{row}, desk_.now().mono));
            }
        }
    }
    return all;
}

Result<codec::ExplainReport> ControlDesk::explain(const ControlRequest& request) const
{
    auto place = find(request);
    if (!place) {
        return tl::unexpected(place.error());
    }
    const auto& dog = place->runner->agent()->watchdog();
    const auto& rows = dog.watchlist().inventory.rows;
    const auto row = std::ranges::find(rows, place->target, &watchdog::RowInfo::target);
    if (row == rows.end()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("'{}' is a port: name one of its queues, e.g. {}:3",
                                                                    request.queue, request.queue)});
    }
    codec::ExplainReport report;
    report.queue = queue_report(*place->runner, Slot{static_cast<std::uint32_t>(row - rows.begin())}, desk_.now().mono);
    const auto last = place->runner->last_decision(place->target);
    report.event = last.json;
    report.words = last.words;
    return report;
}

void ControlDesk::send_events(const Peer& peer, const ControlRequest& request)
{
    if (const auto known = check_device(request.device); !known) {
        peer->send(codec::answer_json(known.error()));
        return peer->close_after_sending();
    }
    std::vector<const std::deque<runtime::StoredEvent>*> devices;
    for (const auto& runner : desk_.runners()) {
        if (request.device.empty() || runner->name() == request.device) {
            devices.push_back(&runner->state().events());
        }
    }
    const auto all = in_order(devices);
    const auto first = request.last != 0 && request.last < all.size() ? all.size() - request.last : 0;
    std::string lines;
    for (std::size_t i = first; i != all.size(); ++i) {
        lines += all[i]->json + '\n';
    }
    if (request.follow) {
        if (!lines.empty()) {
            lines.pop_back();
            peer->send(std::move(lines));
        }
        forget_gone_followers();
        followers_.push_back({peer, request.device});
        return;
    }
    peer->send(lines + codec::events_end_json(all.size() - first));
    peer->close_after_sending();
}

void ControlDesk::heard(const std::string& device, const std::string& event_json)
{
    forget_gone_followers();
    for (const auto& follower : followers_) {
        const auto peer = follower.peer.lock();
        if (peer && (follower.device.empty() || follower.device == device)) {
            peer->send(event_json);
        }
    }
}

void ControlDesk::forget_gone_followers()
{
    std::erase_if(followers_, [](const Follower& follower) {
        const auto peer = follower.peer.lock();
        return !peer || peer->gone();
    });
}

}  // namespace petrel::daemon
