#include "codec/policy_table.hpp"

#include <algorithm>
#include <array>

#include "base/complaint_text.hpp"

namespace petrel::codec {

namespace {

using watchdog::Policy;
using watchdog::Preset;

constexpr std::string_view kPrioritiesKey = "priorities";
constexpr std::array<std::string_view, 4> kPolicyKeys{"preset", "name", "ports", "per_priority"};

// The text that set_parameter() takes; none if the value has another type than the parameter's present one.
std::optional<std::string> parameter_value(const toml::node& node, std::string_view present)
{
    const bool is_number = !present.empty() && present.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_flag = present == "true" || present == "false";
    if (is_number || is_flag) {
        return (is_number ? node.is_integer() : node.is_boolean()) ? std::optional{shown(node)} : std::nullopt;
    }
    if (const auto* list = node.as_array()) {
        if (list->empty() || !list->is_homogeneous(toml::node_type::integer)) {
            return std::nullopt;
        }
        std::vector<std::string> numbers;
        std::transform(list->begin(), list->end(), std::back_inserter(numbers), shown);
        return fmt::format("{}", fmt::join(numbers, ","));
    }
    return node.is_string() ? std::optional{shown(node)} : std::nullopt;
}

std::string type_wanted(std::string_view present)
{
    if (present == "true" || present == "false") {
        return "true or false";
    }
    const bool is_number = present.find_first_not_of("0123456789") == std::string_view::npos;
    return is_number ? "a whole number" : "a string or a list of whole numbers";
}

}  // namespace

config::PolicyEntry PolicyTable::read(const toml::table& table, std::span<const std::string_view> also)
{
    const auto* preset = read_preset(table);
    config::PolicyEntry entry;
    std::vector<std::string_view> allowed{kPolicyKeys.begin(), kPolicyKeys.end()};
    allowed.insert(allowed.end(), also.begin(), also.end());
    entry.policy = preset != nullptr ? preset->policy : Policy{};
    if (const auto* given = table.get("preset"); given != nullptr) {
        entry.policy.name = shown(*given);  // also of an unknown preset, whose policy is not that of the nearest one
    }

    const toml::table* overrides = nullptr;
    for (const auto& [key, node] : table) {
        if (key == "preset" || std::find(also.begin(), also.end(), key.str()) != also.end()) {
            continue;
        }
        if (key == "name") {
            entry.policy.name = text_.name(node);
        } else if (key == "ports") {
            entry.ports = port_names(node);
        } else if (key == "per_priority") {
            overrides = node.as_table();
            if (overrides == nullptr) {
                text_.wrong(node, "a table [policy.per_priority.N] for a priority N");
            }
        } else {
            read_parameter(key, node, preset, allowed, entry.policy);
        }
    }
    if (preset != nullptr) {
        check(entry.policy, table);
    }
    if (overrides != nullptr) {
        read_overrides(*overrides, preset, entry);
    }
    return entry;
}

const Preset* PolicyTable::read_preset(const toml::table& table)
{
    std::vector<std::string_view> names;
    for (const auto& preset : watchdog::presets()) {
        names.push_back(preset.policy.name);
    }
    const auto* node = table.get("preset");
    if (node == nullptr) {
        text_.wrong(table, fmt::format("a preset, {}", instead_of({}, names)));
        return nullptr;
    }
    const auto* preset = node->is_string() ? watchdog::find_preset(node->as_string()->get()) : nullptr;
    if (preset == nullptr) {
        text_.wrong(*node, fmt::format("a preset, {}", instead_of(shown(*node), names)));
        return watchdog::find_preset(nearest(shown(*node), names));  // its parameters are checked, too
    }
    return preset;
}

void PolicyTable::read_overrides(const toml::table& overrides, const Preset* preset, config::PolicyEntry& entry)
{
    for (const auto& [key, node] : overrides) {
        const auto name = key.str();
        const bool is_priority = name.size() == 1 && name[0] >= '0' && name[0] < '0' + kPriorities;
        const auto* table = node.as_table();
        if (!is_priority || table == nullptr) {
            text_.complaints().add(place(key.source()), name,
                                   "a table [policy.per_priority.N] for a priority N of 0..7");
            continue;
        }
        const Priority priority{static_cast<std::uint8_t>(name[0] - '0')};
        const auto mask = static_cast<std::uint8_t>(1U << priority.value);
        if (preset != nullptr && (entry.policy.priorities & mask) == 0) {
            text_.complaints().add(
                place(key.source()), name,
                fmt::format("a priority of this policy: {}", watchdog::parameter_text(entry.policy, kPrioritiesKey)));
            continue;
        }
        Policy policy = entry.policy;
        for (const auto& [parameter, value] : *table) {
            if (parameter == kPrioritiesKey) {
                text_.complaints().add(place(parameter.source()), parameter.str(), "a parameter other than priorities");
                continue;
            }
            read_parameter(parameter, value, preset, {}, policy);
        }
        if (preset != nullptr) {
            check(policy, *table);
        }
        policy.priorities = mask;
        entry.per_priority.emplace_back(priority, std::move(policy));
    }
}

// `allowed`: keys that are allowed here although they are no parameters.
void PolicyTable::read_parameter(const toml::key& key, const toml::node& node, const Preset* preset,
                                 std::span<const std::string_view> allowed, Policy& policy)
{
    const auto known = watchdog::parameters();
    const auto name = key.str();
    if (std::none_of(known.begin(), known.end(), [&](const auto& parameter) { return parameter.key == name; })) {
        std::vector<std::string_view> names{allowed.begin(), allowed.end()};
        std::transform(known.begin(), known.end(), std::back_inserter(names), [](const auto& p) { return p.key; });
        return text_.unknown(key, names);
    }
    if (preset == nullptr) {
        return;  // without a preset there are no ranges to check against
    }
    const auto present = watchdog::parameter_text(preset->policy, name);
    const auto value = parameter_value(node, present);
    if (!value) {
        return text_.wrong(node, fmt::format("{} ({})", type_wanted(present), name));
    }
    if (const auto problem = watchdog::set_parameter(policy, *preset, name, *value)) {
        text_.complaints().add(place(node), problem->value, fmt::format("{} ({})", problem->allowed, name));
    }
}

void PolicyTable::check(const Policy& policy, const toml::table& table)
{
    for (const auto& problem : watchdog::check(policy)) {
        const auto* node = table.get(problem.key);
        text_.complaints().add(place(node != nullptr ? *node : table), problem.value,
                               fmt::format("{} ({})", problem.allowed, problem.key));
    }
}

std::vector<config::PortName> PolicyTable::port_names(const toml::node& node)
{
    const auto* list = node.as_array();
    if (list == nullptr || list->empty()) {
        text_.wrong(node, "a list of port names");
        return {};
    }
    std::vector<config::PortName> names;
    for (const auto& name : *list) {
        names.push_back({text_.name(name), place(name)});
    }
    return names;
}

}  // namespace petrel::codec
