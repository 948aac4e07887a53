// `petrel host`: the NICs of this machine.
#pragma once

#include <string>
#include <vector>

#include "device/linux/kernel.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct HostDoctorOptions {
    std::vector<std::string> interfaces;  // none = all
};

ExitCode run_host_doctor(const HostDoctorOptions&);

// What can be observed and done at an interface, and what is missing. `may_set`: this process has CAP_NET_ADMIN.
std::string doctor_text(device::linux_nic::Kernel&, const std::string& interface, bool may_set);

// The configuration of `petrel host agent` without a file.
extern const std::string_view kHostDefaults;

}  // namespace petrel::cli
