// orchagent mitigates on a SONiC switch. The agent publishes the beginning and the end of a storm on orchagent's
// channel, and orchagent applies the action that CONFIG_DB has for the port. The result is in COUNTERS_DB: only
// orchagent writes PFC_WD_STATUS.
#pragma once

#include <span>
#include <string>

#include "base/time.hpp"
#include "device/sonic/reader.hpp"
#include "sonic/storm_info.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

struct Message {
    std::string oid;
    std::string port;
    Priority priority;
    bool storm{};
    db::StormInfo info{};  // why; orchagent logs it with the storm
};

// Publishes the messages and does not wait. It leaves out a restore for a port without an entry in PFC_WD: orchagent
// ends the storm itself when it unregisters the queue, and logs errors for a later restore.
Result<void> publish_messages(db::RedisStore&, std::span<const Message>);

// A message whose result is awaited.
struct Sent {
    Message message;
    bool published{};
    bool done{};  // there is nothing to wait for
};

// Publishes the message and does not wait for its result. A message whose result is shown already is not published.
// While its big red switch is on, orchagent treats every queue and ignores messages: a storm is denied, and a restore
// is done at once. A restore for a port without an entry is not published, as by publish_messages(): orchagent ends the
// storm itself.
Result<Sent> send(db::RedisStore&, Message);

// Waits up to `patience` until orchagent shows the result.
Result<void> await(db::RedisStore&, const Sent&, Duration patience);

// Fails if orchagent would not drop on one of these queues: it does not watch the queue, CONFIG_DB has another action
// for it, or the big red switch is on.
Result<void> can_drop(db::RedisStore&, std::span<const Message>);

// The treatment that orchagent shows for the queue.
Result<watchdog::Treatment> in_force(db::RedisStore&, const std::string& oid);

}  // namespace petrel::device::sonic
