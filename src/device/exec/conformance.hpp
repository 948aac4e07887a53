// The conformance kit for helper programs: holds conversations with a helper and checks each rule of the exec protocol
// (docs/device-exec.md) that can be checked from outside.
//
// Without a queue to treat, the kit only reads. With one, it applies every treatment of the helper to that queue or its
// port, and restores it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/exec/checklist.hpp"
#include "device/exec/helper.hpp"

namespace petrel::device::exec {

// The clock is the machine's monotonic clock, the one that helpers stamp samples with.
std::vector<Check> check_helper(const StartHelper&, const TimeSource&, const std::optional<std::string>& treat);

}  // namespace petrel::device::exec
