// Follows the configuration in CONFIG_DB: by keyspace notifications, and by periodic reads for servers that send none.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

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

    // The configuration from before a restart, for entries that are invalid at the first read.
    void remember(Config config) { remembered_ = std::move(config); }

    void start_over() { listener_.reset(); }  // after an error elsewhere

    // Readable when a table may have changed; -1: the server sends no notifications. Valid until the next call.
    int changes_fd() const;

    // None: unchanged since it was last returned, and no entry of PFC_WD was removed and added again. After an error
    // the next call subscribes and reads again.
    Result<std::optional<Config>> follow(Store&, Instant now);

private:
    Result<bool> table_changed();
    Result<void> subscribe();

    DatabasePlace place_;
    Role role_;
    Duration patience_;
    std::unique_ptr<redis::Connection> listener_;
    Instant read_again_{};
    Duration read_every_{};
    std::optional<Config> remembered_;
    std::optional<Config> known_;                           // the one last returned
    std::optional<std::set<std::string>> removed_entries_;  // since then; none: not known
};

}  // namespace petrel::sonic
