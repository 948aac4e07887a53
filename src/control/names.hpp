// The words for the state of a queue, in JSON and in text.
#pragma once

#include <optional>
#include <string_view>

#include "watchdog/checkpoint.hpp"
#include "watchdog/observation.hpp"

namespace petrel::control {

std::string_view phase_word(std::optional<watchdog::Phase>);       // "unseen" without a phase
std::string_view action_word(std::optional<watchdog::Treatment>);  // as in policy files; empty without an action
std::string_view treatment_word(watchdog::Treatment);              // as in policy files, and "none"

}  // namespace petrel::control
