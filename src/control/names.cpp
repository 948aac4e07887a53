#include "control/names.hpp"

#include "watchdog/policy.hpp"

namespace petrel::control {

std::string_view phase_name(std::optional<watchdog::Phase> phase) { return phase ? watchdog::name(*phase) : "unseen"; }

std::string_view action_name(std::optional<watchdog::Treatment> action)
{
    return action ? watchdog::action_name(*action) : std::string_view{};
}

std::string_view treatment_name(watchdog::Treatment treatment)
{
    return treatment == watchdog::Treatment::none ? "none" : watchdog::action_name(treatment);
}

}  // namespace petrel::control
