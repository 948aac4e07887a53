#include "runner/link_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "codec/event_json.hpp"
#include "codec/event_reader.hpp"
#include "codec/link_history.hpp"
#include "link/decode.hpp"
#include "link/reasons.hpp"

namespace petrel::runner {

namespace {

std::int64_t since_1970(WallTime at) { return at.time_since_epoch().count(); }

// A device that does not receive the neighbour's reasons has none to show.
control::LinkEventReport event_report(const link::DownEvent& event, bool receives_reasons)
{
    control::LinkEventReport report;
    report.seq = event.seq;
    report.ldr = event.ldr;
    if (receives_reasons || event.nldr != link::kNoReason) {
        report.nldr = event.nldr;
    }
    report.cause = event.ldr != link::kNoReason ? event.ldr : event.nldr;
    if (event.raw) {
        report.list = link::list_name(event.raw->list);
        report.code = event.raw->code;
        const auto decoded = link::decode(*event.raw);
        if (event.ldr != link::kSwitchManagement && decoded.known() && decoded.canonical != link::kNoReason) {
            report.cause = decoded.canonical;
        }
    }
    report.event_us = since_1970(event.event_at);
    report.observed_us = since_1970(event.observed_at);
    if (event.up_at) {
        report.up_us = since_1970(*event.up_at);
    }
    report.acknowledged = event.acknowledged;
    return report;
}

std::string number_text(std::uint64_t seq) { return fmt::format("event {}", seq); }

// Port, whether the link came up, and the number of the event at the port.
using PublishedChange = std::tuple<std::string, bool, std::string>;

std::optional<PublishedChange> published_change(const std::string& line)
{
    if (line.find("\"event\":\"link_") == std::string::npos) {
        return std::nullopt;  // parsing each of thousands of events would take long
    }
    const auto event = codec::read_event(line);
    if (!event || !event->known) {
        return std::nullopt;
    }
    const auto& why = event->known->by;  // as down_text() writes it
    return PublishedChange{event->port, event->known->kind == watchdog::EventKind::link_up,
                           why.substr(0, why.find(':'))};
}

}  // namespace

LinkWatch::LinkWatch(std::unique_ptr<LinkMemory> memory)
    : memory_(std::move(memory)),
      damage_(memory_ ? memory_->damage() : ""),
      follower_(memory_ ? memory_->remembered() : link::NamedHistories{})
{}

LinkWatch::Followed LinkWatch::follow(std::span<const link::LinkSample> samples, WallTime now)
{
    Followed followed{follower_.follow(samples, now), {}};
    std::string lines;
    for (const auto& change : followed.changes) {
        lines += change.event.seq == 0 ? codec::link_port_line(change.port, 0)
                                       : codec::link_event_line(change.port, change.event);
    }
    followed.stored = store(lines);
    std::erase_if(followed.changes, [](const link::LinkChange& change) { return change.event.seq == 0; });
    return followed;
}

watchdog::LinkReason LinkWatch::reason_of(const link::LinkChange& change) const
{
    auto report = event_report(change.event, follower_.receives_reasons(change.port));
    return {report.seq, report.ldr, report.nldr, report.cause, std::move(report.list), report.code};
}

std::vector<link::LinkChange> LinkWatch::unpublished(const std::deque<StoredEvent>& published)
{
    if (published.empty()) {
        return {};
    }
    std::set<PublishedChange> known;
    for (const auto& event : published) {
        if (const auto change = published_change(event.json)) {
            known.insert(*change);
        }
    }
    const WallTime oldest{std::chrono::microseconds{codec::event_time_us(published.front().json)}};
    std::vector<link::LinkChange> changes;
    const auto add = [&](const std::string& port, const link::DownEvent& event, bool up, WallTime at) {
        if (at >= oldest && !known.contains({port, up, number_text(event.seq)})) {
            changes.push_back({port, up, event});
        }
    };
    for (const auto& [port, history] : follower_.histories()) {
        for (const auto& event : history.events()) {
            add(port, event, false, event.observed_at);
            if (event.up_at) {
                add(port, event, true, *event.up_at);
            }
        }
    }
    return changes;
}

Result<std::size_t> LinkWatch::acknowledge(const std::string& port, std::uint64_t seq)
{
    const auto done = follower_.acknowledge(port, seq);
    if (done.empty()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no event {} to acknowledge", seq)});
    }
    std::string lines;
    for (const auto& event : done) {
        lines += codec::link_event_line(port, event);
    }
    return store(lines).map([&] { return done.size(); });
}

std::vector<control::LinkReport> LinkWatch::report(const std::string& device, const std::string& port, bool history,
                                                   WallTime now)
{
    std::vector<control::LinkReport> reports;
    for (const auto& link : follower_.links(now)) {
        if (!port.empty() && link.port != port) {
            continue;
        }
        auto& report = reports.emplace_back();
        report.device = device;
        report.port = link.port;
        report.up = link.up;
        report.receives_reasons = link.receives_reasons;
        report.quarantined = link.quarantined;
        const auto events = link.history->events();
        if (const auto* first = link.history->first_unacknowledged()) {
            report.unacknowledged = event_report(*first, link.receives_reasons);
            report.suppressed = static_cast<std::uint32_t>(
                std::count_if(events.begin(), events.end(), [](const auto& event) { return !event.acknowledged; }) - 1);
        }
        report.last_seq = link.history->newest();
        if (history) {
            std::transform(events.begin(), events.end(), std::back_inserter(report.events),
                           [&](const link::DownEvent& event) { return event_report(event, link.receives_reasons); });
        }
    }
    return reports;
}

Result<void> LinkWatch::store(const std::string& lines)
{
    if (!memory_ || lines.empty()) {
        return {};
    }
    return memory_->append(lines, [this] { return codec::link_history_text(follower_.histories()); });
}

std::string down_text(const link::DownEvent& event)
{
    auto text = fmt::format("{}: {}", number_text(event.seq), link::code_text(event.ldr));
    if (event.nldr != link::kNoReason) {
        text += fmt::format(", neighbour {}", link::code_text(event.nldr));
    }
    const auto decoded = event.raw ? link::decode(*event.raw) : link::Decoded{};
    if (event.raw && !(decoded.known() && decoded.canonical == link::kNoReason)) {
        text += fmt::format(" ({} {}{})", decoded.list, decoded.raw,
                            decoded.known()
                                ? fmt::format(" = 0x{:04X} {}", decoded.canonical, link::symbol_of(decoded.canonical))
                                : "");
    }
    return text;
}

}  // namespace petrel::runner
