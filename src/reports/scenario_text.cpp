#include "reports/scenario_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <variant>

#include "link/reasons.hpp"
#include "topology/tiers.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using scenario::NodeId;
using scenario::Scenario;
using topology::Topology;
using twin::Ps;

constexpr std::size_t kMostNamed = 6;

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

const std::string& name_of(NodeId node, const Topology& topology) { return topology.nodes[node.value].name; }

// "h0, h1 and h2"; of longer lists the rest is only counted.
std::string node_text(std::span<const NodeId> nodes, const Topology& topology)
{
    const auto named = nodes.size() <= kMostNamed ? nodes.size() : kMostNamed / 2;
    std::vector<std::string> names;
    for (const auto node : nodes.first(named)) {
        names.push_back(name_of(node, topology));
    }
    if (named < nodes.size()) {
        names.push_back(fmt::format("{} others", nodes.size() - named));
    }
    return listed(names);
}

std::string link_text(std::uint32_t link, const Topology& topology)
{
    const auto& ends = topology.links[link].ends;
    return fmt::format("{} — {}", port_text(ends[0], topology), port_text(ends[1], topology));
}

// One overload per kind of fault: a new kind without a description does not compile.
class FaultText {
public:
    explicit FaultText(const Topology& topology) : topology_(topology) {}

    std::string operator()(const scenario::StartStorm& fault) const
    {
        const auto& storm = fault.storm;
        auto text = fmt::format("{}'s NIC storms: a pause frame for {} every {}", name(fault.host),
                                priority_text(storm.priorities), time_text(storm.period));
        if (storm.burst != 0) {
            text += fmt::format(", for {} at a time with {} of silence between", time_text(storm.burst),
                                time_text(storm.silence));
        }
        if (storm.xon_every != 0) {
            text += fmt::format(", one in {} of them an XON", storm.xon_every);
        }
        return text + (storm.stop == twin::kForever ? ", without end" : ", until " + time_text(storm.stop));
    }
    std::string operator()(const scenario::StopStorms& fault) const
    {
        return fmt::format("{}'s NIC stops storming", name(fault.host));
    }
    std::string operator()(const scenario::StopPipeline& fault) const
    {
        return fmt::format("{}'s NIC takes in no more frames and pauses its switch when its buffer is full",
                           name(fault.host));
    }
    std::string operator()(const scenario::LimitPipeline& fault) const
    {
        return fmt::format("{}'s NIC takes in no more than {}", name(fault.host),
                           rate_text(static_cast<double>(fault.rate.bps)));
    }
    std::string operator()(const scenario::HealPipeline& fault) const
    {
        return fmt::format("{}'s NIC takes in frames at full speed again", name(fault.host));
    }
    std::string operator()(const scenario::KillHost& fault) const
    {
        return fmt::format("{} dies: it neither sends nor receives", name(fault.host));
    }
    std::string operator()(const scenario::RebootHost& fault) const
    {
        return fmt::format("{} is rebooted", name(fault.host));
    }
    std::string operator()(const scenario::CutLink& fault) const
    {
        return fmt::format("the cable {} is cut", link_text(fault.link, topology_));
    }
    std::string operator()(const scenario::RepairLink& fault) const
    {
        return fmt::format("the cable {} is repaired", link_text(fault.link, topology_));
    }
    std::string operator()(const scenario::SetSpeed& fault) const
    {
        return fmt::format("the link {} goes down for {} and comes up with {}{}", link_text(fault.link, topology_),
                           time_text(fault.down), rate_text(static_cast<double>(fault.speed.bps)),
                           fault.lanes == twin::kLanes ? "" : fmt::format(" on {} lanes", fault.lanes));
    }
    std::string operator()(const scenario::LoseLanes& fault) const
    {
        return fmt::format("the link {} has only {} of its {} lanes left", link_text(fault.link, topology_),
                           fault.lanes, twin::kLanes);
    }
    std::string operator()(const scenario::SwitchPort& fault) const
    {
        return fmt::format("port {} is switched {}", port_text(fault.end, topology_), fault.on ? "on" : "off");
    }
    std::string operator()(const scenario::TakeDown& fault) const
    {
        return fmt::format("port {} takes its link down{}: {}", port_text(fault.end, topology_),
                           fault.down.send_reason ? "" : " without a word", link::code_text(fault.down.reason));
    }
    std::string operator()(const scenario::LosePower& fault) const
    {
        return fmt::format("port {} loses its power", port_text(fault.end, topology_));
    }
    std::string operator()(const scenario::SlowPort& fault) const
    {
        return fmt::format("port {} sends {}, though its link is up and its peer does not pause it",
                           port_text(fault.end, topology_),
                           fault.rate ? "no more than " + rate_text(static_cast<double>(fault.rate->bps)) : "no data");
    }
    std::string operator()(const scenario::HealPort& fault) const
    {
        return fmt::format("port {} sends at full speed again", port_text(fault.end, topology_));
    }
    std::string operator()(const scenario::Reroute& fault) const
    {
        if (fault.without.empty()) {
            return "all switches use their original routes again";
        }
        std::vector<std::string> links;
        for (const auto link : fault.without) {
            links.push_back(link_text(link, topology_));
        }
        return fmt::format("all switches route around {}", listed(links));
    }
    std::string operator()(const scenario::SetRoute& fault) const
    {
        if (fault.ports.empty()) {
            return fmt::format("{} loses its route to {}", name(fault.at), name(fault.to));
        }
        std::vector<std::string> ports;
        for (const auto port : fault.ports) {
            ports.push_back(topology_.nodes[fault.at.value].ports[port].name);
        }
        return fmt::format("{} sends frames for {} out of {}", name(fault.at), name(fault.to), listed(ports));
    }
    std::string operator()(const scenario::SetAlpha& fault) const
    {
        const auto& ports = topology_.nodes[fault.at.value].ports;
        return fmt::format("{} changes alpha of priority group {} to 2^{} on {}", name(fault.at), fault.group,
                           fault.exponent,
                           fault.ports.size() == ports.size() ? "all ports"
                           : fault.ports.size() == 1          ? ports[fault.ports.front()].name
                                                              : count_text(fault.ports.size(), "port"));
    }

private:
    const std::string& name(NodeId node) const { return name_of(node, topology_); }

