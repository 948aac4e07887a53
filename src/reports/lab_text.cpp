#include "reports/lab_text.hpp"

#include <fmt/format.h>

#include "reports/link_text.hpp"
#include "terminal/table.hpp"
#include "topology/tiers.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using twin::Ps;

// Three significant digits, in a suitable unit.
std::string short_time_text(Ps time)
{
    if (time == 0) {
        return "0";
    }
    const auto value = static_cast<double>(time);
    if (time < twin::kUs) {
        return fmt::format("{:.1f} ns", value / twin::kNs);
    }
    if (time < twin::kMs) {
        return fmt::format("{:.1f} us", value / twin::kUs);
    }
    return time < twin::kSecond ? fmt::format("{:.1f} ms", value / twin::kMs)
                                : fmt::format("{:.3f} s", value / twin::kSecond);
}

std::string mean_rate_text(std::uint64_t bytes, Ps time)
{
    const auto bps = time == 0 ? 0.0 : 8 * static_cast<double>(bytes) * twin::kSecond / static_cast<double>(time);
    return fmt::format("{:.2f} Gb/s", bps / 1e9);
}

std::string tiers(const scenario::Summary& sum, const topology::Topology& topology)
{
    Table table({{"tier", Align::left, {}},
                 {"nodes", Align::right, {}},
                 {"pause frames", Align::right, {}},
                 {"paused", Align::right, {}},
                 {"longest", Align::right, {}},
                 {"paused now", Align::right, {}},
                 {"drops", Align::right, {}}});
    for (const auto& tier : sum.tiers) {
        table.add({topology::tier_name(topology, tier.tier), fmt::format("{}", tier.nodes),
                   fmt::format("{}", tier.pause_frames), short_time_text(tier.paused),
                   tier.tier == 0 ? "-" : short_time_text(tier.longest_pause), fmt::format("{}", tier.paused_now),
                   fmt::format("{}", tier.drops)});
    }
    return table.text();
}

std::string traffic(const scenario::Summary& sum)
{
    Table table({{"traffic", Align::left, {}},
                 {"flows", Align::right, {}},
                 {"finished", Align::right, {}},
                 {"delivered", Align::right, {}},
                 {"rate", Align::right, {}},
                 {"fastest", Align::right, "completion"},
                 {"median", Align::right, {}},
                 {"slowest", Align::right, {}}});
    for (const auto& item : sum.traffic) {
        const auto completion = [&](Ps time) { return item.finished == 0 ? std::string{"-"} : short_time_text(time); };
        table.add({item.name, fmt::format("{}", item.flows), fmt::format("{}", item.finished),
                   fmt::format("{}", item.delivered), mean_rate_text(item.delivered_bytes, sum.simulated),
                   completion(item.fastest), completion(item.median), completion(item.slowest)});
    }
    return table.text();
}

std::string drops(const twin::DropCounts& counts)
{
    std::vector<std::string> causes;
    for (std::size_t i = 0; i < twin::kDrops; ++i) {
        const auto cause = static_cast<twin::Drop>(i);
        if (counts[cause] != 0) {
            causes.push_back(fmt::format("{} {}", name(cause), counts[cause]));
        }
    }
    return causes.empty() ? "none" : fmt::format("{}", fmt::join(causes, ", "));
}

}  // namespace

std::string lab_heading(const scenario::Scenario& scenario)
{
    return scenario.about.empty() ? scenario.name + '\n' : fmt::format("{}: {}\n", scenario.name, scenario.about);
}

std::string lab_events(std::span<const lab::AgentEvent> events, const Paint& paint)
{
    std::string text;
    for (const auto& [node, device, watchlist, event, port] : events) {
        const auto kind = fmt::format("{:<22}", name(event->kind));
        text += fmt::format("{} s  {}  {}:{}  {}, {}: {}\n", seconds_text(event->at), painted(event->kind, kind, paint),
                            device, to_string(watchlist->inventory, event->target), policy_text(*event, *watchlist),
                            watchdog::action_name(event->action), evidence_text(*event, *watchlist));
    }
    return text;
}

std::string lab_summary(const scenario::Summary& sum, const topology::Topology& topology)
{
    std::string text = '\n' + tiers(sum, topology);
    if (!sum.traffic.empty()) {
        text += '\n' + traffic(sum);
    }
    text += links_text(sum.links);
    text += fmt::format("\nframes     {} injected, {} delivered, {} in flight\n", sum.totals.injected,
                        sum.totals.delivered, sum.totals.in_flight);
    text += fmt::format("drops      {}\n", drops(sum.totals.drops));
    text += fmt::format("simulated  {}, {} packet-hops, seed {}\n", short_time_text(sum.simulated),
                        sum.totals.packet_hops, sum.seed);
    text += fmt::format("digest     {:016x}\n", sum.totals.digest);
    return text;
}

}  // namespace petrel::reports
