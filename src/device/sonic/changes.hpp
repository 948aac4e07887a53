// Reports changes in the databases, except counters, by keyspace notifications. If a server sends no notifications,
// everything counts as changed once a second. The settings of the server stay as they are.
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
    bool notified_{};  // all servers send notifications
    Instant read_again_{};
};

}  // namespace petrel::device::sonic
