// Who mitigates on a SONiC switch: orchagent, told on a channel that a queue is in a storm or out of it. What it does
// then is the action that CONFIG_DB has for the port; what it did is read from COUNTERS_DB, which it alone writes.
#pragma once

#include <span>
#include <string>

#include "base/time.hpp"
#include "device/sonic/reader.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

struct Word {
    std::string oid;
    bool storm{};
};

// To be heard; it is not waited for. How many heard all of it: none = orchagent is away.
Result<std::int64_t> tell(db::RedisStore&, std::span<const Word>);

// Tells, and waits for as long as `patience` until it is done. What is done already is not told again; while its big
// red switch is on, orchagent treats every queue and listens to nobody: no storm can begin then, and each is over.
// `queue`: its name, by which newer orchagents say that an action has failed.
Result<void> have_done(db::RedisStore&, const Word&, const std::string& queue, Duration patience);

// What is in force of what it was asked for.
Result<watchdog::Treatment> in_force(db::RedisStore&, const std::string& oid);

}  // namespace petrel::device::sonic
