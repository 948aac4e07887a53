// What SONiC's tools read about the PFC of each port: frames, transitions and pause time by priority, in COUNTERS_DB.
// For an agent that owns its switch; elsewhere syncd writes these.
//
// Apart from queue_tables.hpp, since counters move with every look and state does not: only what has changed is
// written.
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

    // How often it wants to be told: as SONiC's own are polled, or to see when a pause began.
    Duration every() const { return histories_.any() ? std::chrono::milliseconds{100} : std::chrono::seconds{1}; }

    // What is not known stays as it was.
    void tell(const std::string& port, std::uint8_t priority, WallTime at, const watchdog::PfcCounts&);

    // After the tables, which know how the ports are called: what has changed, and all of it where those have begun
    // anew.
    Result<void> write(Store&, const QueueTables&);

private:
    using Ports = std::map<std::string, Hash>;

    void put(const std::string& port, const std::string& field, std::string value);

    PortHistories histories_;
    Ports told_;
    Ports unwritten_;
    std::uint64_t beginning_{};  // of the tables, that told_ was last written for
};

}  // namespace petrel::sonic
