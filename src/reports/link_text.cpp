#include "reports/link_text.hpp"

#include <fmt/format.h>

#include "reports/agent/link_cells.hpp"
#include "terminal/table.hpp"

namespace petrel::reports {
namespace {

using scenario::LinkStory;

std::string registers_text(std::span<const LinkStory> links)
{
    Table table({{"end of a link", Align::left, {}},
                 {"other end", Align::left, {}},
                 {"state", Align::left, {}},
                 {"LinkDownReason", Align::left, {}},
                 {"NeighborLinkDownReason", Align::left, {}},
                 {"event", Align::right, {}},
                 {"suppressed", Align::right, {}}});
    for (const auto& [ends] : links) {
        for (std::size_t side = 0; side < 2; ++side) {
            const auto& reading = ends[side].reading;
            table.add({ends[side].port, ends[1 - side].port, state_cell(reading.state),
                       register_cell(reading.registers.ldr, ends[side].available),
                       register_cell(reading.registers.nldr, ends[side].available),
                       fmt::format("{}", reading.registers.seq), fmt::format("{}", reading.suppressed)});
        }
    }
    return table.text();
}

std::string wall_ms_text(WallTime at)
{
    return fmt::format("{:.3f} ms", static_cast<double>(at.time_since_epoch().count()) / 1e3);
}

std::string histories_text(std::span<const LinkStory> links)
{
    Table table({{"logged of", Align::left, {}},
                 {"event", Align::right, {}},
                 {"down at", Align::right, {}},
                 {"seen at", Align::right, {}},
                 {"LinkDownReason", Align::left, {}},
                 {"NeighborLinkDownReason", Align::left, {}}});
    for (const auto& link : links) {
        for (const auto& end : link.ends) {
            for (const auto& event : end.history) {
                table.add({end.port, fmt::format("{}", event.seq), wall_ms_text(event.event_at),
                           wall_ms_text(event.observed_at), reason_cell(event.ldr), reason_cell(event.nldr)});
            }
        }
    }
    return table.empty() ? "" : '\n' + table.text();
}

}  // namespace

std::string state_cell(link::LinkState state)
{
    return fmt::format("{} ({})", link::logical_name(state), link::physical_name(state));
}

std::string links_text(std::span<const LinkStory> links)
{
    return links.empty() ? "" : '\n' + registers_text(links) + histories_text(links);
}

}  // namespace petrel::reports
