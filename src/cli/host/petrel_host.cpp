#include "cli/host/petrel_host.hpp"

#include <nss.h>

#include <exception>
#include <memory>
#include <string_view>
#include <vector>

#include "cli/agent/agent_commands.hpp"
#include "cli/agent/arguments.hpp"
#include "cli/agent/command_line.hpp"
#include "drivers/linux/linux_driver.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

constexpr auto kHostProgramExamples = R"(Examples:
  petrel-host doctor                                what can be observed and done at each network interface
  petrel-host agent                                 watch all NICs with a known driver, with the policy rdma-nic
  petrel-host agent --device linux:eth0 --device linux:eth1
  petrel-host repaired eth0 --note "new cable"      turns its PFC and pause on again, as they were

With an agent's file, its devices and policies apply.

)";

constexpr auto kNoExamples = "";

std::vector<Command> host_program_commands()
{
    std::vector<Command> all{
        {"agent", kGeneral, "Watch the NICs of this machine until stopped: the service.", kNoExamples,
         host_agent_flags},
        {"doctor", kGeneral, "What can be observed and done at each network interface, and what is missing.",
         kNoExamples, host_doctor_flags},
        {"repaired", kGeneral, "A latched NIC was repaired: put its PFC and pause back.", kNoExamples,
         control_flags(control::ControlRequest::Command::repaired, {queue_flag, note_flag}, run_control)},
        {"link", kGeneral, "Why the links of the NICs went down.", kNoExamples, nullptr},
    };
    for (const auto& rows : {link_commands(), config_commands(), running_agent_commands()}) {
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
}

std::vector<std::unique_ptr<daemon::Driver>> make_host_drivers()
{
    std::vector<std::unique_ptr<daemon::Driver>> drivers;
    drivers.push_back(std::make_unique<drivers::LinuxDriver>());
    return drivers;
}

constexpr Program kPetrelHost{
    .name = "petrel-host",
    .about = "Storm watch for the NICs of a server: a NIC that receives nothing must not pause its switch.",
    .examples = kHostProgramExamples,
    .commands = host_program_commands,
    .parts = {make_host_drivers, nullptr, nullptr, nullptr},
};

// For other sources of names than files, a static program would load the plugins of the machine's C library, which is
// another one than its own.
void find_names_in_files()
{
    for (const auto* names : {"passwd", "group", "hosts", "services"}) {
        ::__nss_configure_lookup(names, "files");
    }
}

// Messages and manuals have `petrel host doctor`. It is also that command here, where the package has a link `petrel`.
std::vector<const char*> without_host(int argc, const char* const* argv)
{
    std::vector<const char*> words{argv, argv + argc};
    if (words.size() > 1 && words[1] == std::string_view{"host"}) {
        words.erase(words.begin() + 1);
    }
    return words;
}

}  // namespace

int run_petrel_host(int argc, const char* const* argv)
{
    find_names_in_files();
    prepare_signals();
    try {
        const auto words = without_host(argc, argv);
        const auto code = run_command_line(kPetrelHost, static_cast<int>(words.size()), words.data(), nullptr, nullptr);
        return static_cast<int>(code ? *code : refuse_command_line(code.error()));
    } catch (const std::exception& e) {  // for example out of memory
        return static_cast<int>(fail({ErrorKind::exhausted, e.what()}));
    }
}

}  // namespace petrel::cli
