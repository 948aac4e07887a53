#include "reports/fabric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/complaint_text.hpp"
#include "link/taxonomy.hpp"
#include "reports/agent/link_cells.hpp"
#include "terminal/table.hpp"
#include "wire/rfc5424.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using fabric::LinkDown;
using fabric::PortErrorRecord;
using fabric::QueueState;
using fabric::ShownEnd;
using fabric::ShownLink;
using fabric::ShownPort;
using Closed = PortErrorRecord::Closed;

std::string link_word(fabric::LinkState link)
{
    return link == fabric::LinkState::up ? "up" : link == fabric::LinkState::down ? "down" : "unknown";
}

std::string error_name(const PortErrorRecord& error)
{
    const bool named = error.cause != link::kUnclassified;
    return named ? link::symbol_of(error.cause) : fmt::format("unknown: {}", escaped(error.raw));
}

std::string closed_cell(const PortErrorRecord& error)
{
    if (error.closed == Closed::not_yet) {
        return "open";
    }
    return fmt::format("{}{}", wire::utc_text(error.closed_at),
                       error.closed == Closed::by_link_down ? " (link down)"
                       : error.closed == Closed::forgotten  ? " (forgotten)"
                                                            : "");
}

// The value of this queue or, for a whole port, the different values of its queues.
std::string treatment_cell(const ShownPort& port, std::optional<Priority> priority, std::string QueueState::* value)
{
    std::set<std::string> values;
    for (const auto& queue : port.queues) {
        if ((!priority || queue.queue == *priority) && !(queue.*value).empty()) {
            values.insert(escaped(queue.*value));
        }
    }
    return fmt::format("{}", fmt::join(values, ", "));
}

void add_port_row(Table& table, const ShownPort& port, const PortErrorRecord* error)
{
    const auto queue = error == nullptr ? std::nullopt : error->priority;
    table.add({port_text(port.name, port.neighbour), link_word(port.link), error == nullptr ? "" : error_name(*error),
               queue ? fmt::format("{}", queue->value) : "", error == nullptr ? "" : wire::utc_text(error->opened_at),
               error == nullptr ? "" : closed_cell(*error), error == nullptr ? "" : fmt::format("{}", error->times),
               treatment_cell(port, queue, &QueueState::configured),
               treatment_cell(port, queue, &QueueState::programmed), treatment_cell(port, queue, &QueueState::observed),
               sight_text(port.sight)});
}

// Calls `show` for each end of each link, with the other end.
template <class Show>
void each_end(std::span<const ShownLink> links, const Show& show)
{
    for (const auto& link : links) {
        show(link.end, link.far_end ? std::optional{link.far_end->name} : std::nullopt);
        if (link.far_end) {
            show(*link.far_end, std::optional{link.end.name});
        }
    }
}

std::string link_cell(const ShownEnd& end)
{
    if (!end.available()) {
        return "unavailable";
    }
    return fmt::format("{}{}", link_word(end.link), end.quarantined ? ", quarantined" : "");
}

std::string nldr_cell(const ShownEnd& end)
{
    const auto& held = end.registers;
    const bool readable = end.available() && held && held->nldr;
    return held || !end.available() ? register_cell(readable ? *held->nldr : link::kNoReason, readable) : "";
}

std::string cause_cell(link::Canonical cause)
{
    return cause == link::kNoReason ? ""
           : cause > 0xff           ? link::symbol_of(cause)
                                    : link::code_text(static_cast<std::uint8_t>(cause));
}

std::string far_cell(const LinkDown& down) { return cause_cell(down.far_cause); }

std::string ends_table(std::span<const ShownLink> links, std::size_t width)
{
    Table table({{"port", Align::left, {}},
                 {"link", Align::left, {}},
                 {"LinkDownReason", Align::left, {}},
                 {"NeighborLinkDownReason", Align::left, {}, 3},
                 {"last down", Align::left, {}, 2},
                 {"cause", Align::left, {}},
                 {"cause at the other end", Align::left, {}, 1},
                 {"device", Align::left, {}, 4}});
    each_end(links, [&](const ShownEnd& end, const auto& other) {
        const auto* last = end.history.empty() ? nullptr : &end.history.back();
        table.add({port_text(end.name, other), link_cell(end),
                   register_cell(end.registers ? end.registers->ldr : link::kNoReason, end.available()), nldr_cell(end),
                   last == nullptr ? "" : wire::utc_text(last->at), last == nullptr ? "" : cause_cell(last->cause),
                   last == nullptr ? "" : far_cell(*last), sight_text(end.sight)});
    });
    table.fit(width);
    return table.text();
}

