#include "codec/policy_sections.hpp"

#include <algorithm>
#include <limits>

#include "codec/policy_table.hpp"
#include "wire/xname.hpp"

namespace petrel::codec {

namespace {

constexpr std::int64_t kMostMitigated = 65'535;
// Even with a policy for each priority, the number of policies stays far below the range of a policy index.
constexpr std::size_t kMostPolicies = 4'096;

}  // namespace

void PolicySections::read(const toml::table& top)
{
    if (const auto* limits = top.get("limits")) {
        read_limits(*limits);
    }
    if (const auto* big_red_switch = top.get("big_red_switch")) {
        into_.big_red_switch = text_.flag(*big_red_switch);
    }
    if (const auto* policies = top.get("policy")) {
        text_.each_table(*policies, "[[policy]]", [this](const toml::table& table) { read_policy(table); });
    }
    if (const auto* ports = top.get("port")) {
        text_.each_table(*ports, "[[port]]", [this](const toml::table& table) { read_port(table); });
    }
}

void PolicySections::read_limits(const toml::node& node)
{
    const auto* table = node.as_table();
    if (table == nullptr) {
        return text_.wrong(node, "a table [limits]");
    }
    text_.only(*table, std::array<std::string_view, 1>{"max_mitigated"});
    if (const auto* most = table->get("max_mitigated")) {
        const auto number = most->value_exact<std::int64_t>();
        if (!number || *number < 0 || *number > kMostMitigated) {
            return text_.wrong(*most, fmt::format("a whole number 0..{}; 0 = no limit", kMostMitigated));
        }
        into_.max_mitigated = static_cast<std::uint32_t>(*number);
    }
}

void PolicySections::read_policy(const toml::table& table)
{
    if (into_.policies.size() == kMostPolicies) {
        return text_.wrong(table, fmt::format("at most {} policies", kMostPolicies));
    }
    auto entry = PolicyTable{text_}.read(table);
    const auto same = [&](const config::PolicyEntry& other) { return other.policy.name == entry.policy.name; };
    const bool named = !entry.policy.name.empty();
    if (named && std::any_of(into_.policies.begin(), into_.policies.end(), same)) {
        // Events and reports identify a policy by its name.
        const auto* name = table.get("name");
        text_.complaints().add(place(name != nullptr ? *name : table), entry.policy.name,
                               "a name that no other [[policy]] has");
    }
    into_.policies.push_back(std::move(entry));
}

void PolicySections::read_port(const toml::table& table)
{
    text_.only(table, std::array<std::string_view, 5>{"name", "role", "number", "xname", "neighbour"});
    const auto* name = table.get("name");
    const auto* role = table.get("role");
    const auto* number = table.get("number");
    const auto* xname = table.get("xname");
    const auto* neighbour = table.get("neighbour");
    if (name == nullptr || (role == nullptr && number == nullptr && xname == nullptr && neighbour == nullptr)) {
        return text_.wrong(table, "a [[port]] with a name and a role, number, xname or neighbour");
    }
    config::PortEntry port{.port = {text_.name(*name), place(*name)}};
    if (role != nullptr) {
        const auto role_name = role->value_exact<std::string_view>().value_or(std::string_view{});
        if (role_name != "host" && role_name != "switch") {
            return text_.wrong(*role, "host or switch");
        }
        port.host_facing = role_name == "host";
    }
    if (number != nullptr) {
        constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
        const auto value = number->value_exact<std::int64_t>();
        if (!value || *value < 0 || *value > kMost) {
            return text_.wrong(*number, fmt::format("a whole number 0..{}", kMost));
        }
        port.number = static_cast<std::uint32_t>(*value);
    }
    if (xname != nullptr) {
        const auto place_name = wire::parse_xname(xname->value_exact<std::string_view>().value_or(std::string_view{}));
        if (!place_name || place_name->kind != wire::XnameKind::jack_port) {
            return text_.wrong(*xname, "the port of a jack, such as \"x0c0r4j3p1\"");
        }
        port.xname = to_string(*place_name);
    }
    if (neighbour != nullptr) {
        port.neighbour = text_.name(*neighbour);
        const auto colon = port.neighbour.find(':');
        if (colon == 0 || colon >= port.neighbour.size() - 1) {  // npos, too
            return text_.wrong(*neighbour, "DEVICE:PORT, such as \"gpu-1207:eth2\"");
        }
    }
    const auto same = [&](const config::PortEntry& other) { return other.port.name == port.port.name; };
    if (std::any_of(into_.ports.begin(), into_.ports.end(), same)) {
        return text_.wrong(*name, "each port once");
    }
    into_.ports.push_back(std::move(port));
}

}  // namespace petrel::codec
