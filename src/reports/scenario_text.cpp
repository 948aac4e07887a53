#include "reports/scenario_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "reports/scenario_words.hpp"
#include "topology/tiers.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using scenario::NodeId;
using scenario::Scenario;
using topology::Topology;
using twin::Ps;

constexpr std::size_t kMostNamed = 6;

std::string criterion_text(const watchdog::Policy& policy)
{
    using watchdog::Criterion;
    const auto detect = limit_text(policy.detect);
    switch (policy.criterion) {
    case Criterion::continuous: return fmt::format("a queue that is paused for {} without a break", detect);
    case Criterion::stalled:
        return fmt::format("a queue that is paused for {} without a break while its backlog does not drain", detect);
    case Criterion::progress:
        return fmt::format("a queue that is mostly paused and sends next to nothing for {}", detect);
    case Criterion::receive_stall:
        return fmt::format("a NIC that receives nothing for {} while it pauses its switch", detect);
    case Criterion::pause_timeout: return "a port whose own status shows that it is paused for too long";
    case Criterion::device: return "a queue that the device itself reports as stuck";
    }
    return {};
}

std::string release_text(const watchdog::Policy& policy)
{
    using watchdog::Release;
    switch (policy.release) {
    case Release::quiet:
        return policy.restore == Duration::zero()
                   ? "until the pause is gone"
                   : fmt::format("until {} passed without pause", limit_text(policy.restore));
    case Release::forced: return fmt::format("for {}", limit_text(policy.restore));
    case Release::manual: return "until an operator releases it";
    }
    return {};
}

std::string describe_policy(const watchdog::Policy& policy)
{
    auto text = fmt::format("{} is a storm, {}", criterion_text(policy), action_text(policy.action));
    if (policy.action != watchdog::Treatment::none) {
        text += ' ' + release_text(policy);
    }
    return fmt::format("{}; {}, looked at every {}", text, priority_text(policy.priorities), limit_text(policy.poll));
}

std::string traffic_item_text(const scenario::TrafficItem& item, const Scenario& scenario)
{
    if (item.flows == 0) {
        return fmt::format("{}: no flow", item.name);
    }
    const auto first = scenario.setup.flows.begin() + item.first_flow;
    std::vector<NodeId> from;
    std::vector<NodeId> to;
    for (auto flow = first; flow != first + item.flows; ++flow) {
        from.push_back(flow->src);
        to.push_back(flow->dst);
    }
    for (auto* nodes : {&from, &to}) {
        std::sort(nodes->begin(), nodes->end());
        nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
    }
    const auto& topology = scenario.setup.topology;
    auto text = fmt::format("{}: {} from {} to {}", item.name, count_text(item.flows, "flow"),
                            node_text(from, topology), node_text(to, topology));
    if (first->packets != 0) {
        text += fmt::format(", {} each", size_text(static_cast<double>(first->packets * first->frame_bytes)));
    }
    text += first->rate.bps == 0 ? std::string{", as fast as the line allows"}
                                 : fmt::format(", {} each", rate_text(static_cast<double>(first->rate.bps)));
    text += fmt::format(", DSCP {}", first->dscp);
    if (first->start != 0) {
        text += fmt::format(", from {}", time_text(first->start));
    }
    return first->stop == twin::kForever ? text : text + fmt::format(", until {}", time_text(first->stop));
}

std::string in_unit(double value, double unit, std::string_view name, int digits)
{
    return fmt::format("{:.{}g} {}", value / unit, digits, name);
}

}  // namespace

