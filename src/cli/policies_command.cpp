#include "cli/policies_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/policy_json.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {
namespace {

// set_parameter() returns the allowed values when it refuses a value, and no parameter accepts a question mark.
std::string allowed_values(const watchdog::Preset& preset, std::string_view key)
{
    auto scratch = preset.policy;
    const auto problem = watchdog::set_parameter(scratch, preset, key, "?");
    return problem ? problem->allowed : std::string{};
}

// All presets, or the one with this name.
std::vector<codec::PolicyListing> list_presets(std::string_view wanted)
{
    std::vector<codec::PolicyListing> listing;
    for (const auto& preset : watchdog::presets()) {
        if (!wanted.empty() && preset.policy.name != wanted) {
            continue;
        }
        codec::PolicyListing policy{preset.policy.name, std::string{preset.about}, {}};
        for (const auto& [key, about] : watchdog::parameters()) {
            policy.parameters.push_back({std::string{key}, std::string{about},
                                         watchdog::parameter_text(preset.policy, key), allowed_values(preset, key)});
        }
        listing.push_back(std::move(policy));
    }
    return listing;
}

std::string policies_text(const std::vector<codec::PolicyListing>& policies, const Paint& paint)
{
    std::string text;
    for (const auto& policy : policies) {
        Table table({{"parameter", Align::left, {}}, {"default", Align::left, {}}, {"allowed", Align::left, {}}});
        for (const auto& parameter : policy.parameters) {
            table.add({parameter.key, parameter.standard, parameter.allowed});
        }
        text += fmt::format("{}: {}\n\n{}\n", paint.bold(policy.name), policy.about, table.text());
    }
    Table meanings({{"parameter", Align::left, {}}, {"meaning", Align::left, {}}});
    for (const auto& parameter : watchdog::parameters()) {
        meanings.add({std::string{parameter.key}, std::string{parameter.about}});
    }
    meanings.fit(stdout_columns());
    return text + meanings.text();
}

}  // namespace

ExitCode run_policies(const PoliciesOptions& options)
{
    const auto policies = list_presets(options.preset);
    if (policies.empty()) {
        std::vector<std::string_view> known;
        std::ranges::transform(watchdog::presets(), std::back_inserter(known),
                               [](const auto& preset) { return std::string_view{preset.policy.name}; });
        return refuse({{"PRESET", 0, 0, options.preset, "a preset, " + instead_of(options.preset, known)}});
    }
    return finish(options.json ? codec::policies_json(policies)
                               : fitted(policies_text(policies, Paint{stdout_wants_colour()})),
                  ExitCode::ok);
}

}  // namespace petrel::cli
