// Storms of queues whose policy only alerts, as orchagent should show them. The agent reports them to orchagent by
// published messages, which are lost while orchagent is down. This class compares what orchagent shows with what was
// reported, and finds the messages to send again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "control/report.hpp"
#include "daemon/nos.hpp"
#include "sonic/store.hpp"

namespace petrel::daemon {

class Alerts {
public:
    // Takes the present state of a queue. Follows queues whose policy only alerts, from their first storm on.
    void update(const control::QueueReport&, Instant now);
    void forget(const NosQueue& queue) { queues_.erase(queue); }

    struct Message {
        std::string object;  // object id of the queue
        bool storm{};        // false = the end of a storm
    };
    // The messages for queues that orchagent still shows wrongly, at least 1 s after their last change or check.
    Result<std::vector<Message>> unconfirmed(sonic::Store&, Instant now);

private:
    struct Queue {
        bool storm{};
        Instant check_at;
    };
    std::map<NosQueue, Queue> queues_;
};

}  // namespace petrel::daemon
