// Keyspace notifications of a server: SONiC's sends them, others have to be asked again and again.
#pragma once

#include <string_view>

#include "redis/connection.hpp"

namespace petrel::sonic {

// Whether the server is set up to tell of changed hashes and of keys that go away.
Result<bool> sends_notifications(redis::Connection&);

// Adds a subscription to the changes of one key, or of all keys that match a pattern ("PORT|*"). The server compares
// every write of any client with every pattern, so a single key is no pattern.
void add_subscription(redis::Pipeline&, int database, std::string_view keys);

// The key or pattern whose subscription brought a message; empty: the message is none.
std::string_view subscription_of(redis::View message);

}  // namespace petrel::sonic
