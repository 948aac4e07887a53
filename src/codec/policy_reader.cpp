#include "codec/policy_reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/complaint_text.hpp"

namespace petrel::codec {

namespace {

using watchdog::Policy;
using watchdog::Preset;

constexpr std::int64_t kMostMitigated = 65'535;
// With a policy per priority of each, still far below what an index of policies can count.
constexpr std::size_t kMostPolicies = 4'096;
// The parser and its destructors go as deep as dotted names do, on the stack. A name cannot leave its line.
constexpr std::ptrdiff_t kMostDots = 128;

Place place(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }
Place place(const toml::node& node) { return place(node.source()); }

// How a value is shown in a complaint.
std::string shown(const toml::node& node)
{
    switch (node.type()) {
    case toml::node_type::string: return node.as_string()->get();
    case toml::node_type::integer: return fmt::format("{}", node.as_integer()->get());
    case toml::node_type::floating_point: return fmt::format("{:#}", node.as_floating_point()->get());
    case toml::node_type::boolean: return node.as_boolean()->get() ? "true" : "false";
    case toml::node_type::array: return "[...]";
    case toml::node_type::table: return {};  // its place says enough
    default: return "a date or time";
    }
}

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

class PolicyReader {
public:
    explicit PolicyReader(std::string_view file) : complaints_(file) { result_.file = file; }

    Parsed<PolicyFile> read(std::string_view text)
    {
        parse(text);
        if (!complaints_.empty()) {
            return tl::make_unexpected(std::move(complaints_).take());
        }
        return std::move(result_);
    }

private:
    void parse(std::string_view text)
    {
        if (!is_shallow(text)) {
            return;
        }
        try {
            read_top(toml::parse(text));
        } catch (const toml::parse_error& error) {
            complaints_.add(place(error.source()), line_of(text, error.source().begin.line),
                            fmt::format("TOML ({})", error.description()));
        }
    }

    bool is_shallow(std::string_view text)
    {
        std::uint32_t number = 1;
        for (std::size_t at = 0; at <= text.size(); ++number) {
            const auto line = text.substr(at, text.find('\n', at) - at);
            if (std::count(line.begin(), line.end(), '.') > kMostDots) {
                complaints_.add({number, 1}, line, fmt::format("at most {} dots in a line", kMostDots));
                return false;
            }
            at += line.size() + 1;
        }
        return true;
    }

    static std::string_view line_of(std::string_view text, std::uint32_t number)
    {
        for (; number > 1; --number) {
            text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
        }
        return text.substr(0, text.find_first_of("\r\n"));
    }

    void read_top(const toml::table& top)
    {
        static constexpr std::array<std::string_view, 4> kKeys{"limits", "big_red_switch", "policy", "port"};
        for (const auto& [key, node] : top) {
            if (key == "limits") {
                read_limits(node);
            } else if (key == "big_red_switch") {
                result_.big_red_switch = flag(node);
            } else if (key == "policy") {
                each_table(node, "[[policy]]", [this](const toml::table& table) { read_policy(table); });
            } else if (key == "port") {
                each_table(node, "[[port]]", [this](const toml::table& table) { read_port(table); });
            } else {
                unknown(key, kKeys);
            }
        }
        if (!top.contains("policy")) {
            complaints_.add({}, {}, "at least one [[policy]]");
        }
    }

    void read_limits(const toml::node& node)
    {
        static constexpr std::array<std::string_view, 1> kKeys{"max_mitigated"};
        const auto* table = node.as_table();
        if (table == nullptr) {
            return wrong(node, "a table [limits]");
        }
        for (const auto& [key, value] : *table) {
            if (key != "max_mitigated") {
                unknown(key, kKeys);
                continue;
            }
            const auto number = value.value_exact<std::int64_t>();
            if (!number || *number < 0 || *number > kMostMitigated) {
                wrong(value, fmt::format("a whole number 0..{}; 0 = no limit", kMostMitigated));
                continue;
            }
            result_.max_mitigated = static_cast<std::uint32_t>(*number);
        }
    }

    void read_policy(const toml::table& table)
    {
        if (result_.policies.size() == kMostPolicies) {
            return wrong(table, fmt::format("at most {} policies", kMostPolicies));
        }
        const auto* preset = read_preset(table);
        auto& entry = result_.policies.emplace_back();
        entry.policy = preset != nullptr ? preset->policy : Policy{};

        const toml::table* overrides = nullptr;
        for (const auto& [key, node] : table) {
            if (key == "preset") {
                continue;
            }
            if (key == "name") {
                entry.policy.name = text(node);
            } else if (key == "ports") {
                entry.ports = port_names(node);
            } else if (key == "per_priority") {
                overrides = node.as_table();
                if (overrides == nullptr) {
                    wrong(node, "a table [policy.per_priority.N] for a priority N");
                }
            } else {
                read_parameter(key, node, preset, kPolicyKeys, entry.policy);
            }
        }
        if (preset != nullptr) {
            check(entry.policy, table);
        }
        if (overrides != nullptr) {
            read_overrides(*overrides, preset, entry);
        }
    }

    const Preset* read_preset(const toml::table& table)
    {
        std::vector<std::string_view> names;
        for (const auto& preset : watchdog::presets()) {
            names.push_back(preset.policy.name);
        }
        const auto* node = table.get("preset");
        if (node == nullptr) {
            wrong(table, fmt::format("a preset, {}", instead_of({}, names)));
            return nullptr;
        }
        const auto* preset = node->is_string() ? watchdog::find_preset(node->as_string()->get()) : nullptr;
        if (preset == nullptr) {
            wrong(*node, fmt::format("a preset, {}", instead_of(shown(*node), names)));
        }
        return preset;
    }

