// What every keeper of SONiC's tables does with what it is told of queues, wherever the tables are.
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
    for (const auto& [port, priority] : told.gone) {
        tables.forget(port, priority);
    }
    for (const auto& [port, priority, at, counts] : told.counts) {
        counters.tell(port, priority, at, counts);
    }
}

}  // namespace petrel::daemon
