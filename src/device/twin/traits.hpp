// What a modelled ASIC or NIC can report and do, within what the twin supports: devices differ in data, not in code.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::twin {

inline constexpr watchdog::Fields kAllFields = (1U << watchdog::kFields) - 1;
inline constexpr watchdog::Treatments kAllTreatments = (1U << static_cast<unsigned>(watchdog::Treatment::count_)) - 1;

struct Traits {
    watchdog::Fields fields{kAllFields};              // limited to the fields that this kind of node has
    watchdog::Treatments treatments{kAllTreatments};  // limited likewise
    bool reads_back{true};
    bool reads_links{};
    bool acts_later{};  // other software carries the commands out; a wrapper delays the writes

    // Of a switch, for each of its lossless queues. Zero: the switch does not have the function.
    Duration pause_limit{};      // a longer pause shows in the port's pause-timeout status
    Duration deadlock_detect{};  // the hardware detects storms, treats them for `deadlock_recover`, and sends notices
    Duration deadlock_recover{};
    bool recovery_drops{true};  // the recovery discards packets; else it ignores pause

    // Intervals of single ports, which override those of the switch.
    struct PortIntervals {
        std::uint8_t port{};
        Duration detect{};
        Duration recover{};
    };
    std::vector<PortIntervals> of_port;
};

}  // namespace petrel::device::twin
