// The pauses of the ports that ask for it (pfc_stat_history of their entry in PFC_WD), made of what their queues have
// counted: one history (pause_history.hpp) for each priority.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sonic/config.hpp"
#include "sonic/pause_history.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/store.hpp"
#include "watchdog/intake.hpp"

namespace petrel::sonic {

class PortHistories {
public:
    // Who asks for it now. Those who did before go on.
    void configure(const Config&);
    bool any() const { return !ports_.empty(); }

    // Those that are new, and have a name, go on with the totals that are there.
    Result<void> begin(Store&, const QueueTables&);

    // What is to be shown now; nothing where it is as it was.
    Hash see(const std::string& port, std::uint8_t priority, WallTime at, const watchdog::PfcCounts&);

private:
    struct Queue {
        PauseHistory history;
        Instant read_at;
    };

    std::map<std::string, std::vector<Queue>> ports_;  // by priority; empty before it has begun
};

}  // namespace petrel::sonic
