// A line of a switch's log as a message for the view of the fabric.
//
//   line                                                     message
//   "pause too long detected", "has asserted ..."            other: the switch reports
//   "has moved to an error state. Reason: ERROR_STATE_..."   opens an error of the port
//   "has stopped asserting ...", "is no longer in an error"  close it: either may get lost on its way
#pragma once

#include <optional>

#include "manager/batch.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::manager {

// None: the line is about something else, or does not name a switch and a port by their xnames. `now` is the time of a
// line without one.
std::optional<TakenMessage> log_message(const wire::LogLine&, WallTime now);

}  // namespace petrel::manager
