// Policies as the command line names them: "sonic", "sonic:detect-ms=200,action=alert". Ranges and setters are the
// core's; here is only the notation, and that every problem is named by the flag it came from.
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
    std::string flag;  // what a complaint calls it: "--detect-ms", "--policy sonic:detect-ms=20"
    std::string key;   // detect_ms
    std::string value;
};

struct PolicyChoice {
    std::string label;  // as given; events carry it as the policy's name
    const watchdog::Preset* preset{};
    std::vector<Setting> settings;
};

Parsed<PolicyChoice> parse_policy_choice(std::string_view text);

// The preset, then SONiC's scaling for so many ports if wanted, then the general settings, then the choice's own.
Parsed<watchdog::Policy> make_policy(const PolicyChoice&, std::span<const Setting> general,
                                     std::optional<std::uint32_t> scale_for_ports);

// One policy for every port of a device.
watchdog::PolicyBook book_of(watchdog::Policy);

}  // namespace petrel::cli
