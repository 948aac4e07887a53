// The kinds of [[fault]] that affect the fabric: storms, NICs, cables, routes, buffers.
#include <algorithm>
#include <array>

#include "codec/scenario/fault_table.hpp"
#include "link/reasons.hpp"
#include "twin/pause_frame.hpp"

namespace petrel::codec {

namespace {

using namespace scenario;

constexpr Ps kUsualStormPeriod = 100 * twin::kUs;  // a pause of 65,535 quanta lasts 335 us at 100 Gb/s
constexpr Ps kUsualTraining = 500 * twin::kMs;
constexpr Ps kShortestTraining = 10 * twin::kMs;  // by then the longest frame at the lowest speed has left the link

template <class Fault>
void of_host(FaultTable& fault)
{
    for (const auto host : fault.hosts()) {
        fault.add(Fault{host});
    }
}

template <class Fault>
void of_link(FaultTable& fault)
{
    if (const auto link = fault.link()) {
        fault.add(Fault{*link});
    }
}

template <bool on>
void of_port(FaultTable& fault)
{
    if (const auto end = fault.port()) {
        fault.add(SwitchPort{*end, on});
    }
}

// times = [8 numbers]: the quanta of each priority.
void read_times(FaultTable& fault, twin::Storm& storm)
{
    const auto* node = fault.section.find("times");
    if (node == nullptr) {
        return;
    }
    auto& table = fault.into.setup.pause_times;
    const auto* list = node->as_array();
    if (list == nullptr || list->size() != kPriorities || table.size() == 255) {
        return fault.section.text().wrong(*node, "a list of 8 quanta, one for each priority; at most 255 such lists");
    }
    twin::PauseTimes times{};
    for (std::size_t p = 0; p < kPriorities; ++p) {
        times[p] = static_cast<std::uint16_t>(fault.section.whole((*list)[p], 0, 65'535).value_or(0));
    }
    table.push_back(times);
    storm.times = static_cast<std::uint8_t>(table.size());
}

// A storm cannot send faster than the line: frames would only queue in the NIC.
void check_period(FaultTable& fault, NodeId host, Ps period)
{
    const auto& links = fault.names.topology().links;
    const auto own = std::find_if(links.begin(), links.end(), [&](const topology::Link& link) {
        return link.ends[0].node == host || link.ends[1].node == host;
    });
    const auto bits = 8 * (twin::kControlFrameBytes + std::uint64_t{fault.into.setup.overhead_bytes});
    if (own != links.end() && period < bits * twin::kSecond / own->speed.bps) {
        const auto* node = fault.section.table().get("period");
        fault.section.text().wrong(node != nullptr ? *node : fault.section.table(),
                                   fmt::format("a period in which a frame can be sent: at least {} ps",
                                               bits * twin::kSecond / own->speed.bps));
    }
}

void storm(FaultTable& fault)
{
    const auto stormers = fault.hosts();
    twin::Storm storm;
    storm.priorities = 1U << 3U;
    storm.period = kUsualStormPeriod;
    fault.section.priorities("priorities", storm.priorities);
    fault.section.number("quanta", storm.quanta, 1, 65'535);
    fault.section.time("period", storm.period, twin::kNs);
    fault.section.time("until", storm.stop);
    fault.section.time("burst", storm.burst);
    fault.section.time("silence", storm.silence);
    fault.section.number("xon_every", storm.xon_every, 0, 1'000'000);
    if (storm.silence != 0 && storm.burst == 0) {
        fault.section.text().wrong(*fault.section.table().get("silence"), "silence after a burst: give both");
    }
    read_times(fault, storm);
    for (const auto host : stormers) {
        check_period(fault, host, storm.period);
        fault.add(StartStorm{host, storm});
    }
}

void slow_pipeline(FaultTable& fault)
{
    BitRate rate;
    fault.section.require("rate", "a rate such as \"1G\"");
    fault.section.rate("rate", rate);
    for (const auto host : fault.hosts()) {
        fault.add(LimitPipeline{host, rate});
    }
}

void set_speed(FaultTable& fault)
{
    SetSpeed what;
    what.down = kUsualTraining;
    fault.section.require("speed", "a rate such as \"1G\"");
    fault.section.rate("speed", what.speed);
    fault.section.time("down", what.down, kShortestTraining);
    fault.section.number("lanes", what.lanes, 1, twin::kLanes);
    if (const auto link = fault.link()) {
        what.link = *link;
        fault.add(what);
    }
}

void degrade_link(FaultTable& fault)
{
    LoseLanes what;
    fault.section.require("lanes", "the number of lanes that are left");
    fault.section.number("lanes", what.lanes, 1, twin::kLanes - 1);
    if (const auto link = fault.link()) {
        what.link = *link;
        fault.add(what);
    }
}

// With `down`, the host takes its link down for the time of the reboot.
void reboot_host(FaultTable& fault)
{
    Ps down = 0;
    fault.section.time("down", down, twin::kUs);
    for (const auto host : fault.hosts()) {
        const topology::End port{host, 0};
        if (down != 0) {
            fault.add(TakeDown{port, {link::kReboot}});
            fault.add(SwitchPort{port, true}, down);
        }
        fault.add(RebootHost{host});
    }
}

void slow_port(FaultTable& fault)
{
    const auto end = fault.switch_port();
    SlowPort what;
    if (fault.section.find("rate") != nullptr) {
        fault.section.rate("rate", what.rate.emplace());
    }
    Ps until = twin::kForever;
    fault.section.time("until", until, fault.at + 1);
    if (!end) {
        return;
    }
    what.end = *end;
    fault.add(what);
    if (until != twin::kForever) {
        fault.add(HealPort{*end}, until - fault.at);
    }
}

void reroute(FaultTable& fault)
{
    Reroute what;
    if (const auto* node = fault.section.find("without")) {
        what.without = fault.names.links(*node);
    }
    fault.add(std::move(what));
}

std::optional<NodeId> destination(FaultTable& fault)
{
    const auto* node = fault.section.require("to", "a host");
    return node == nullptr ? std::nullopt : fault.names.node(*node, topology::Kind::host);
}

void route(FaultTable& fault)
{
    const auto to = destination(fault);
    const auto* ports = fault.section.require("ports", "a list such as [\"leaf0:Ethernet4\"], all of one switch");
    const auto* list = ports == nullptr ? nullptr : ports->as_array();
    if (ports != nullptr && (list == nullptr || list->empty())) {
        return fault.section.text().wrong(*ports, "a list of ports");
    }
    SetRoute what;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto end = fault.names.port((*list)[i]);
        if (!end) {
            return;
        }
        if (fault.names.topology().nodes[end->node.value].kind == topology::Kind::host ||
            (i != 0 && end->node != what.at)) {
            return fault.section.text().wrong((*list)[i], "ports of one switch");
        }
        what.at = end->node;
        what.ports.push_back(end->port);
    }
    if (to && !what.ports.empty()) {
        what.to = *to;
        fault.add(std::move(what));
    }
}

void forget_address(FaultTable& fault)
{
    const auto at = fault.switches();
    if (const auto to = destination(fault)) {
        for (const auto one : at) {
            fault.add(SetRoute{one, *to, {}});
        }
    }
}

void alpha(FaultTable& fault)
{
    SetAlpha what;
    fault.section.require("alpha", "the exponent n of 2^n");
    fault.section.number("alpha", what.exponent, -8, 8);
    fault.section.require("group", "a priority group");
    fault.section.number("group", what.group, 0, kPriorities - 1);
    if (fault.section.table().contains("port")) {
        if (const auto end = fault.switch_port()) {
            what.at = end->node;
            what.ports = {static_cast<std::uint8_t>(end->port)};
            fault.add(what);
        }
        return;
    }
    for (const auto at : fault.switches()) {
        what.at = at;
        what.ports.clear();
        for (std::size_t port = 0; port < fault.names.topology().nodes[at.value].ports.size(); ++port) {
            what.ports.push_back(static_cast<std::uint8_t>(port));
        }
        fault.add(what);
    }
}

}  // namespace

std::span<const FaultKind> fabric_fault_kinds()
{
    static constexpr std::array kKinds{FaultKind{"storm", storm},
                                       FaultKind{"stop-storm", of_host<StopStorms>},
                                       FaultKind{"stop-pipeline", of_host<StopPipeline>},
                                       FaultKind{"slow-pipeline", slow_pipeline},
                                       FaultKind{"heal-pipeline", of_host<HealPipeline>},
                                       FaultKind{"kill-host", of_host<KillHost>},
                                       FaultKind{"reboot-host", reboot_host},
                                       FaultKind{"cut-link", of_link<CutLink>},
                                       FaultKind{"mend-link", of_link<RepairLink>},
                                       FaultKind{"disable-port", of_port<false>},
                                       FaultKind{"enable-port", of_port<true>},
                                       FaultKind{"set-speed", set_speed},
                                       FaultKind{"degrade-link", degrade_link},
                                       FaultKind{"slow-port", slow_port},
                                       FaultKind{"reroute", reroute},
                                       FaultKind{"set-route", route},
                                       FaultKind{"forget-address", forget_address},
                                       FaultKind{"set-alpha", alpha}};
    return kKinds;
}

}  // namespace petrel::codec
