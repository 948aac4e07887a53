// An agent's event as a message for the view of the fabric.
#pragma once

#include <optional>

#include "codec/event_reader.hpp"
#include "fabric/message.hpp"

namespace petrel::manager {

// In epoch 0; the caller knows the epoch. None: the event has no device or no number. An event that this version does
// not have, or that changes no port, is a message of Kind::other.
std::optional<fabric::Message> event_message(const codec::EventLine&);

}  // namespace petrel::manager
