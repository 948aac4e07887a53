// [[port]]: what a port is called besides its name: its number on the switch, and its place in the cabinet.
#include <limits>

#include "codec/scenario_parts.hpp"
#include "wire/xname.hpp"

namespace petrel::codec {

namespace {

void read_port(Section& section, ScenarioNames& names, topology::Topology& topology)
{
    const auto* node = section.require("port", "a port such as \"s0:Ethernet0\"");
    const auto port = node == nullptr ? std::nullopt : names.port(*node);
    std::uint32_t number = 0;
    section.number("number", number, 0, std::numeric_limits<std::uint16_t>::max());
    std::string xname;
    if (const auto* place = section.find("xname")) {
        const auto read = wire::parse_xname(place->value_exact<std::string_view>().value_or(std::string_view{}));
        if (read && read->kind == wire::XnameKind::jack_port) {
            xname = to_string(*read);
        } else {
            section.text().wrong(*place, "the port of a jack, such as \"x0c0r4j3p1\"");
        }
    }
    if (port) {
        auto& called = topology.nodes[port->node.value].ports[port->port];
        called.xname = xname;
        called.number = section.table().contains("number") ? std::optional{number} : std::nullopt;
    }
    section.done();
}

}  // namespace

void read_port_names(Section& top, ScenarioNames& names, topology::Topology& topology)
{
    if (const auto* tables = top.find("port")) {
        top.text().each_table(*tables, "[[port]]", [&](const toml::table& table) {
            Section section{top.text(), table};
            read_port(section, names, topology);
        });
    }
}

}  // namespace petrel::codec
