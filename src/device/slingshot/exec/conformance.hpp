// The conformance kit for helper programs with Slingshot's registers: holds conversations with a helper and checks each
// rule of docs/device-exec.md that can be checked from outside.
//
// Without a port to treat, the kit only reads. With one, it writes both registers of that port and puts their values
// back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/exec/checklist.hpp"
#include "device/exec/helper.hpp"

namespace petrel::device::slingshot {

std::vector<exec::Check> check_register_helper(const exec::StartHelper&, const TimeSource&,
                                               const std::optional<std::string>& treat);

}  // namespace petrel::device::slingshot
