// The counters of a queue at the last two polls. The storm message carries them, so that operators see why the agent
// found a storm.
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
    // The sample has the stamp of its poll; the same poll again is ignored. `now`: the time of day.
    void see(const watchdog::Sample&, WallTime now);

    db::StormInfo info() const;

private:
    struct Poll {
        Instant read_at;
        WallTime seen;
        watchdog::Fields known{};  // zero: there was no poll
        bool paused{};
        std::uint64_t occupancy{};
        std::uint64_t packets{};
        std::uint64_t frames{};
        std::uint64_t pause_us{};
    };

    Poll now_;
    Poll last_;
    std::optional<Duration> interval_last_;  // between last_ and the poll before it
};

}  // namespace petrel::device::sonic
