#include "control/words.hpp"

#include "watchdog/policy.hpp"

namespace petrel::control {

std::string_view phase_word(std::optional<watchdog::Phase> phase) { return phase ? watchdog::name(*phase) : "unseen"; }

std::string_view action_word(std::optional<watchdog::Treatment> action)
{
    return action ? watchdog::action_name(*action) : std::string_view{};
}

std::string_view treatment_word(watchdog::Treatment treatment)
{
    return treatment == watchdog::Treatment::none ? "none" : watchdog::action_name(treatment);
}

}  // namespace petrel::control