std::string downs_table(std::span<const ShownLink> links, std::size_t width)
{
    Table table({{"port", Align::left, {}},
                 {"event", Align::right, {}},
                 {"down at", Align::left, {}},
                 {"up", Align::left, {}, 2},
                 {"LinkDownReason", Align::left, {}},
                 {"NeighborLinkDownReason", Align::left, {}, 3},
                 {"cause", Align::left, {}},
                 {"cause at the other end", Align::left, {}, 1},
                 {"observed at", Align::left, {}, 4}});
    each_end(links, [&](const ShownEnd& end, const auto& other) {
        for (const auto& down : end.history) {
            table.add({port_text(end.name, other), fmt::format("{}", down.number), wire::utc_text(down.at),
                       down.up_at ? fmt::format("after {}", ms_text(*down.up_at - down.at)) : "", reason_cell(down.ldr),
                       register_cell(down.nldr.value_or(link::kNoReason), down.nldr.has_value()),
                       cause_cell(down.cause), far_cell(down), wire::utc_text(down.observed_at)});
        }
    });
    if (table.empty()) {
        return "";
    }
    table.fit(width);
    return '\n' + table.text();
}

control::LinkEventReport link_event(const LinkDown& down)
{
    return {.seq = down.number,
            .ldr = down.ldr,
            .nldr = down.nldr,
            .cause = down.cause,
            .list = down.list,
            .code = down.code,
            .event_us = down.at.time_since_epoch().count(),
            .observed_us = down.observed_at.time_since_epoch().count(),
            .up_us = down.up_at ? std::optional{down.up_at->time_since_epoch().count()} : std::nullopt,
            .acknowledged = false};
}

}  // namespace

std::string links_text(std::span<const ShownLink> links, bool history, std::size_t width)
{
    return links.empty() ? "the manager knows no link\n"
                         : ends_table(links, width) + (history ? downs_table(links, width) : "");
}

std::vector<control::LinkReport> link_reports(std::span<const ShownLink> links)
{
    std::vector<control::LinkReport> reports;
    each_end(links, [&](const ShownEnd& end, const auto&) {
        auto& report = reports.emplace_back();
        report.device = end.name.device;
        report.port = fmt::format("{}:{}", end.name.device, end.name.port);
        report.available = end.available();
        if (end.available() && end.link != fabric::LinkState::unknown) {
            report.up = end.link == fabric::LinkState::up;
        }
        report.quarantined = end.quarantined;
        report.last_seq = end.history.empty() ? 0 : end.history.back().number;
        if (end.registers) {
            report.unacknowledged = link_event(*end.registers);
        }
        report.suppressed = end.later;
        std::transform(end.history.begin(), end.history.end(), std::back_inserter(report.events), link_event);
    });
    return reports;
}

std::string port_text(const fabric::PortName& port, const std::optional<fabric::PortName>& neighbour)
{
    const auto name = [](const fabric::PortName& one) {
        return fmt::format("{}:{}", escaped(one.device), escaped(one.port));
    };
    return neighbour ? fmt::format("{} → {}", name(port), name(*neighbour)) : name(port);
}

std::string sight_text(const fabric::Sight& sight)
{
    return sight.reports    ? "reporting"
           : sight.heard_at ? fmt::format("unknown since {}", wire::utc_text(*sight.heard_at))
                            : "never reported";
}

namespace {

// "note: leaf3:Ethernet20: the cables name gpu-1207:eth2, its agent names gpu-1208:eth2"
std::string disagreements(std::span<const ShownPort> ports)
{
    using By = fabric::NeighbourClaim::By;
    std::string text;
    for (const auto& port : ports) {
        std::vector<std::string> claims;
        for (const auto& [by, neighbour] : port.disagreement) {
            const auto other = port_text(neighbour, std::nullopt);
            claims.push_back(by == By::cables  ? fmt::format("the cables name {}", other)
                             : by == By::agent ? fmt::format("its agent names {}", other)
                                               : fmt::format("the agent of {} names it", other));
        }
        if (!claims.empty()) {
            text += fmt::format("note: {}: {}\n", port_text(port.name, std::nullopt), fmt::join(claims, ", "));
        }
    }
    return text;
}

}  // namespace

std::string ports_text(std::span<const ShownPort> ports, bool only_errors, std::size_t width)
{
    Table table({{"port", Align::left, {}},
                 {"link", Align::left, {}, 5},
                 {"error", Align::left, {}},
                 {"queue", Align::right, {}},
                 {"opened", Align::left, {}, 2},
                 {"closed", Align::left, {}, 1},
                 {"times", Align::right, {}, 6},
                 {"configured", Align::left, {}, 4},
                 {"programmed", Align::left, {}, 4},
                 {"observed", Align::left, {}, 4},
                 {"device", Align::left, {}, 3}});
    for (const auto& port : ports) {
        if (port.in_error()) {
            for (const auto& error : port.errors) {
                if (error.closed == Closed::not_yet) {
                    add_port_row(table, port, &error);
                }
            }
        } else if (!only_errors) {
            add_port_row(table, port, port.errors.empty() ? nullptr : &port.errors.back());
        }
    }
    if (table.empty()) {
        return only_errors ? "no port is in error\n" : "the manager knows no port\n";
    }
    table.fit(width);
    return table.text() + disagreements(ports);
}

}  // namespace petrel::reports
