#include "cli/policy_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "sonic/start_default.hpp"

namespace petrel::cli {
namespace {

std::vector<std::string_view> preset_names()
{
    std::vector<std::string_view> names;
    for (const auto& preset : watchdog::presets()) {
        names.push_back(preset.policy.name);
    }
    return names;
}

std::string preset_instead_of(std::string_view word)
{
    const auto names = preset_names();
    const auto near = nearest(word, names);
    return fmt::format("{}{}", fmt::join(names, ", "),
                       word.ends_with(".toml") ? "; policies of a file: --config FILE"
                       : near.empty()          ? ""
                                               : fmt::format(" (the nearest is {})", near));
}

std::vector<std::string_view> parameter_keys()
{
    std::vector<std::string_view> keys;
    for (const auto& parameter : watchdog::parameters()) {
        keys.push_back(parameter.key);
    }
    return keys;
}

// "a=1,b=3,4" is a=1 and b=3,4: a part without '=' belongs to the value before it.
std::vector<std::string> split_settings(std::string_view text)
{
    std::vector<std::string> settings;
    while (true) {
        const auto comma = text.find(',');
        const auto piece = text.substr(0, comma);
        if (piece.find('=') == std::string_view::npos && !settings.empty()) {
            settings.back() += fmt::format(",{}", piece);
        } else {
            settings.emplace_back(piece);
        }
        if (comma == std::string_view::npos) {
            return settings;
        }
        text.remove_prefix(comma + 1);
    }
}

Parsed<Setting> parse_setting(std::string_view text, const std::string& flag, const watchdog::Preset* preset)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        return tl::unexpected(std::vector{Complaint{flag, 0, 0, std::string{text}, "key=value"}});
    }
    Setting setting{flag, std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)}};
    std::replace(setting.key.begin(), setting.key.end(), '-', '_');
    const auto keys = parameter_keys();
    if (std::find(keys.begin(), keys.end(), setting.key) == keys.end()) {
        return tl::unexpected(
            std::vector{Complaint{flag, 0, 0, setting.key, "a parameter, " + instead_of(setting.key, keys)}});
    }
    if (preset != nullptr) {
        auto scratch = preset->policy;
        if (auto problem = watchdog::set_parameter(scratch, *preset, setting.key, setting.value)) {
            const auto value = fmt::format("{}={}", setting.key, setting.value);
            return tl::unexpected(std::vector{Complaint{flag, 0, 0, value, std::move(problem->allowed)}});
        }
    }
    return setting;
}

}  // namespace

Parsed<PolicyChoice> parse_policy_choice(std::string_view text)
{
    std::vector<Complaint> complaints;
    const auto flag = fmt::format("--policy {}", text);
    const auto colon = text.find(':');
    const auto preset_name = text.substr(0, colon);
    PolicyChoice choice{std::string{text}, watchdog::find_preset(preset_name), {}};
    if (choice.preset == nullptr) {
        complaints.push_back({"--policy", 0, 0, std::string{preset_name}, preset_instead_of(preset_name)});
    }
    if (colon != std::string_view::npos) {
        for (const auto& piece : split_settings(text.substr(colon + 1))) {
            if (auto setting = parse_setting(piece, flag, choice.preset)) {
                choice.settings.push_back(std::move(*setting));
            } else {
                complaints.insert(complaints.end(), setting.error().begin(), setting.error().end());
            }
        }
    }
    if (!complaints.empty()) {
        return tl::unexpected(std::move(complaints));
    }
    return choice;
}

Parsed<watchdog::Policy> make_policy(const PolicyChoice& choice, std::span<const Setting> general,
                                     std::optional<std::uint32_t> scale_for_ports)
{
    std::vector<Complaint> complaints;
    auto policy = choice.preset->policy;
    if (scale_for_ports) {
        sonic::scale_as_start_default(policy, *scale_for_ports);
    }
    const auto set = [&](const Setting& setting) {
        if (auto problem = watchdog::set_parameter(policy, *choice.preset, setting.key, setting.value)) {
            complaints.push_back({setting.flag, 0, 0, problem->value,
                                  fmt::format("{} (for {})", problem->allowed, choice.preset->policy.name)});
        }
    };
    std::for_each(general.begin(), general.end(), set);
    std::for_each(choice.settings.begin(), choice.settings.end(), set);
    if (complaints.empty()) {
        for (auto& problem : watchdog::check(policy)) {
            complaints.push_back({fmt::format("--policy {}", choice.label), 0, 0,
                                  fmt::format("{} = {}", problem.key, problem.value), std::move(problem.allowed)});
        }
    }
    if (!complaints.empty()) {
        return tl::unexpected(std::move(complaints));
    }
    policy.name = choice.label;
    return policy;
}

watchdog::PolicyBook book_of(watchdog::Policy policy)
{
    watchdog::PolicyBook book;
    book.policies.push_back(std::move(policy));
    book.assigned.push_back({0, std::nullopt, std::nullopt});
    return book;
}

}  // namespace petrel::cli
