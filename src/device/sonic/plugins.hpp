// SONiC's own detector: Lua scripts that syncd runs after each poll of the counter group PFC_WD. While we decide they
// are taken out of the group, and the counters stay in it. What was taken out is kept in STATE_DB before, so that a
// process that dies does not leave a switch without any detector: whoever comes next, or removes us, puts it back.
#pragma once

#include "base/time.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

struct CounterGroup {
    Duration interval{};  // how often syncd polls it; zero: nobody says
    bool off{};           // it does not, by order
};

Result<CounterGroup> read_group(db::RedisStore&);

// Whether syncd was asked to. It is not while there are none, or while it has not yet done what it was last asked for.
Result<bool> take_plugins_out(db::RedisStore&, const db::Databases&);

// What was taken out, by whomever of us. Nothing is done if nothing was.
Result<void> put_back(db::RedisStore&, const db::Databases&);

}  // namespace petrel::device::sonic
