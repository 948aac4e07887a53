#include "codec/agent_config_reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/complaint_text.hpp"
#include "codec/agent_policy_values.hpp"
#include "codec/agent_settings.hpp"
#include "codec/policy_sections.hpp"

namespace petrel::codec {

namespace {

using config::AgentConfig;
using config::DeviceEntry;
using config::EffectiveValue;

constexpr std::string_view kDefaultPreset = "sonic";
constexpr std::size_t kLongestDeviceName = 64;

std::string_view table_of(const Setting& setting)
{
    return std::string_view{setting.key}.substr(0, setting.key.find('.'));
}
std::string_view key_in_table(const Setting& setting)
{
    return std::string_view{setting.key}.substr(setting.key.find('.') + 1);
}

std::string_view kind_of(std::string_view driver) { return driver.substr(0, driver.find(':')); }

// Device names become file names and metric labels.
bool is_device_name(std::string_view name)
{
    const auto fits = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-';
    };
    return !name.empty() && name.size() <= kLongestDeviceName && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), fits);
}

class AgentConfigReader {
public:
    AgentConfigReader(std::string_view file, std::span<const DriverKind> drivers) : drivers_(drivers), text_(file)
    {
        config_.file = file;
        config_.policies.file = file;
        for (const auto& setting : agent_settings()) {
            setting.set(config_, setting.standard);
            config_.values.push_back({setting.key, setting.standard, std::string{kDefaultOrigin}});
        }
    }

    Parsed<AgentConfig> read(std::string_view text, std::span<const Given> given)
    {
        if (config_.file.empty()) {
            config::PolicyEntry entry;
            entry.policy = watchdog::find_preset(kDefaultPreset)->policy;
            config_.policies.policies.push_back(std::move(entry));
            policy_values_ = policy_values(config_.policies, {});
        } else {
            text_.parse(text, [this, defaults = config_](const toml::table& top) {
                config_ = defaults;
                read_top(top);
            });
        }
        auto complaints = std::move(text_.complaints()).take();
        take_given(given, complaints);
        if (!has_policies_ && !has_other_policies()) {
            complaints.insert(complaints.begin(), {config_.file, 0, 0, {}, std::string{PolicySections::kNoPolicy}});
        }
        if (!complaints.empty()) {
            return tl::unexpected(std::move(complaints));
        }
        add_device_values();
        std::move(policy_values_.begin(), policy_values_.end(), std::back_inserter(config_.values));
        return std::move(config_);
    }

private:
    void read_top(const toml::table& top)
    {
        std::vector<std::string_view> tables;
        for (const auto& setting : agent_settings()) {
            if (tables.empty() || tables.back() != table_of(setting)) {
                tables.push_back(table_of(setting));
            }
        }
        std::vector<std::string_view> known = tables;
        known.push_back(kDeviceKey);
        known.insert(known.end(), PolicySections::kKeys.begin(), PolicySections::kKeys.end());
        text_.only(top, known);

        for (const auto name : tables) {
            if (const auto* node = top.get(name)) {
                read_settings(name, *node);
            }
        }
        if (const auto* devices = top.get(kDeviceKey)) {
            text_.each_table(*devices, "[[device]]", [this](const toml::table& table) { read_device(table); });
        }
        PolicySections{text_, config_.policies}.read(top);
        has_policies_ = top.contains("policy");
        if (text_.complaints().empty()) {
            policy_values_ = policy_values(config_.policies, top);
        }
    }

    void read_settings(std::string_view name, const toml::node& node)
    {
        const auto* table = node.as_table();
        if (table == nullptr) {
            return text_.wrong(node, fmt::format("a table [{}]", name));
        }
        std::vector<std::string_view> known;
        for (const auto& setting : agent_settings()) {
            if (table_of(setting) != name) {
                continue;
            }
            known.push_back(key_in_table(setting));
            if (const auto* value = table->get(known.back())) {
                read_setting(setting, *value);
            }
        }
        text_.only(*table, known);
    }

    void read_setting(const Setting& setting, const toml::node& node)
    {
        const bool is_type = setting.is_number ? node.is_integer() : node.is_string();
        if (!is_type || !set(setting, shown(node), origin(config_.file, place(node)))) {
            text_.wrong(node, fmt::format("{} ({})", setting.allowed, key_in_table(setting)));
        }
    }

    bool set(const Setting& setting, const std::string& value, const std::string& from)
    {
        if (!setting.set(config_, value)) {
            return false;
        }
        const auto shown_as = std::find_if(config_.values.begin(), config_.values.end(),
                                           [&](const EffectiveValue& v) { return v.key == setting.key; });
        *shown_as = {setting.key, value, from};
        return true;
    }

    void read_device(const toml::table& table)
    {
        text_.only(table, std::array<std::string_view, 4>{"name", "driver", "switch_log", "simulated"});
        DeviceEntry entry{{}, {}, place(table)};
        if (const auto* name = table.get("name")) {
            entry.name = text_.text(*name);
            if (!entry.name.empty() && !is_device_name(entry.name)) {
                text_.wrong(*name, fmt::format("up to {} letters, digits, '.', '_' and '-', with no '.' in front",
                                               kLongestDeviceName));
            } else if (is_taken(&DeviceEntry::name, entry.name)) {
                text_.wrong(*name, "a name that no other [[device]] has");
            }
        }
        if (const auto* driver = table.get("driver")) {
            entry.driver = text_.name(*driver);
            if (const auto problem = driver_problem(entry.driver); !problem.empty() && !entry.driver.empty()) {
                text_.wrong(*driver, problem);
            }
        } else {
            text_.wrong(table, "a [[device]] with a driver");
        }
        if (const auto* log = table.get("switch_log")) {
            entry.switch_log = text_.text(*log);
            if (entry.switch_log.find('/') == std::string::npos || !printable(entry.switch_log)) {
                text_.wrong(*log, "the path of a file or syslog socket, with a / in it");
            }
        }
        if (const auto* simulated = table.get("simulated")) {
            entry.simulated = text_.flag(*simulated);
        }
        config_.devices.push_back(std::move(entry));
    }

