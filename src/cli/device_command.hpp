// `petrel device check`: runs the conformance kit with a helper program, and prints what the helper does wrong.
#pragma once

#include <optional>
#include <string>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct DeviceCheckOptions {
    std::string device;                // "exec:PROGRAM [ARGUMENTS]" or "slingshot:exec:PROGRAM [ARGUMENTS]"
    std::optional<std::string> treat;  // the queue or port that may be treated
};

ExitCode run_device_check(const DeviceCheckOptions&);

}  // namespace petrel::cli
