// The PFC counters of each port that SONiC's tools read in COUNTERS_DB: frames, transitions and pause time by priority.
// For an agent that owns its switch; otherwise syncd writes these.
//
// Separate from queue_tables.hpp because counters change with every look and states do not. Writes only what has
// changed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/time.hpp"
#include "sonic/config.hpp"
#include "sonic/port_histories.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/store.hpp"
#include "watchdog/intake.hpp"

namespace petrel::sonic {

class PortCounters {
public:
    void configure(const Config& config) { histories_.configure(config); }

    // How often update() should be called: as often as SONiC polls, or often enough to see when a pause began.
    Duration every() const { return histories_.any() ? std::chrono::milliseconds{100} : std::chrono::seconds{1}; }

    // Unknown counters keep their last value.
    void update(const std::string& port, std::uint8_t priority, WallTime at, const watchdog::PfcCounts&);

    // Call after QueueTables::write(), which finds the object ids of the ports. Writes what has changed, or everything
    // if the tables were written again.
    Result<void> write(Store&, const QueueTables&);

private:
    using Ports = std::map<std::string, Hash>;

    void put(const std::string& port, const std::string& field, std::string value);

    PortHistories histories_;
    Ports values_;
    Ports unwritten_;
    std::uint64_t beginning_{};  // QueueTables::beginnings() at the last write
};

}  // namespace petrel::sonic