    bool is_taken(std::string DeviceEntry::* what, const std::string& value) const
    {
        return !value.empty() && std::any_of(config_.devices.begin(), config_.devices.end(),
                                             [&](const DeviceEntry& other) { return other.*what == value; });
    }

    // Policies from elsewhere than the file.
    bool has_other_policies() const
    {
        return config_.nos != config::NosKind::none ||
               std::ranges::any_of(config_.devices, [this](const DeviceEntry& device) {
                   const auto kind = find_kind(kind_of(device.driver));
                   return kind != drivers_.end() && kind->has_policies;
               });
    }

    std::span<const DriverKind>::iterator find_kind(std::string_view kind) const
    {
        return std::ranges::find(drivers_, kind, &DriverKind::name);
    }

    // The allowed values for a complaint; empty if the driver is valid.
    std::string driver_problem(const std::string& driver) const
    {
        const auto kind = kind_of(driver);
        if (find_kind(kind) == drivers_.end()) {
            std::vector<std::string_view> kinds;
            std::ranges::transform(drivers_, std::back_inserter(kinds), &DriverKind::name);
            return fmt::format("KIND:WHAT, of a driver KIND: {}", instead_of(kind, kinds));
        }
        if (driver.size() <= kind.size() + 1) {
            return fmt::format("{}:WHAT", kind);
        }
        return is_taken(&DeviceEntry::driver, driver) ? "each device once" : "";
    }

    void take_given(std::span<const Given> given, std::vector<Complaint>& complaints)
    {
        const auto is_device = [](const Given& value) { return value.key == kDeviceKey; };
        if (std::any_of(given.begin(), given.end(), is_device)) {
            config_.devices.clear();
        }
        for (const auto& value : given) {
            ComplaintList problems{value.origin};
            if (is_device(value)) {
                take_device(value, problems);
            } else if (value.key == kProfileKey) {
                take_profile(value, problems);
            } else {
                take_setting(value, problems);
            }
            auto list = std::move(problems).take();
            std::move(list.begin(), list.end(), std::back_inserter(complaints));
        }
    }

    void take_device(const Given& given, ComplaintList& problems)
    {
        const auto problem = printable(given.value) ? driver_problem(given.value) : "no control characters";
        if (!problem.empty()) {
            problems.add({}, given.value, problem);
        }
        config_.devices.push_back({{}, given.value, {}});
        device_origin_ = given.origin;
    }

    // Called after the devices have been read.
    void take_profile(const Given& given, ComplaintList& problems)
    {
        if (given.value.empty() || !printable(given.value) || given.value.find(',') != std::string::npos) {
            problems.add({}, given.value, "the path of a file, without control characters and commas");
        }
        bool used = false;
        for (auto& device : config_.devices) {
            if (device_origin_.empty() || !device.driver.starts_with("sai:")) {
                continue;
            }
            used = true;
            if (device.driver.find(",profile=") != std::string::npos) {
                problems.add_sentence({}, fmt::format("{} has a profile already: give it once", device.driver));
            } else {
                device.driver += fmt::format(",profile={}", given.value);
            }
        }
        if (!used) {
            problems.add_sentence({}, "only together with --device sai:PATH; a [[device]] has its own profile=FILE");
        }
    }

    void take_setting(const Given& given, ComplaintList& problems)
    {
        const auto settings = agent_settings();
        const auto setting =
            std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == given.key; });
        if (setting == settings.end()) {
            std::vector<std::string_view> variables;
            std::transform(settings.begin(), settings.end(), std::back_inserter(variables),
                           [](const Setting& s) -> std::string_view { return s.variable; });
            problems.add_sentence({}, fmt::format("no such variable; {}", instead_of(given.origin, variables)));
        } else if (!set(*setting, given.value, given.origin)) {
            problems.add({}, given.value, setting->allowed);
        }
    }

    void add_device_values()
    {
        for (std::size_t i = 0; i < config_.devices.size(); ++i) {
            const auto& device = config_.devices[i];
            const auto from = device_origin_.empty() ? origin(config_.file, device.at) : device_origin_;
            if (!device.name.empty()) {
                config_.values.push_back({fmt::format("device.{}.name", i + 1), device.name, from});
            }
            config_.values.push_back({fmt::format("device.{}.driver", i + 1), device.driver, from});
            if (!device.switch_log.empty()) {
                config_.values.push_back({fmt::format("device.{}.switch_log", i + 1), device.switch_log, from});
            }
            if (device.simulated) {
                config_.values.push_back({fmt::format("device.{}.simulated", i + 1), "true", from});
            }
        }
    }

    bool has_policies_{true};  // valid or not; a file may have none
    std::span<const DriverKind> drivers_;
    TomlText text_;
    AgentConfig config_;
    std::vector<EffectiveValue> policy_values_;
    std::string device_origin_;  // empty = the file
};

}  // namespace

Parsed<AgentConfig> read_agent_config(std::string_view text, std::string_view file, std::span<const Given> given,
                                      std::span<const DriverKind> drivers)
{
    return AgentConfigReader{file, drivers}.read(text, given);
}

}  // namespace petrel::codec
