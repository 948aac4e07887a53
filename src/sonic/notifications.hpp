// Keyspace notifications of a Redis server. SONiC's server sends them; others have to be polled.
#pragma once

#include <string_view>

#include "redis/connection.hpp"

namespace petrel::sonic {

// Whether the server is configured to notify about changed hashes and removed keys.
Result<bool> sends_notifications(redis::Connection&);

// Adds a subscription to the changes of one key, or of all keys that match a pattern ("PORT|*"). The server compares
// every write of any client with every pattern; therefore a single key is subscribed by name.
void add_subscription(redis::Pipeline&, int database, std::string_view keys);

// The key or pattern of the subscription that a message belongs to; empty: it is not a notification.
std::string_view subscription_of(redis::View message);

}  // namespace petrel::sonic
