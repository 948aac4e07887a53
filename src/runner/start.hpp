// Collects what an agent needs before its first step: the checkpoint, the journal's entries, and the treatments that
// the device shows.
#pragma once

#include <optional>

#include "agent/agent.hpp"
#include "device/device.hpp"
#include "device/journal.hpp"

namespace petrel::runner {

// If a target cannot be read back, the treatment in the journal counts as what the device shows. That is safe, because
// the agent commands it once more in any case.
Result<agent::Start> gather_start(device::Device&, device::Journal&, std::optional<watchdog::Checkpoint> remembered);

}  // namespace petrel::runner
