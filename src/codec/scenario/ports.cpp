// [[port]]: further names of a port (its number on the switch, its place in the cabinet), the settings of its hardware
// detector where they differ from the switch's, and the speed and width that its link must have.
#include <algorithm>
#include <limits>

#include "codec/scenario/parts.hpp"
#include "wire/xname.hpp"

namespace petrel::codec {

namespace {

std::string read_xname(Section& section)
{
    const auto* place = section.find("xname");
    if (place == nullptr) {
        return {};
    }
    const auto read = wire::parse_xname(place->value_exact<std::string_view>().value_or(std::string_view{}));
    if (!read || read->kind != wire::XnameKind::jack_port) {
        section.text().wrong(*place, "the port of a jack, such as \"x0c0r4j3p1\"");
        return {};
    }
    return to_string(*read);
}

// Both keys or neither.
std::optional<scenario::PortDetector> read_detector(Section& section)
{
    twin::Ps detect = 0;
    twin::Ps recover = 0;
    section.time("deadlock_detect", detect, twin::kNs);
    section.time("deadlock_recover", recover, twin::kNs);
    const bool detects = section.table().contains("deadlock_detect");
    if (detects != section.table().contains("deadlock_recover")) {
        section.text().wrong(section.table(), "deadlock_detect and deadlock_recover together");
    }
    if (!detects) {
        return std::nullopt;
    }
    return scenario::PortDetector{
        {}, twin::to_instant(detect).time_since_epoch(), twin::to_instant(recover).time_since_epoch()};
}

// None if the port has neither key.
std::optional<link::LinkPolicy> read_link_policy(Section& section)
{
    BitRate least;
    section.rate("least_speed", least);
    link::LinkPolicy policy{0, {least.bps / twin::kLanes}};
    if (const auto* widths = section.find("widths")) {
        const auto* list = widths->as_array();
        const auto add = [&](const toml::node& lanes) {
            const auto number = section.whole(lanes, 1, twin::kLanes).value_or(1);
            policy.widths_allowed = static_cast<std::uint8_t>(policy.widths_allowed | 1U << (number - 1));
        };
        if (list == nullptr) {
            add(*widths);
        } else if (list->empty()) {
            section.text().wrong(*widths, "at least one width");
        } else {
            std::ranges::for_each(*list, add);
        }
    }
    return policy.widths_allowed == 0 && least.bps == 0 ? std::nullopt : std::optional{policy};
}

void read_port(Section& section, ScenarioNames& names, scenario::Scenario& into)
{
    const auto* node = section.require("port", "a port such as \"s0:Ethernet0\"");
    std::uint32_t number = 0;
    section.number("number", number, 0, std::numeric_limits<std::uint16_t>::max());
    const auto xname = read_xname(section);
    const auto detector = read_detector(section);
    const auto policy = read_link_policy(section);
    section.done();
    if (node == nullptr) {
        return;
    }
    const auto port = names.port(*node);
    if (!port) {
        return;
    }
    auto& owner = into.setup.topology.nodes[port->node.value];
    owner.ports[port->port].xname = xname;
    owner.ports[port->port].number = section.table().contains("number") ? std::optional{number} : std::nullopt;
    if (policy) {
        into.setup.link_policies.push_back({*port, *policy});
    }
    if (detector && owner.kind == topology::Kind::host) {
        section.text().wrong(*section.table().get("deadlock_detect"), "a port of a switch");
    } else if (detector) {
        into.port_detectors.push_back({*port, detector->detect, detector->recover});
    }
}

}  // namespace

void read_ports(Section& top, ScenarioNames& names, scenario::Scenario& into)
{
    if (const auto* tables = top.find("port")) {
        top.text().each_table(*tables, "[[port]]", [&](const toml::table& table) {
            Section section{top.text(), table};
            read_port(section, names, into);
        });
    }
}

}  // namespace petrel::codec