std::string listed(const std::vector<std::string>& names)
{
    if (names.size() < 2) {
        return names.empty() ? std::string{} : names.front();
    }
    return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string priority_text(std::uint8_t priorities)
{
    if (priorities == 0xff) {
        return "all priorities";
    }
    std::vector<std::string> named;
    for (unsigned p = 0; p < kPriorities; ++p) {
        if ((unsigned{priorities} >> p & 1U) != 0) {
            named.push_back(fmt::format("{}", p));
        }
    }
    return fmt::format("{} {}", named.size() == 1 ? "priority" : "priorities", listed(named));
}

// "h0, h1 and h2"; of longer lists the rest is only counted.
std::string node_text(std::span<const NodeId> nodes, const Topology& topology)
{
    const auto named = nodes.size() <= kMostNamed ? nodes.size() : kMostNamed / 2;
    std::vector<std::string> names;
    for (const auto node : nodes.first(named)) {
        names.push_back(topology.nodes[node.value].name);
    }
    if (named < nodes.size()) {
        names.push_back(fmt::format("{} others", nodes.size() - named));
    }
    return listed(names);
}

std::string time_text(Ps time, int digits)
{
    const auto value = static_cast<double>(time);
    if (time == 0) {
        return "0";
    }
    if (time < twin::kUs) {
        return in_unit(value, twin::kNs, "ns", digits);
    }
    if (time < twin::kMs) {
        return in_unit(value, twin::kUs, "us", digits);
    }
    return time < twin::kSecond ? in_unit(value, twin::kMs, "ms", digits) : in_unit(value, twin::kSecond, "s", digits);
}

std::string rate_text(double bps, int digits)
{
    if (bps >= 1e9) {
        return in_unit(bps, 1e9, "Gb/s", digits);
    }
    return bps >= 1e6 ? in_unit(bps, 1e6, "Mb/s", digits) : in_unit(bps, 1e3, "kb/s", digits);
}

std::string size_text(double bytes, int digits)
{
    if (bytes >= 1e9) {
        return in_unit(bytes, 1e9, "GB", digits);
    }
    if (bytes >= 1e6) {
        return in_unit(bytes, 1e6, "MB", digits);
    }
    return bytes >= 1e3 ? in_unit(bytes, 1e3, "kB", digits) : in_unit(bytes, 1, "B", digits);
}

std::string port_text(const topology::End& end, const Topology& topology)
{
    const auto& node = topology.nodes[end.node.value];
    return fmt::format("{}:{}", node.name, node.ports[end.port].name);
}

std::string_view action_text(watchdog::Treatment action)
{
    using watchdog::Treatment;
    switch (action) {
    case Treatment::none: return "only reported";
    case Treatment::ignore_pause: return "treated by sending in spite of the pause";
    case Treatment::drop_egress: return "treated by discarding what waits to be sent";
    case Treatment::drop: return "treated by discarding what waits in it and what arrives for it";
    case Treatment::lossless_off: return "treated by taking lossless mode from its port";
    case Treatment::squeeze: return "treated by letting no frame through to the peer and ignoring its pause";
    case Treatment::mute_pause: return "treated by forbidding the NIC to send pause";
    case Treatment::port_down: return "treated by taking the port down";
    case Treatment::count_: break;
    }
    return {};
}

std::string fabric_text(const Topology& topology)
{
    std::map<std::uint8_t, std::uint64_t> tiers;
    for (const auto& node : topology.nodes) {
        ++tiers[topology::tier_of(node)];
    }
    std::map<std::uint64_t, std::uint64_t> speeds;
    for (const auto& link : topology.links) {
        ++speeds[link.speed.bps];
    }
    std::vector<std::string> nodes;
    for (const auto& [tier, count] : tiers) {
        const auto word = topology::tier_word(topology, tier);
        const auto* switches = count == 1 ? "switch" : "switches";
        nodes.push_back(tier == 0      ? count_text(count, "host")
                        : word.empty() ? fmt::format("{} {} in tier {}", count, switches, tier)
                                       : fmt::format("{} {} {}", count, word, switches));
    }
    std::vector<std::string> links;
    for (const auto& [bps, count] : speeds) {
        links.push_back(fmt::format("{} of {}", count_text(count, "link"), rate_text(static_cast<double>(bps))));
    }
    return fmt::format("{}; {}", listed(nodes), listed(links));
}

std::vector<std::string> traffic_text(const Scenario& scenario)
{
    std::vector<std::string> lines;
    for (const auto& item : scenario.traffic) {
        lines.push_back(traffic_item_text(item, scenario));
    }
    return lines;
}

std::vector<std::string> watch_text(const Scenario& scenario)
{
    std::vector<std::pair<std::string, std::vector<NodeId>>> policies;
    for (const auto& watch : scenario.watches) {
        for (const auto& policy : watch.book.policies) {
            const auto text = fmt::format("policy {}: {}", policy.name, describe_policy(policy));
            auto at = std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p.first == text; });
            if (at == policies.end()) {
                at = policies.insert(at, {text, {}});
            }
            at->second.push_back(watch.node);
        }
    }
    std::vector<std::string> lines;
    for (const auto& [text, nodes] : policies) {
        lines.push_back(fmt::format("{} watched by {}",
                                    node_text(nodes, scenario.setup.topology) + (nodes.size() == 1 ? " is" : " are"),
                                    text));
    }
    return lines;
}

std::string manager_text(const scenario::ManagerSetup& manager)
{
    return fmt::format(
        "the agents report to {}{}",
        manager.managers == 1 ? std::string{"a manager"} : fmt::format("the first of {} managers", manager.managers),
        manager.faster == 1 ? std::string{} : fmt::format(", with times {} times shorter than usual", manager.faster));
}

std::vector<std::string> explain(const Scenario& scenario)
{
    std::vector<std::string> lines{
        scenario.about.empty() ? scenario.name : fmt::format("{}: {}", scenario.name, scenario.about),
        fmt::format("runs for {}, seed {}", time_text(scenario.duration), scenario.setup.seed),
        "fabric: " + fabric_text(scenario.setup.topology)};
    for (const auto& line : traffic_text(scenario)) {
        lines.push_back("traffic " + line);
    }
    for (const auto& line : watch_text(scenario)) {
        lines.push_back(line);
    }
    if (scenario.watches.empty()) {
        lines.emplace_back("no watchdog");
    }
    if (scenario.manager) {
        lines.push_back(manager_text(*scenario.manager));
    }
    for (const auto& [at, what] : fault_timeline(scenario)) {
        lines.push_back(fmt::format("at {}: {}", time_text(at), what));
    }
    for (const auto* wanted : by_time(scenario.expectations, [](const auto& e) { return e.until; })) {
        lines.push_back(fmt::format("expected from {} to {}: {} {}", time_text(wanted->from), time_text(wanted->until),
                                    wanted->subject, wanted->wanted));
    }
    return lines;
}

}  // namespace petrel::reports
