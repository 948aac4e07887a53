// Stores the data about queues that a Nos receives in SONiC's tables, those in Redis or the agent's own.
#pragma once

#include "daemon/nos.hpp"
#include "sonic/port_counters.hpp"
#include "sonic/queue_tables.hpp"

namespace petrel::daemon {

inline void take_told(const Nos::Told& told, sonic::QueueTables& tables, sonic::PortCounters& counters)
{
    for (const auto& queue : told.queues) {
        tables.tell(queue);
    }
    for (const auto& queue : told.gone) {
        tables.forget(queue.port, queue.priority);
    }
    for (const auto& counts : told.counts) {
        counters.tell(counts.port, counts.priority, counts.at, counts.counts);
    }
}

}  // namespace petrel::daemon
