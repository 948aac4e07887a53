// What the manager itself finds out, in the form of an agent's event: docs/events.md.
#pragma once

#include <string>
#include <string_view>

#include "fabric/message.hpp"

namespace petrel::codec {

// A line of a switch's log. `line`: its text. seq is 0, because lines have no numbers.
std::string log_event_json(const fabric::Message&, std::string_view event, std::string_view line);

// An agent does not have the error any more whose last event the message names. seq is 0: the agent counts its own.
std::string forgotten_event_json(const fabric::Message&);

// An agent has lost the records behind the message's position. seq is 0: the agent has another event there, or none.
std::string recount_event_json(const fabric::Message&);

}  // namespace petrel::codec
