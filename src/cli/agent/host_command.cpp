#include "cli/agent/host_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <string_view>

#include "device/linux/vendor_table.hpp"
#include "runtime/linux_kernel.hpp"
#include "terminal/terminal.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {

using device::linux_nic::Kernel;

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

std::string priorities_text(std::uint8_t enabled)
{
    std::vector<int> on;
    for (int priority = 0; priority != kPriorities; ++priority) {
        if ((enabled >> priority & 1U) != 0) {
            on.push_back(priority);
        }
    }
    return on.empty() ? "off for all priorities" : fmt::format("on for {}", fmt::join(on, ", "));
}

std::string watched_text(Kernel& kernel, const std::string& interface, const std::string& driver)
{
    const auto* vendor = device::linux_nic::find_vendor(driver);
    if (vendor == nullptr) {
        return "no: " + *device::linux_nic::monitored_only(driver);
    }
    const auto counters = kernel.counters(interface);
    if (!counters) {
        return "no: " + counters.error().what;
    }
    if (const auto why = monitored_only(*vendor, device::linux_nic::CounterReader{*vendor}.read(*counters))) {
        return "no: " + *why;
    }
    const auto detect = effective_detect(*vendor, watchdog::find_preset("rdma-nic")->policy.detect);
    return fmt::format("yes; a storm is detected after {} ms",
                       std::chrono::duration_cast<std::chrono::milliseconds>(detect).count());
}

}  // namespace

std::string doctor_text(Kernel& kernel, const std::string& interface, bool may_set)
{
    const auto link = kernel.link(interface);
    if (!link) {
        return fmt::format("{}\n  cannot be read: {}\n", interface, link.error().what);
    }
    const auto driver = kernel.driver(interface).value_or("");
    const auto pfc = kernel.pfc(interface);
    const auto pause = kernel.pause(interface);
    auto text = fmt::format("{}: {}, link {}\n", interface, driver.empty() ? "no driver" : "driver " + driver,
                            link->up ? "up" : "down");
    const auto line = [&](std::string_view key, const std::string& value) {
        text += fmt::format("  {:<9} {}\n", key, value);
    };
    line("watched", watched_text(kernel, interface, driver));
    line("PFC", pfc ? priorities_text(pfc->enabled) : pfc.error().what);
    line("pause",
         pause ? fmt::format("sent: {}, honoured: {}", pause->sends ? "on" : "off", pause->receives ? "on" : "off")
               : pause.error().what);
    if (!pfc && !pause) {
        line("treatment", "none: the driver can turn neither PFC nor pause off; a storm is only reported");
    } else if (!may_set) {
        line("treatment", "none: CAP_NET_ADMIN is missing; start the agent as root, or with "
                          "AmbientCapabilities=CAP_NET_ADMIN in its unit");
    } else {
        line("treatment", fmt::format("{} off, unless the driver refuses", pfc && pause ? "PFC and pause"
                                                                           : pfc        ? "PFC"
                                                                                        : "pause"));
    }
    return text;
}

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
    std::string text;
    for (const auto& interface : interfaces) {
        text += doctor_text(*kernel, interface, has_net_admin());
    }
    return finish(text, ExitCode::ok);
}

}  // namespace petrel::cli
