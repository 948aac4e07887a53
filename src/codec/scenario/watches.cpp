// [[policy]]: the devices that have an agent, and their policies. The same tables as in a policy file, plus `devices`.
#include <algorithm>
#include <array>
#include <map>

#include "codec/policy_table.hpp"
#include "codec/scenario/parts.hpp"
#include "config/policy_bind.hpp"
#include "config/policy_file.hpp"

namespace petrel::codec {

namespace {

using topology::NodeId;
using watchdog::PolicyBook;

constexpr std::size_t kMostPolicyTables = 1'000;
constexpr std::array<std::string_view, 1> kOwnKeys{"devices"};

class Watches {
public:
    Watches(TomlText& text, ScenarioNames& names) : text_(text), names_(names) {}

    void read(const toml::table& table)
    {
        const auto devices = names_.known() ? devices_of(table) : std::vector<NodeId>{};
        const auto books = read_policy(text_, names_, table, kOwnKeys, devices);
        for (std::size_t i = 0; i < books.size(); ++i) {
            append(books_[devices[i]], books[i]);
        }
    }

    const std::map<NodeId, PolicyBook>& books() const { return books_; }

private:
    std::vector<NodeId> devices_of(const toml::table& table)
    {
        const auto* node = table.get("devices");
        const auto word = node == nullptr ? usual_devices(table) : node->value_exact<std::string_view>();
        if (word == "switches") {
            return names_.all(topology::Kind::fabric_switch);
        }
        if (word == "nics") {
            return names_.all(topology::Kind::host);
        }
        return names_.nodes(*node, std::nullopt);
    }

    static std::optional<std::string_view> usual_devices(const toml::table& table)
    {
        return table.get("preset") != nullptr && table["preset"].value_or(std::string_view{}) == "rdma-nic"
                   ? "nics"
                   : "switches";
    }

    // Later assignments override earlier ones, as in a policy file.
    static void append(PolicyBook& book, const PolicyBook& more)
    {
        const auto first = static_cast<std::uint16_t>(book.policies.size());
        book.policies.insert(book.policies.end(), more.policies.begin(), more.policies.end());
        for (auto assignment : more.assigned) {
            assignment.policy = static_cast<std::uint16_t>(assignment.policy + first);
            book.assigned.push_back(assignment);
        }
    }

    TomlText& text_;
    ScenarioNames& names_;
    std::map<NodeId, PolicyBook> books_;
};

}  // namespace

std::vector<PolicyBook> read_policy(TomlText& text, const ScenarioNames& names, const toml::table& table,
                                    std::span<const std::string_view> own, std::span<const NodeId> devices)
{
    const auto entry = PolicyTable{text}.read(table, own);
    if (devices.empty()) {
        return {};
    }
    std::vector<watchdog::Inventory> inventories(devices.size());
    std::vector<watchdog::Inventory*> pointers;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        inventories[i].ports = names.topology().nodes[devices[i].value].ports;
        pointers.push_back(&inventories[i]);
    }
    config::PolicyFile file;
    file.policies.push_back(entry);
    const auto books = config::bind_ports(file, pointers);
    if (!books) {
        for (const auto& complaint : books.error()) {
            text.complaints().add({complaint.line, complaint.column, place(table).file}, complaint.value,
                                  complaint.allowed);
        }
        return {};
    }
    return *books;
}

scenario::SwitchTraits traits_of(const topology::Topology& topology, NodeId node,
                                 std::span<const scenario::SwitchTraits> by_profile, const twin::Setup& setup)
{
    const bool is_switch = topology.nodes[node.value].kind == topology::Kind::fabric_switch;
    return is_switch ? by_profile[setup.profile(node.value)] : scenario::SwitchTraits{};
}

void read_watches(Section& top, ScenarioNames& names, std::span<const scenario::SwitchTraits> by_profile,
                  scenario::Scenario& into)
{
    std::uint32_t max_mitigated = 0;
    if (auto limits = top.below("limits")) {
        limits->number("max_mitigated", max_mitigated, 0, 65'535);
        std::int64_t hang_ms = std::chrono::duration_cast<std::chrono::milliseconds>(into.hang_after).count();
        limits->number("hang_ms", hang_ms, 10, 600'000);
        into.hang_after = std::chrono::milliseconds{hang_ms};
        limits->done();
    }
    const auto* tables = top.find("policy");
    if (tables == nullptr) {
        return;
    }
    Watches watches{top.text(), names};
    std::size_t count = 0;
    top.text().each_table(*tables, "[[policy]]", [&](const toml::table& table) {
        if (++count <= kMostPolicyTables) {
            watches.read(table);
        }
    });
    if (count > kMostPolicyTables) {
        top.text().wrong(*tables, fmt::format("at most {} tables [[policy]]", kMostPolicyTables));
    }
    for (auto [node, book] : watches.books()) {
        book.max_mitigated = max_mitigated;
        into.watches.push_back({node, std::move(book), traits_of(names.topology(), node, by_profile, into.setup)});
    }
}

}  // namespace petrel::codec