    const Topology& topology_;
};

std::string_view failure_text(device::FaultyDevice::Fault how)
{
    using Fault = device::FaultyDevice::Fault;
    switch (how) {
    case Fault::none: break;
    case Fault::refuse: return "refuses";
    case Fault::fail: return "fails";
    case Fault::time_out: return "neither performs nor answers";
    case Fault::answer_late: return "performs, but answers too late,";
    case Fault::have_no_effect: return "confirms, but does not perform,";
    case Fault::fail_halfway: return "fails after the first register of";
    }
    return {};
}

std::string spell_text(const scenario::Spell& spell)
{
    constexpr auto kAll = scenario::Spell{}.calls;
    auto text = spell.calls == kAll ? std::string{"every write"} : count_text(spell.calls, "write");
    return spell.until == twin::kForever ? text : text + " until " + time_text(spell.until);
}

std::string until_text(Ps until) { return until == twin::kForever ? std::string{} : " until " + time_text(until); }

// Faults of a device's agent, or of the device itself.
class AgentFaultText {
public:
    AgentFaultText(NodeId device, const Topology& topology)
        : device_(name_of(device, topology)), ports_(topology.nodes[device.value].ports)
    {}

    std::string operator()(const scenario::KillAgent& fault) const
    {
        using When = scenario::KillAgent::When;
        return fmt::format("the agent of {} dies{}", device_,
                           fault.when == When::at_once      ? ""
                           : fault.when == When::remembered ? " when it has written its state"
                           : fault.when == When::halfway
                               ? " when a command has written the first of its registers"
                               : fmt::format(" in a command, at the step {}", device::name(fault.step)));
    }
    std::string operator()(const scenario::StartAgent& fault) const
    {
        using Memory = scenario::StartAgent::Memory;
        return fmt::format("the agent of {} starts again{}", device_,
                           fault.memory == Memory::kept   ? ""
                           : fault.memory == Memory::torn ? ", and the last record of its memory is torn"
                                                          : ", and its memory is lost");
    }
    std::string operator()(const scenario::DelayLooks& fault) const
    {
        return fmt::format("every look at {} takes {} ms{}", device_, whole_ms(fault.takes), until_text(fault.until));
    }
    std::string operator()(const scenario::FailLooks& fault) const
    {
        return fmt::format("every look at {} fails{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::FreezeCounters& fault) const
    {
        return fmt::format("the counters of {} stand still{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::RestartCounters& fault) const
    {
        return fmt::format("the counters of {} restart{}{}", device_,
                           fault.wraps_after ? fmt::format(" {} below 2^32, where they wrap", *fault.wraps_after) : "",
                           fault.reported ? "" : ", and the device does not report it");
    }
    std::string operator()(const scenario::CorruptCounters& fault) const
    {
        return fmt::format("half of the counters of {} are wrong{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::CorruptStamps& fault) const
    {
        return fmt::format("the time stamps of {} are wrong by up to {} ms{}", device_,
                           static_cast<double>(fault.by.count()) / 1e6, until_text(fault.until));
    }
    std::string operator()(const scenario::StepClock& fault) const
    {
        return fmt::format("the wall clock of {} jumps by {} s", device_, static_cast<double>(fault.by.count()) / 1e6);
    }
    std::string operator()(const scenario::FailWrites& fault) const
    {
        return fmt::format("{} {} {}", device_, failure_text(fault.how), spell_text(fault.spell));
    }
    std::string operator()(const scenario::LieInReadBack& fault) const
    {
        return fmt::format("{} reports after {} that {} is in force", device_, spell_text(fault.spell),
                           watchdog::name(fault.shown));
    }
    std::string operator()(const scenario::GiveOrder& fault) const
    {
        return fmt::format("the agent of {} is ordered: {}", device_, watchdog::name(fault.order.kind));
    }
    std::string operator()(const scenario::SetPolicy& fault) const
    {
        std::vector<std::string> policies;
        for (const auto& policy : fault.book.policies) {
            policies.push_back(policy.name);
        }
        return fmt::format("the agent of {} is given policy {}", device_, listed(policies));
    }
    std::string operator()(const scenario::Reload&) const
    {
        return fmt::format("the agent of {} reads its configuration again", device_);
    }
    std::string operator()(const scenario::RemovePort& fault) const
    {
        return fmt::format("{} is without its port {}{}", device_, ports_[fault.port].name, until_text(fault.until));
    }
    std::string operator()(const scenario::SlowDisk& fault) const
    {
        return fmt::format("every write to the disk of {} takes {} ms{}", device_, whole_ms(fault.takes),
                           until_text(fault.until));
    }
    std::string operator()(const scenario::FullDisk& fault) const
    {
        return fmt::format("the disk of {} is full{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::SlowWrites& fault) const
    {
        return fmt::format("every command to {} takes {} ms{}", device_, whole_ms(fault.takes),
                           until_text(fault.until));
    }
    std::string operator()(const scenario::DelayWrites& fault) const
    {
        return fmt::format("a write to {} takes effect {} ms after it succeeds{}", device_, whole_ms(fault.takes),
                           until_text(fault.until));
    }
    std::string operator()(const scenario::HangDevice& fault) const
    {
        return fmt::format("calls of {} do not return{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::LoseNotices& fault) const
    {
        return fmt::format("notices of {} are lost{}", device_, until_text(fault.until));
    }
    std::string operator()(const scenario::DelayNotices& fault) const
    {
        return fmt::format("notices of {} arrive{} up to {} ms late{}", device_, fault.twice ? " twice," : "",
                           whole_ms(fault.takes), until_text(fault.until));
    }

private:
    const std::string& device_;
    const std::vector<PortNames>& ports_;
};

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

// Entries of equal time keep the order of the scenario.
template <class T, class Time>
std::vector<const T*> by_time(const std::vector<T>& all, Time time)
{
    std::vector<const T*> sorted;
    for (const auto& one : all) {
        sorted.push_back(&one);
    }
    std::sort(sorted.begin(), sorted.end(),
              [&](const T* a, const T* b) { return std::pair{time(*a), a} < std::pair{time(*b), b}; });
    return sorted;
}

std::string in_unit(double value, double unit, std::string_view name, int digits)
{
    return fmt::format("{:.{}g} {}", value / unit, digits, name);
}

}  // namespace

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

std::vector<TimedText> fault_timeline(const Scenario& scenario)
{
    const auto& topology = scenario.setup.topology;
    const auto at = [](const auto& fault) { return fault.at; };
    std::vector<TimedText> fabric;
    for (const auto* fault : by_time(scenario.faults, at)) {
        fabric.push_back({fault->at, std::visit(FaultText{topology}, fault->what)});
    }
    std::vector<TimedText> agents;
    for (const auto* fault : by_time(scenario.agent_faults, at)) {
        agents.push_back({fault->at, std::visit(AgentFaultText{fault->device, topology}, fault->what)});
    }
    std::vector<TimedText> all;
    std::merge(fabric.begin(), fabric.end(), agents.begin(), agents.end(), std::back_inserter(all),
               [](const TimedText& a, const TimedText& b) { return a.at < b.at; });
    return all;
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
