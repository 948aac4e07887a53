// The pause histories of the ports with pfc_stat_history in their PFC_WD entry, from the counters of their queues: one
// history (pause_history.hpp) for each priority.
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
    // Sets the ports with a history. Histories that exist already continue.
    void configure(const Config&);
    bool any() const { return !ports_.empty(); }

    // Starts the histories of new ports whose object id is known, from the totals in the database.
    Result<void> begin(Store&, const QueueTables&);

    // The fields to write; empty if nothing has changed.
    Hash see(const std::string& port, std::uint8_t priority, WallTime at, const watchdog::PfcCounts&);

private:
    struct Queue {
        PauseHistory history;
        Instant read_at;
    };

    std::map<std::string, std::vector<Queue>> ports_;  // by priority; empty before begin()
};

}  // namespace petrel::sonic
