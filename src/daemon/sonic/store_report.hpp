// Stores the data about queues that a Nos receives in SONiC's tables, those in Redis or the agent's own.
#pragma once

#include "daemon/nos.hpp"
#include "sonic/port_counters.hpp"
#include "sonic/queue_tables.hpp"

namespace petrel::daemon {

inline void store_report(const Nos::Report& report, sonic::QueueTables& tables, sonic::PortCounters& counters)
{
    for (const auto& queue : report.queues) {
        tables.update(queue);
    }
    for (const auto& queue : report.gone) {
        tables.forget(queue.port, queue.priority);
    }
    for (const auto& counts : report.counts) {
        counters.update(counts.port, counts.priority, counts.at, counts.counts);
    }
}

}  // namespace petrel::daemon
