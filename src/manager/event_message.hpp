// An agent's event as a message for the view of the fabric, and the end of an error that the agent does not report.
#pragma once

#include <optional>
#include <string>

#include "codec/event_reader.hpp"
#include "fabric/message.hpp"
#include "fabric/port_errors.hpp"
#include "manager/batch.hpp"

namespace petrel::manager {

// In epoch 0; the caller knows the epoch. None: the event has no device or no number. An event that this version does
// not have, or that changes no port, is a message of Kind::other.
std::optional<fabric::Message> event_message(const codec::EventLine&);

// The agent of the device does not have the error any more.
TakenMessage forgotten_message(const std::string& device, const std::string& port, const fabric::PortErrorRecord&,
                               WallTime now);

// The agent has lost the records behind this position, which begins an epoch, and counts again from there.
TakenMessage recount_message(const std::string& device, fabric::Position, WallTime now);

}  // namespace petrel::manager
