// What an imagined ASIC or NIC can tell and do, within what the twin models: devices differ in data, not in code.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::twin {

inline constexpr watchdog::Fields kAllFields = (1U << watchdog::kFields) - 1;
inline constexpr watchdog::Treatments kAllTreatments = (1U << static_cast<unsigned>(watchdog::Treatment::count_)) - 1;

struct Traits {
    watchdog::Fields fields{kAllFields};              // of those a node of its kind has
    watchdog::Treatments treatments{kAllTreatments};  // likewise
    bool reads_back{true};

    // Of a switch, for each of its lossless queues. Zero = it has no such thing.
    Duration pause_limit{};      // a longer pause shows in the port's pause-timeout status
    Duration deadlock_detect{};  // the hardware finds storms itself, treats them for `deadlock_recover`, and tells
    Duration deadlock_recover{};
    bool recovery_drops{true};  // by discarding; else by ignoring pause

    // A port's own intervals, over those of the switch.
    struct PortIntervals {
        std::uint8_t port{};
        Duration detect{};
        Duration recover{};
    };
    std::vector<PortIntervals> of_port;
};

}  // namespace petrel::device::twin
