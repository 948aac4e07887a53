// The kinds of [[fault]] by which the ends of a link take it down and bring it up; and [manager], the link manager.
#include <array>

#include "codec/scenario/fault_table.hpp"
#include "codec/scenario/parts.hpp"
#include "link/reasons.hpp"

namespace petrel::codec {

namespace {

using namespace scenario;

constexpr std::int64_t kMostFlaps = 1'000;
constexpr Ps kShortest = twin::kUs;  // shortest time for which a link is down or up

// The reason for which a port goes down must be a known code.
void read_reason(Section& section, std::string_view key, std::uint8_t& into)
{
    section.number(key, into, 0, 255);
    if (!link::reason(into).known()) {
        section.text().wrong(*section.find(key), "a code with a meaning (petrel link codes)");
    }
}

twin::PortDown read_port_down(Section& section, std::uint8_t usual_reason)
{
    twin::PortDown down{usual_reason};
    read_reason(section, "reason", down.reason);
    section.read("told", down.send_reason);
    return down;
}

// A port, or both ends of a link.
std::vector<topology::End> ends(FaultTable& fault)
{
    if (fault.section.find("link") == nullptr) {
        const auto end = fault.port();
        return end ? std::vector{*end} : std::vector<topology::End>{};
    }
    const auto link = fault.link();
    if (!link) {
        return {};
    }
    const auto& both = fault.names.topology().links[*link].ends;
    return {both.begin(), both.end()};
}

std::optional<topology::End> peer_of(const topology::Topology& topology, topology::End end)
{
    for (const auto& link : topology.links) {
        for (std::size_t side = 0; side < 2; ++side) {
            if (link.ends[side] == end) {
                return link.ends[1 - side];
            }
        }
    }
    return std::nullopt;
}

void link_down(FaultTable& fault)
{
    const auto end = fault.port();
    const auto own = read_port_down(fault.section, link::kUnknownReason);
    twin::PortDown peers;
    const bool both = fault.section.find("peer_reason") != nullptr;
    if (both) {
        read_reason(fault.section, "peer_reason", peers.reason);
        fault.section.read("peer_told", peers.send_reason);
    }
    if (!end) {
        return;
    }
    fault.add(TakeDown{*end, own});
    if (const auto peer = both ? peer_of(fault.names.topology(), *end) : std::nullopt) {
        fault.add(TakeDown{*peer, peers});
    }
}

void link_up(FaultTable& fault)
{
    for (const auto end : ends(fault)) {
        fault.add(SwitchPort{end, true});
    }
}

void power_loss(FaultTable& fault)
{
    if (const auto end = fault.port()) {
        fault.add(LosePower{*end});
    }
}

// Takes the port down and up again `times` times; `up` is the time between two of them.
void add_bounces(FaultTable& fault, topology::End end, const twin::PortDown& why, std::uint32_t times, Ps down, Ps up)
{
    for (std::uint32_t i = 0; i < times; ++i) {
        fault.add(TakeDown{end, why}, i * (down + up));
        fault.add(SwitchPort{end, true}, i * (down + up) + down);
    }
}

void add_bounce(FaultTable& fault, std::optional<topology::End> end, const twin::PortDown& why)
{
    Ps down = twin::kMs;
    fault.section.time("down", down, kShortest);
    if (end) {
        add_bounces(fault, *end, why, 1, down, 0);
    }
}

void bounce(FaultTable& fault)
{
    const auto end = fault.port();
    add_bounce(fault, end, read_port_down(fault.section, link::kManagerBounce));
}

// The manager bounces a link at its switch: it would lose the way to a NIC.
void manager_bounce(FaultTable& fault) { add_bounce(fault, fault.switch_port(), {link::kManagerBounce}); }

void flap(FaultTable& fault)
{
    const auto end = fault.port();
    const auto why = read_port_down(fault.section, link::kUnknownReason);
    std::uint32_t times = 0;
    Ps down = 0;
    Ps up = 0;
    fault.section.require("times", "how often");
    fault.section.number("times", times, 1, kMostFlaps);
    fault.section.require("down", "a time such as \"5ms\"");
    fault.section.time("down", down, kShortest);
    fault.section.require("up", "a time such as \"20ms\"");
    fault.section.time("up", up, kShortest);
    if (end) {
        add_bounces(fault, *end, why, times, down, up);
    }
}

void manager_disable(FaultTable& fault)
{
    if (const auto end = fault.port()) {
        fault.add(TakeDown{*end, {link::kManagerDisabled}});
    }
}

}  // namespace

std::span<const FaultKind> link_fault_kinds()
{
    static constexpr std::array kKinds{FaultKind{"link-down", link_down},
                                       FaultKind{"link-up", link_up},
                                       FaultKind{"power-loss", power_loss},
                                       FaultKind{"bounce", bounce},
                                       FaultKind{"flap", flap},
                                       FaultKind{"manager-bounce", manager_bounce},
                                       FaultKind{"manager-disable", manager_disable},
                                       FaultKind{"manager-enable", link_up}};
    return kKinds;
}

}  // namespace petrel::codec
