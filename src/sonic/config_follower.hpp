// What is configured in CONFIG_DB, and when it has changed: by keyspace notifications, and for servers that send none
// by reading it again now and then.
#pragma once

#include <memory>
#include <optional>

#include "base/time.hpp"
#include "redis/connection.hpp"
#include "sonic/config.hpp"
#include "sonic/redis_store.hpp"

namespace petrel::sonic {

class ConfigFollower {
public:
    ConfigFollower(DatabasePlace place, Role role, Duration patience)
        : place_(std::move(place)), role_(role), patience_(patience)
    {}

    // What an earlier life knew, for entries that are bad at the first read.
    void remember(Config config) { remembered_ = std::move(config); }

    void start_over() { listener_.reset(); }  // after an error of somebody else's

    // None: it is as it was when it was last returned. After an error everything is asked for anew.
    Result<std::optional<Config>> follow(Store&, Instant now);

private:
    Result<bool> heard_something();
    Result<void> subscribe();

    DatabasePlace place_;
    Role role_;
    Duration patience_;
    std::unique_ptr<redis::Connection> listener_;
    Instant read_again_{};
    Duration read_every_{};
    std::optional<Config> remembered_;
    std::optional<Config> known_;  // what was last returned
};

}  // namespace petrel::sonic
