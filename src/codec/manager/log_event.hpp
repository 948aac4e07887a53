// A line of a switch's log in the form of an agent's event: docs/events.md.
#pragma once

#include <string>
#include <string_view>

#include "fabric/message.hpp"

namespace petrel::codec {

// `line`: the text of the line. seq is 0, because lines have no numbers.
std::string log_event_json(const fabric::Message&, std::string_view event, std::string_view line);

}  // namespace petrel::codec
