#include "codec/agent_policy_values.hpp"

#include <algorithm>
#include <iterator>

namespace petrel::codec {

namespace {

class PolicyValues {
public:
    PolicyValues(const config::PolicyFile& policies, const toml::table& top) : policies_(policies), top_(top) {}

    std::vector<config::EffectiveValue> list() &&
    {
        add("big_red_switch", policies_.big_red_switch ? "true" : "false",
            from(top_.get("big_red_switch"), kDefaultOrigin));
        add("limits.max_mitigated", fmt::format("{}", policies_.max_mitigated),
            from(top_["limits"]["max_mitigated"].node(), kDefaultOrigin));
        const auto* tables = top_["policy"].as_array();
        for (std::size_t i = 0; i < policies_.policies.size(); ++i) {
            static const toml::table kNothing;
            add_policy(policies_.policies[i], tables != nullptr ? *tables->get(i)->as_table() : kNothing);
        }
        for (const auto& entry : policies_.ports) {
            const auto key = fmt::format("port.{}", entry.port.name);
            const auto from = origin(policies_.file, entry.port.at);
            if (entry.host_facing) {
                add(key + ".role", *entry.host_facing ? "host" : "switch", from);
            }
            if (entry.number) {
                add(key + ".number", std::to_string(*entry.number), from);
            }
            if (!entry.xname.empty()) {
                add(key + ".xname", entry.xname, from);
            }
            if (!entry.neighbour.empty()) {
                add(key + ".neighbour", entry.neighbour, from);
            }
        }
        return std::move(values_);
    }

private:
    void add(std::string key, std::string value, std::string from)
    {
        values_.push_back({std::move(key), std::move(value), std::move(from)});
    }

    std::string from(const toml::node* node, std::string_view otherwise) const
    {
        return node != nullptr ? origin(policies_.file, place(*node)) : std::string{otherwise};
    }

    void add_policy(const config::PolicyEntry& entry, const toml::table& table)
    {
        const auto key = fmt::format("policy.{}", entry.policy.name);
        const auto* preset = table.get("preset");
        const auto preset_name = preset != nullptr ? shown(*preset) : entry.policy.name;
        add(key + ".preset", preset_name, from(preset, kDefaultOrigin));
        std::vector<std::string_view> ports;
        std::transform(entry.ports.begin(), entry.ports.end(), std::back_inserter(ports),
                       [](const config::PortName& port) -> std::string_view { return port.name; });
        add(key + ".ports", ports.empty() ? "all" : fmt::format("{}", fmt::join(ports, ",")),
            from(table.get("ports"), kDefaultOrigin));
        const auto of_preset = fmt::format("preset {}", preset_name);
        for (const auto& parameter : watchdog::parameters()) {
            add(fmt::format("{}.{}", key, parameter.key), watchdog::parameter_text(entry.policy, parameter.key),
                from(table.get(parameter.key), of_preset));
        }
        for (const auto& [priority, policy] : entry.per_priority) {
            const auto number = fmt::format("{}", priority.value);
            add_override(fmt::format("{}.per_priority.{}", key, number), policy,
                         *table["per_priority"][number].as_table());
        }
    }

    // Only the parameters that the table overrides; the others come from the policy.
    void add_override(const std::string& key, const watchdog::Policy& policy, const toml::table& table)
    {
        for (const auto& parameter : watchdog::parameters()) {
            if (const auto* node = table.get(parameter.key)) {
                add(fmt::format("{}.{}", key, parameter.key), watchdog::parameter_text(policy, parameter.key),
                    from(node, kDefaultOrigin));
            }
        }
    }

    const config::PolicyFile& policies_;
    const toml::table& top_;
    std::vector<config::EffectiveValue> values_;
};

}  // namespace

std::string origin(std::string_view file, Place at) { return fmt::format("{}:{}:{}", file, at.line, at.column); }

std::vector<config::EffectiveValue> policy_values(const config::PolicyFile& policies, const toml::table& top)
{
    return PolicyValues{policies, top}.list();
}

}  // namespace petrel::codec
