// Reports changes in the databases, except counters, by keyspace notifications. If a server sends no notifications,
// everything counts as changed once a second. The settings of the server stay as they are.
//
// orchagent registers and removes thousands of queues one by one, so these changes are reported once a second.
#pragma once

#include <string>
#include <utility>
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

    // The ports whose links are followed, from the next start_over() on.
    void set_ports(std::vector<std::string> names) { ports_ = std::move(names); }

    Result<Changed> listen(Instant now);
    void start_over() { subscribed_ = false; }
    std::vector<int> fds();  // one is readable if listen() may report a change

private:
    redis::Pipeline subscriptions_to(db::Db) const;
    Result<void> subscribe();
    bool any_messages();
    Result<void> drain(Changed&);

    db::Databases databases_;
    db::RedisStore listeners_;  // connections for notifications only
    std::vector<std::string> ports_;
    bool subscribed_{};
    bool drained_{};     // all messages that came with the subscriptions were read
    bool notified_{};    // all servers send notifications
    bool registered_{};  // orchagent has registered or removed a queue, which is not reported yet
    Instant read_again_{};
    Instant report_again_{Instant::min()};
};

}  // namespace petrel::device::sonic
