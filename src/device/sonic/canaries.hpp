// The keys whose writes show that syncd has polled.
#pragma once

#include "device/sonic/poll_stamp.hpp"
#include "device/sonic/reader.hpp"

namespace petrel::device::sonic {

// The canaries are the first and the last queue that orchagent has registered, by object id: syncd writes the others
// between them. PFC_WD_STATUS does not show which queues are registered: after the big red switch, queues that syncd
// does not poll have it, too.
//
// Returns their keys in COUNTERS_DB: none if orchagent has registered no queue, one if it has registered one. The port
// of the first one is included if syncd reads port counters that no other counter group has: pause time or ends of
// pauses.
PollStamp::Keys canaries(const Reader&);

}  // namespace petrel::device::sonic
