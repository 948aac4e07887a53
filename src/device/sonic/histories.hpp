// pfc_stat_history of the queues that are configured for it. SONiC's script fills it, but the script is out while the
// agent watches. So the agent writes the same fields into the counters of the port, after each poll that shows pause
// (sonic/pause_history.hpp).
#pragma once

#include <cstdint>
#include <map>

#include "device/sonic/reader.hpp"
#include "sonic/pause_history.hpp"

namespace petrel::device::sonic {

class Histories {
public:
    // Updates the set of queues with a history. A new one continues with the total that is in the database.
    Result<void> follow(db::RedisStore&, const Reader&);
    // Takes the sample of a poll, with stamp and epoch.
    void see(const watchdog::Sample&, WallTime now);
    // Writes what has changed since the last call.
    Result<void> write(db::RedisStore&, const Layout&);

private:
    struct Kept {
        db::PauseHistory history;
        Instant read_at;
        std::uint32_t epoch{};
        bool changed{};
    };

    std::map<std::uint32_t, Kept> kept_;  // by row
};

}  // namespace petrel::device::sonic
