// [[fault]]: what fails, and when.
#include "codec/scenario/fault_table.hpp"
#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

void read_fault(FaultTable fault)
{
    auto& section = fault.section;
    section.require("at", "a time such as \"20ms\"");
    section.time("at", fault.at);
    const auto* kind = section.require_kind("a kind of fault");
    if (kind == nullptr) {
        return;
    }
    std::vector<FaultKind> known;
    std::vector<std::string_view> words;
    for (const auto kinds : {fabric_fault_kinds(), link_fault_kinds(), agent_fault_kinds(), manager_fault_kinds()}) {
        for (const auto& one : kinds) {
            known.push_back(one);
            words.push_back(one.name);
        }
    }
    if (const auto chosen = section.choice(*kind, words)) {
        known[*chosen].read(fault);
        section.done();
    }
}

}  // namespace

std::vector<scenario::NodeId> FaultTable::hosts()
{
    const auto* node = section.require("host", "a host, or a list of hosts");
    return node == nullptr ? std::vector<scenario::NodeId>{} : names.nodes(*node, topology::Kind::host);
}

std::vector<scenario::NodeId> FaultTable::switches()
{
    const auto* node = section.require("switch", "a switch, or a list of switches");
    return node == nullptr ? std::vector<scenario::NodeId>{} : names.nodes(*node, topology::Kind::fabric_switch);
}

std::optional<topology::End> FaultTable::port()
{
    const auto* node = section.require("port", "a port such as \"leaf0:Ethernet4\"");
    return node == nullptr ? std::nullopt : names.port(*node);
}

std::optional<topology::End> FaultTable::switch_port()
{
    const auto end = port();
    if (end && names.topology().nodes[end->node.value].kind == topology::Kind::host) {
        section.text().wrong(*section.find("port"), "a port of a switch");
        return std::nullopt;
    }
    return end;
}

std::optional<std::uint32_t> FaultTable::link()
{
    const auto* node = section.require("link", "a port, or two nodes");
    return node == nullptr ? std::nullopt : names.link(*node);
}

void read_faults(Section& top, ScenarioNames& names, scenario::Scenario& into)
{
    if (const auto* tables = top.find("fault")) {
        top.text().each_table(*tables, "[[fault]]", [&](const toml::table& table) {
            Section section{top.text(), table};
            read_fault({section, names, into});
        });
    }
}

}  // namespace petrel::codec
