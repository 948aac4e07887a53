#include "watchdog/event.hpp"

#include <array>

#include "watchdog/checkpoint.hpp"

namespace petrel::watchdog {

std::string_view name(EventKind k)
{
    constexpr std::array<std::string_view, static_cast<std::size_t>(EventKind::count_)> kNames{
        "storm_detected",   "storm_restored",         "storm_alert", "mitigation_failed", "storm_latched",
        "pause_too_long",   "pause_too_long_cleared", "nic_latched", "restore_failed",    "storm_escalated",
        "storm_released",   "probe_failed",           "order_taken", "link_down",         "link_up",
        "close_switch_port"};
    return kNames.at(static_cast<std::size_t>(k));
}

std::string_view name(Reason r)
{
    constexpr std::array<std::string_view, static_cast<std::size_t>(Reason::count_)> kNames{
        "proven",   "quiet",      "forced",  "probe",        "link_down",  "blast_radius", "repeated",
        "operator", "red_switch", "stop",    "reconfigured", "reconciled", "reboot",       "device",
        "refused",  "failed",     "differs", "timed_out",    "no_effect"};
    return kNames.at(static_cast<std::size_t>(r));
}

std::string_view name(Order::Kind k)
{
    constexpr std::array<std::string_view, 9> kNames{
        "mitigate", "release", "repaired", "red_switch_on", "red_switch_off", "stop", "stop_and_hold", "hold", "clear"};
    return kNames.at(static_cast<std::size_t>(k));
}

namespace {
constexpr std::array<std::string_view, static_cast<std::size_t>(Phase::count_)> kPhaseNames{
    "off", "watching", "alerted", "mitigating", "mitigated", "probing", "restoring", "latched"};
}

std::string_view name(Phase p) { return kPhaseNames.at(static_cast<std::size_t>(p)); }

std::optional<Phase> phase_from_name(std::string_view wanted)
{
    for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
        if (kPhaseNames[i] == wanted) {
            return static_cast<Phase>(i);
        }
    }
    return std::nullopt;
}

}  // namespace petrel::watchdog
