// The flags of `petrel wire`.
#include <CLI/CLI.hpp>

#include "base/ids.hpp"
#include "cli/arguments.hpp"
#include "cli/wire_command.hpp"

namespace petrel::cli {
namespace {

constexpr std::uint32_t kMostFrames = 1'000'000;
constexpr std::uint32_t kLongestIntervalUs = 1'000'000;
constexpr std::uint32_t kLongestCountMs = 3'600'000;

void interface_option(CLI::App& app, std::string& interface)
{
    app.add_option("INTERFACE", interface, "A network interface, e.g. an end of a veth pair")
        ->type_name("")
        ->required();
}

}  // namespace

Handler wire_send_flags(CLI::App& app)
{
    const auto options = std::make_shared<WireSendOptions>();
    interface_option(app, options->interface);
    app.add_option("--priority", options->priorities, "Pause this priority (PFC); more than one are allowed")
        ->check(CLI::Range(0U, static_cast<unsigned>(kPriorities) - 1).description(""))
        ->type_name("0..7");
    app.add_flag("--port", options->port, "Pause the whole port (802.3x) instead");
    app.add_option("--quanta", options->quanta, "Pause time in units of 512 bit times; 0 resumes (XON); default 65535")
        ->type_name("N");
    app.add_option("--count", options->count, "How many frames, default 1")
        ->check(CLI::Range(1U, kMostFrames).description(""))
        ->type_name("N");
    app.add_option("--interval-us", options->interval_us, "Time between two frames, default 1000")
        ->check(CLI::Range(0U, kLongestIntervalUs).description(""))
        ->type_name("N");
    return handler([options](const Call&) { return run_wire_send(*options); },
                   [options](std::vector<Complaint>& problems) {
                       if (options->port != options->priorities.empty()) {
                           problems.push_back({"--priority", 0, 0, options->port ? "with --port" : "absent",
                                               "--priority 0..7, or --port"});
                       }
                   });
}

Handler wire_count_flags(CLI::App& app)
{
    const auto options = std::make_shared<WireCountOptions>();
    interface_option(app, options->interface);
    app.add_option("--for-ms", options->for_ms, "How long to count, default 1000")
        ->check(CLI::Range(1U, kLongestCountMs).description(""))
        ->type_name("MS");
    app.add_option("--frames", options->frames, "Stop after so many frames; the exit code is 5 if fewer arrive in time")
        ->type_name("N");
    return handler([options](const Call&) { return run_wire_count(*options); });
}

}  // namespace petrel::cli
