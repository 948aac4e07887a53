#include "codec/policy_reader.hpp"

#include <algorithm>
#include <array>

#include "codec/policy_table.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

namespace {

constexpr std::int64_t kMostMitigated = 65'535;
// With a policy per priority of each, still far below what an index of policies can count.
constexpr std::size_t kMostPolicies = 4'096;

class PolicyReader {
public:
    explicit PolicyReader(std::string_view file) : text_(file) { result_.file = file; }

    Parsed<PolicyFile> read(std::string_view text)
    {
        text_.parse(text, [this](const toml::table& top) { read_top(top); });
        if (!text_.complaints().empty()) {
            return tl::make_unexpected(std::move(text_.complaints()).take());
        }
        return std::move(result_);
    }

private:
    void read_top(const toml::table& top)
    {
        static constexpr std::array<std::string_view, 4> kKeys{"limits", "big_red_switch", "policy", "port"};
        for (const auto& [key, node] : top) {
            if (key == "limits") {
                read_limits(node);
            } else if (key == "big_red_switch") {
                result_.big_red_switch = text_.flag(node);
            } else if (key == "policy") {
                text_.each_table(node, "[[policy]]", [this](const toml::table& table) { read_policy(table); });
            } else if (key == "port") {
                text_.each_table(node, "[[port]]", [this](const toml::table& table) { read_port(table); });
            } else {
                text_.unknown(key, kKeys);
            }
        }
        if (!top.contains("policy")) {
            text_.complaints().add({}, {}, "at least one [[policy]]");
        }
    }

    void read_limits(const toml::node& node)
    {
        static constexpr std::array<std::string_view, 1> kKeys{"max_mitigated"};
        const auto* table = node.as_table();
        if (table == nullptr) {
            return text_.wrong(node, "a table [limits]");
        }
        for (const auto& [key, value] : *table) {
            if (key != "max_mitigated") {
                text_.unknown(key, kKeys);
                continue;
            }
            const auto number = value.value_exact<std::int64_t>();
            if (!number || *number < 0 || *number > kMostMitigated) {
                text_.wrong(value, fmt::format("a whole number 0..{}; 0 = no limit", kMostMitigated));
                continue;
            }
            result_.max_mitigated = static_cast<std::uint32_t>(*number);
        }
    }

    void read_policy(const toml::table& table)
    {
        if (result_.policies.size() == kMostPolicies) {
            return text_.wrong(table, fmt::format("at most {} policies", kMostPolicies));
        }
        auto entry = PolicyTable{text_}.read(table);
        const auto same = [&](const PolicyEntry& other) { return other.policy.name == entry.policy.name; };
        const bool named = !entry.policy.name.empty();
        if (named && std::any_of(result_.policies.begin(), result_.policies.end(), same)) {
            // Events and reports know a policy by its name alone.
            const auto* name = table.get("name");
            text_.complaints().add(place(name != nullptr ? *name : table), entry.policy.name,
                                   "a name that no other [[policy]] has");
        }
        result_.policies.push_back(std::move(entry));
    }

    void read_port(const toml::table& table)
    {
        static constexpr std::array<std::string_view, 2> kKeys{"name", "role"};
        for (const auto& [key, node] : table) {
            if (key != "name" && key != "role") {
                text_.unknown(key, kKeys);
            }
        }
        const auto* name = table.get("name");
        const auto* role = table.get("role");
        if (name == nullptr || role == nullptr) {
            return text_.wrong(table, "a [[port]] with a name and a role");
        }
        PortRole port{.port = {text_.name(*name), place(*name)}, .host_facing = false};
        const auto role_name = role->value_exact<std::string_view>().value_or(std::string_view{});
        if (role_name != "host" && role_name != "switch") {
            return text_.wrong(*role, "host or switch");
        }
        port.host_facing = role_name == "host";
        const auto same = [&](const PortRole& other) { return other.port.name == port.port.name; };
        if (std::any_of(result_.roles.begin(), result_.roles.end(), same)) {
            return text_.wrong(*name, "each port once");
        }
        result_.roles.push_back(std::move(port));
    }

    TomlText text_;
    PolicyFile result_;
};

}  // namespace

Parsed<PolicyFile> read_policy_file(std::string_view text, std::string_view file)
{
    return PolicyReader{file}.read(text);
}

}  // namespace petrel::codec
