// Who mitigates on a SONiC switch: orchagent, told on a channel that a queue is in a storm or out of it. What it does
// then is the action that CONFIG_DB has for the port; what it did is read from COUNTERS_DB, which it alone writes.
#pragma once

#include <span>
#include <string>

#include "base/time.hpp"
#include "device/sonic/reader.hpp"
#include "sonic/storm_info.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

struct Word {
    std::string oid;
    std::string port;
    Priority priority;
    bool storm{};
    db::StormInfo info{};  // why; orchagent logs it with the storm
};

// Publishes the words and does not wait. A restore is left out where PFC_WD has no entry for the port: orchagent ends
// the storm itself when it unregisters the queue, and logs errors if it is told later.
Result<void> tell(db::RedisStore&, std::span<const Word>);

// Tells, and waits for as long as `patience` until it is done. What is done already is not told again; while its big
// red switch is on, orchagent treats every queue and listens to nobody: no storm can begin then, and each is over.
// As tell(), it does not publish a restore for a port without an entry; it waits for orchagent's own.
Result<void> have_done(db::RedisStore&, const Word&, Duration patience);

// What is in force of what it was asked for.
Result<watchdog::Treatment> in_force(db::RedisStore&, const std::string& oid);

}  // namespace petrel::device::sonic
