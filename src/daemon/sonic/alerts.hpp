// Storms that nobody acts on, as orchagent should show them. It hears of them by words that get lost while it is away:
// what it shows is held against what it was told, and what differs has to be said again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "codec/control_report.hpp"
#include "daemon/nos.hpp"
#include "sonic/store.hpp"

namespace petrel::daemon {

class Alerts {
public:
    // How a queue is now. Those count that only alert, from their first storm on.
    void tell(const codec::QueueReport&, Instant now);
    void forget(const NosQueue& queue) { queues_.erase(queue); }

    struct Word {
        std::string object;  // of the queue
        bool storm{};        // or its end
    };
    // For queues that are not shown as they should be, after orchagent had the time for it.
    Result<std::vector<Word>> unheard(sonic::Store&, Instant now);

private:
    struct Queue {
        bool storm{};
        Instant ask_again;
    };
    std::map<NosQueue, Queue> queues_;
};

}  // namespace petrel::daemon
