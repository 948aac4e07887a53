// Keyspace notifications of a Redis server. SONiC's server sends them; others have to be polled.
#pragma once

#include <string_view>

#include "redis/connection.hpp"

namespace petrel::sonic {

// Whether the server is configured to notify about changed hashes and removed keys.
Result<bool> sends_notifications(redis::Connection&);

// `keys` is one key, or a beginning of keys ("PORT|*").
//
// The server compares every write of any client with every pattern; syncd writes every counter at every poll. Therefore
// a single key is subscribed by name, and a database that hardly changes (CONFIG_DB) as a whole ("*").
void add_subscription(redis::Pipeline&, int database, std::string_view keys);

// The key that a message reports as changed; empty: it is not a notification.
std::string_view changed_key(redis::View message);

// Whether `key` is one of `keys`.
bool covers(std::string_view keys, std::string_view key);

}  // namespace petrel::sonic
