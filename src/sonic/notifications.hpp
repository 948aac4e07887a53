// Keyspace notifications of a Redis server. SONiC's server sends them; others have to be polled.
#pragma once

#include <string_view>

#include "redis/connection.hpp"

namespace petrel::sonic {

// Whether the server is configured to notify about changed hashes and removed keys.
Result<bool> sends_notifications(redis::Connection&);

// The server compares every write of any client with every pattern, and syncd writes every counter at every poll.
// Therefore no subscription is a pattern: either one key, or all keys of a database that hardly changes.
void subscribe_to_key(redis::Pipeline&, int database, std::string_view key);
void subscribe_to_all_keys(redis::Pipeline&, int database);

// The key that a message reports as changed; empty: it is not a notification.
std::string_view changed_key(redis::View message);

// Whether the message reports that its key was removed.
bool reports_removal(redis::View message);

// Whether `key` is one of `keys`: one key, or a beginning of keys ("PORT|*").
bool covers(std::string_view keys, std::string_view key);

}  // namespace petrel::sonic
