// The names of a queue's phase, action and treatment, in JSON and in text.
#pragma once

#include <optional>
#include <string_view>

#include "watchdog/checkpoint.hpp"
#include "watchdog/observation.hpp"

namespace petrel::control {

std::string_view phase_name(std::optional<watchdog::Phase>);       // "unseen" without a phase
std::string_view action_name(std::optional<watchdog::Treatment>);  // as in policy files; empty without an action
std::string_view treatment_name(watchdog::Treatment);              // as in policy files, and "none"

}  // namespace petrel::control
