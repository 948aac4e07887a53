// `petrel host`: the NICs of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct HostDoctorOptions {
    std::vector<std::string> interfaces;  // none = all
};

ExitCode run_host_doctor(const HostDoctorOptions&);

// The configuration of `petrel host agent` without a file.
extern const std::string_view kHostDefaults;

}  // namespace petrel::cli
