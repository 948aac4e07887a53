// Reports changes in the databases, except counters, by keyspace notifications. If a server sends no notifications,
// everything counts as changed once a second. The settings of the server stay as they are.
//
// orchagent registers and removes thousands of queues one by one, so these changes are reported once a second.
#pragma once

#include <vector>

#include "base/time.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

class Changes {
public:
    // What may have changed.
    struct Changed {
        bool layout{};
        bool links{};
        bool plugins{};
    };

    Changes(db::Databases databases, Duration patience)
        : databases_(std::move(databases)), listeners_(databases_, patience)
    {}

    Result<Changed> listen(Instant now);
    void start_over() { subscribed_ = false; }
    std::vector<int> fds();  // one is readable if listen() may report a change

private:
    Result<void> subscribe();

    db::Databases databases_;
    db::RedisStore listeners_;  // connections for notifications only
    bool subscribed_{};
    bool notified_{};    // all servers send notifications
    bool registered_{};  // orchagent has registered or removed a queue, which is not reported yet
    Instant read_again_{};
    Instant report_again_{Instant::min()};
};

}  // namespace petrel::device::sonic
