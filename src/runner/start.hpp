// What an agent needs to know before its first step: asked from the journal and the device, added to what is
// remembered.
#pragma once

#include <optional>

#include "agent/agent.hpp"
#include "device/device.hpp"
#include "device/journal.hpp"

namespace petrel::runner {

// A device that cannot be read back, wholly or at one place, is taken to show what the journal says: the agent commands
// it once more in any case.
Result<agent::Start> gather_start(device::Device&, device::Journal&, std::optional<watchdog::Checkpoint> remembered);

}  // namespace petrel::runner
