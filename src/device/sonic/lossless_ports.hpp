// The ports whose lossless mode the agent has switched off. orchagent has storms of queues only; this mark in STATE_DB
// shows that the storms of a port's queues are one treatment of the port, also after the agent died. The mark is set
// before the first storm is published, and removed after the last one has ended.
#pragma once

#include <set>
#include <string>

#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

class LosslessPorts {
public:
    Result<void> read(db::RedisStore&);
    bool are_off(const std::string& port) const { return off_.contains(port); }
    Result<void> mark(db::RedisStore&, const std::string& port);
    Result<void> unmark(db::RedisStore&, const std::string& port);

private:
    std::set<std::string> off_;
};

}  // namespace petrel::device::sonic
