#include "reports/agent/agent_links_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>

#include "base/complaint_text.hpp"
#include "link/decode.hpp"
#include "link/history.hpp"
#include "link/opa_text.hpp"
#include "link/raw_code.hpp"
#include "link/reasons.hpp"
#include "link/taxonomy.hpp"
#include "reports/agent/link_cells.hpp"
#include "terminal/table.hpp"
#include "wire/rfc5424.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using control::LinkEventReport;
using control::LinkReport;
using link::PortHistory;

WallTime wall_of(std::int64_t us) { return WallTime{std::chrono::microseconds{us}}; }

std::string link_cell(const LinkReport& link)
{
    return fmt::format("{}{}", !link.up ? "not seen" : *link.up ? "up" : "down", link.quarantined ? ", flapping" : "");
}

std::string code_cell(const LinkEventReport& event)
{
    if (!event.code) {
        return "";
    }
    const auto list = link::list_named(event.list);
    return fmt::format("{} {}", escaped(event.list),
                       list ? link::decode(link::RawCode{*list, *event.code}).raw : fmt::format("0x{:x}", *event.code));
}

std::string cause_cell(const LinkEventReport& event)
{
    return event.cause > 0xff ? link::symbol_of(event.cause) : link::code_text(static_cast<std::uint8_t>(event.cause));
}

// Without an event the register is clear, if the device has it.
std::optional<std::uint8_t> neighbor_register(const LinkReport& link)
{
    if (link.unacknowledged) {
        return link.unacknowledged->nldr;
    }
    return link.receives_reasons ? std::optional{link::kNoReason} : std::nullopt;
}

std::string neighbor_cell(std::optional<std::uint8_t> nldr)
{
    return register_cell(nldr.value_or(link::kNoReason), nldr.has_value());
}

std::string up_cell(const LinkEventReport& event)
{
    return event.up_us ? fmt::format("after {}", ms_text(std::chrono::microseconds{*event.up_us - event.event_us}))
                       : "";
}

std::string links_table(std::span<const LinkReport> links, std::size_t width)
{
    Table table({{"device", Align::left, {}},
                 {"port", Align::left, {}},
                 {"link", Align::left, {}},
                 {"LinkDownReason", Align::left, {}, 1},
                 {"NeighborLinkDownReason", Align::left, {}, 2},
                 {"event", Align::right, {}},
                 {"later", Align::right, {}, 3},
                 {"cause", Align::left, {}}});
    for (const auto& link : links) {
        const auto& shown = link.unacknowledged;
        table.add({escaped(link.device), escaped(link.port), link_cell(link), reason_cell(shown ? shown->ldr : 0),
                   neighbor_cell(neighbor_register(link)), shown ? fmt::format("{}", shown->seq) : "",
                   fmt::format("{}", link.suppressed), shown ? cause_cell(*shown) : ""});
    }
    table.fit(width);
    return table.text();
}

std::string link_events_table(std::span<const LinkReport> links, std::size_t width)
{
    Table table({{"device", Align::left, {}},
                 {"port", Align::left, {}},
                 {"event", Align::right, {}},
                 {"down at", Align::left, {}},
                 {"up", Align::left, {}, 2},
                 {"LinkDownReason", Align::left, {}, 3},
                 {"NeighborLinkDownReason", Align::left, {}, 4},
                 {"code of the device", Align::left, {}, 5},
                 {"acknowledged", Align::left, {}, 1},
                 {"cause", Align::left, {}}});
    for (const auto& link : links) {
        for (const auto& event : link.events) {
            table.add({escaped(link.device), escaped(link.port), fmt::format("{}", event.seq),
                       wire::utc_text(wall_of(event.event_us)), up_cell(event), reason_cell(event.ldr),
                       neighbor_cell(event.nldr), code_cell(event), event.acknowledged ? "yes" : "",
                       cause_cell(event)});
        }
    }
    table.fit(width);
    return table.empty() ? "" : '\n' + table.text();
}

std::string opa_time(std::int64_t us)
{
    const auto seconds = static_cast<std::time_t>(us / 1'000'000);
    std::tm local{};
    std::array<char, 64> text{};
    if (localtime_r(&seconds, &local) == nullptr ||
        std::strftime(text.data(), text.size(), "%B %d, %I:%M:%S %p", &local) == 0) {
        return "N/A";
    }
    return text.data();
}

}  // namespace

std::string agent_links_text(std::span<const LinkReport> links, std::size_t width)
{
    return links.empty() ? "the agent follows no link: see docs/link-down.md\n"
                         : links_table(links, width) + link_events_table(links, width);
}

std::string opasaquery_text(std::span<const LinkReport> links)
{
    std::string text;
    for (const auto& link : links) {
        const auto ldr = link.unacknowledged ? link.unacknowledged->ldr : link::kNoReason;
        const auto nldr = neighbor_register(link);
        const auto why =
            link.up == false && ldr != link::kNoReason ? fmt::format(" ({})", link::opa_tool_text(ldr)) : "";
        text += fmt::format("Port {} Info\n", escaped(link.port));
        text += fmt::format("   PortState:        {}{}\n", !link.up ? "Unknown" : *link.up ? "Active" : "Down", why);
        text += fmt::format("   LinkDownReason: {}    NeighborLinkDownReason: {}\n",
                            link.available ? link::opa_tool_text(ldr) : "unavailable",
                            link.available && nldr ? link::opa_tool_text(*nldr) : "unavailable");
        for (const auto& event : std::span{link.events}.last(std::min(link.events.size(), PortHistory::kShown))) {
            const auto entry = [&](std::string_view name, std::uint8_t code) {
                return fmt::format("   {}: {:2} ({:>20}) Time: {}", name, code, link::opa_tool_text(code),
                                   opa_time(event.event_us));
            };
            text += entry("LinkDownErrorLog", event.ldr) + " \n";
            text += event.nldr ? entry("NeighborLinkDownErrorLog", *event.nldr) + "\n"
                               : "   NeighborLinkDownErrorLog: unavailable\n";
        }
        text += link.last_seq == 0 ? "   LinkDownErrorLog: None\n" : "";
    }
    return text;
}

}  // namespace petrel::reports