    void read_overrides(const toml::table& overrides, const Preset* preset, PolicyEntry& entry)
    {
        for (const auto& [key, node] : overrides) {
            const auto name = key.str();
            const bool is_priority = name.size() == 1 && name[0] >= '0' && name[0] < '0' + kPriorities;
            const auto* table = node.as_table();
            if (!is_priority || table == nullptr) {
                complaints_.add(place(key.source()), name, "a table [policy.per_priority.N] for a priority N of 0..7");
                continue;
            }
            const Priority priority{static_cast<std::uint8_t>(name[0] - '0')};
            const auto mask = static_cast<std::uint8_t>(1U << priority.value);
            if (preset != nullptr && (entry.policy.priorities & mask) == 0) {
                complaints_.add(place(key.source()), name,
                                fmt::format("a priority of this policy: {}",
                                            watchdog::parameter_text(entry.policy, kPrioritiesKey)));
                continue;
            }
            Policy policy = entry.policy;
            for (const auto& [parameter, value] : *table) {
                if (parameter == kPrioritiesKey) {
                    complaints_.add(place(parameter.source()), parameter.str(), "a parameter other than priorities");
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

    // `also` are the keys that are allowed here and no parameters.
    void read_parameter(const toml::key& key, const toml::node& node, const Preset* preset,
                        std::span<const std::string_view> also, Policy& policy)
    {
        const auto known = watchdog::parameters();
        const auto name = key.str();
        if (std::none_of(known.begin(), known.end(), [&](const auto& parameter) { return parameter.key == name; })) {
            std::vector<std::string_view> names{also.begin(), also.end()};
            std::transform(known.begin(), known.end(), std::back_inserter(names), [](const auto& p) { return p.key; });
            return unknown(key, names);
        }
        if (preset == nullptr) {
            return;  // no ranges to hold it against
        }
        const auto present = watchdog::parameter_text(preset->policy, name);
        const auto value = parameter_value(node, present);
        if (!value) {
            return wrong(node, fmt::format("{} ({})", type_wanted(present), name));
        }
        if (const auto problem = watchdog::set_parameter(policy, *preset, name, *value)) {
            complaints_.add(place(node), problem->value, fmt::format("{} ({})", problem->allowed, name));
        }
    }

    void check(const Policy& policy, const toml::table& table)
    {
        for (const auto& problem : watchdog::check(policy)) {
            const auto* node = table.get(problem.key);
            complaints_.add(place(node != nullptr ? *node : table), problem.value,
                            fmt::format("{} ({})", problem.allowed, problem.key));
        }
    }

    void read_port(const toml::table& table)
    {
        static constexpr std::array<std::string_view, 2> kKeys{"name", "role"};
        for (const auto& [key, node] : table) {
            if (key != "name" && key != "role") {
                unknown(key, kKeys);
            }
        }
        const auto* name = table.get("name");
        const auto* role = table.get("role");
        if (name == nullptr || role == nullptr) {
            return wrong(table, "a [[port]] with a name and a role");
        }
        PortRole port{.port = {text(*name), place(*name)}, .host_facing = false};
        const auto role_name = role->value_exact<std::string_view>().value_or(std::string_view{});
        if (role_name != "host" && role_name != "switch") {
            return wrong(*role, "host or switch");
        }
        port.host_facing = role_name == "host";
        const auto same = [&](const PortRole& other) { return other.port.name == port.port.name; };
        if (std::any_of(result_.roles.begin(), result_.roles.end(), same)) {
            return wrong(*name, "each port once");
        }
        result_.roles.push_back(std::move(port));
    }

    template <class Read>
    void each_table(const toml::node& node, std::string_view wanted, const Read& read)
    {
        const auto* list = node.as_array();
        if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
            return wrong(node, fmt::format("tables {}", wanted));
        }
        for (const auto& table : *list) {
            read(*table.as_table());
        }
    }

    std::vector<PortName> port_names(const toml::node& node)
    {
        const auto* list = node.as_array();
        if (list == nullptr || list->empty()) {
            wrong(node, "a list of port names");
            return {};
        }
        std::vector<PortName> names;
        for (const auto& name : *list) {
            names.push_back({text(name), place(name)});
        }
        return names;
    }

    std::string text(const toml::node& node)
    {
        auto value = node.value_exact<std::string>().value_or("");
        if (value.empty()) {
            wrong(node, "a string that is not empty");
        }
        return value;
    }

    bool flag(const toml::node& node)
    {
        const auto value = node.value_exact<bool>();
        if (!value) {
            wrong(node, "true or false");
        }
        return value.value_or(false);
    }

    void wrong(const toml::node& node, std::string allowed)
    {
        complaints_.add(place(node), shown(node), std::move(allowed));
    }

    void unknown(const toml::key& key, std::span<const std::string_view> known)
    {
        complaints_.add(place(key.source()), key.str(), fmt::format("a known key, {}", instead_of(key.str(), known)));
    }

    static constexpr std::string_view kPrioritiesKey = "priorities";
    static constexpr std::array<std::string_view, 4> kPolicyKeys{"preset", "name", "ports", "per_priority"};

    ComplaintList complaints_;
    PolicyFile result_;
};

}  // namespace

Parsed<PolicyFile> read_policy_file(std::string_view text, std::string_view file)
{
    return PolicyReader{file}.read(text);
}

}  // namespace petrel::codec
