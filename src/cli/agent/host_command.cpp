#include "cli/agent/host_command.hpp"

#include <linux/capability.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/agent/host_doctor.hpp"
#include "runtime/linux_kernel.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

const std::string_view kHostDefaults = R"([[device]]
driver = "linux:all"

[[policy]]
preset = "rdma-nic"
)";

namespace {

bool has_net_admin()
{
    constexpr std::string_view kEffective = "CapEff:\t";
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(kEffective)) {
            std::uint64_t set = 0;
            std::from_chars(line.data() + kEffective.size(), line.data() + line.size(), set, 16);
            return (set >> CAP_NET_ADMIN & 1U) != 0;
        }
    }
    return false;
}

// Whether a program of this name runs. The names of processes are readable for all.
bool runs(std::string_view program)
{
    std::error_code none;
    return std::ranges::any_of(std::filesystem::directory_iterator{"/proc", none}, [&](const auto& process) {
        std::ifstream name{process.path() / "comm"};
        std::string line;
        return std::getline(name, line) && line == program;
    });
}

}  // namespace

ExitCode run_host_doctor(const HostDoctorOptions& options)
{
    auto kernel = runtime::LinuxKernel::open();
    if (!kernel) {
        return fail(kernel.error());
    }
    auto interfaces = options.interfaces;
    if (interfaces.empty()) {
        auto all = kernel->interfaces();
        if (!all) {
            return fail(all.error());
        }
        interfaces = std::move(*all);
    }
    const HostFacts host{has_net_admin(), runs("lldpad")};
    std::string text;
    auto code = ExitCode::ok;
    for (const auto& interface : interfaces) {
        text += doctor_text(*kernel, interface, host);
        if (!kernel->link(interface) && !options.interfaces.empty()) {
            code = ExitCode::failure;
        }
    }
    return finish(fitted(text), code);
}

}  // namespace petrel::cli
