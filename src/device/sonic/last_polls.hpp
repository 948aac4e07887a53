// The counters of a queue at the last two polls, for the operators who read why a storm was found.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "device/sonic/databases.hpp"
#include "sonic/storm_info.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

class LastPolls {
public:
    // The stamp is in the sample; a poll that is seen twice counts once. `now`: when it was seen.
    void see(const watchdog::Sample&, WallTime now);

    db::StormInfo info() const;

private:
    struct Poll {
        Instant read_at;
        WallTime seen;
        watchdog::Fields known{};  // zero: there was none
        bool paused{};
        std::uint64_t occupancy{};
        std::uint64_t packets{};
        std::uint64_t frames{};
        std::uint64_t pause_us{};
    };

    Poll now_;
    Poll last_;
    std::optional<Duration> interval_last_;  // up to last_
};

}  // namespace petrel::device::sonic
