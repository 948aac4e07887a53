// Policies in the notation of the command line: "sonic", "sonic:detect-ms=200,action=alert". Parses the notation and
// names the flag in each complaint; ranges and setters are in watchdog/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {

struct Setting {
    std::string flag;  // its name in a complaint: "--detect-ms", "--policy sonic:detect-ms=20"
    std::string key;   // detect_ms
    std::string value;
};

struct PolicyChoice {
    std::string label;  // as given; events carry it as the policy's name
    const watchdog::Preset* preset{};
    std::vector<Setting> settings;
};

Parsed<PolicyChoice> parse_policy_choice(std::string_view text);

// Applies the preset, then SONiC's scaling for that many ports if requested, then the general settings, then the
// choice's own settings.
Parsed<watchdog::Policy> make_policy(const PolicyChoice&, std::span<const Setting> general,
                                     std::optional<std::uint32_t> scale_for_ports);

// One policy for every port of a device.
watchdog::PolicyBook book_of(watchdog::Policy);

}  // namespace petrel::cli
