#include "reports/fabric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/complaint_text.hpp"
#include "link/taxonomy.hpp"
#include "terminal/table.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::reports {
namespace {

using fabric::PortErrorRecord;
using fabric::QueueState;
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
    return error.closed == Closed::not_yet ? "open"
                                           : fmt::format("{}{}", wire::utc_text(error.closed_at),
                                                         error.closed == Closed::by_link_down ? " (link down)" : "");
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

}  // namespace

std::string port_text(const fabric::PortName& port, const std::optional<fabric::PortName>& neighbour)
{
    const auto name = [](const fabric::PortName& one) {
        return fmt::format("{} {}", escaped(one.device), escaped(one.port));
    };
    return neighbour ? fmt::format("{} → {}", name(port), name(*neighbour)) : name(port);
}

std::string sight_text(const fabric::Sight& sight)
{
    return sight.reports    ? "reporting"
           : sight.heard_at ? fmt::format("unknown since {}", wire::utc_text(*sight.heard_at))
                            : "never reported";
}

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
    return table.text();
}

}  // namespace petrel::reports
