// What changes in the databases besides counters, by keyspace notifications. A server that sends none is read again now
// and then; nobody's settings are touched for it.
#pragma once

#include "base/time.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

class Changes {
public:
    // What may be another than before.
    struct Heard {
        bool layout{};
        bool links{};
        bool plugins{};
    };

    Changes(db::Databases databases, Duration patience)
        : databases_(std::move(databases)), listeners_(databases_, patience)
    {}

    Result<Heard> listen(Instant now);
    void start_over() { subscribed_ = false; }

private:
    Result<void> subscribe();

    db::Databases databases_;
    db::RedisStore listeners_;  // connections that hear and do not ask
    bool subscribed_{};
    bool told_{};  // the servers send notifications
    Instant read_again_{};
};

}  // namespace petrel::device::sonic
