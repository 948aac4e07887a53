#include "cli/petrel.hpp"

#include <exception>

#include "cli/command_line.hpp"
#include "cli/sonic_command.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

ExitCode run_arguments(int argc, const char* const* argv, twin::Peers* peers, const AgentExtras* extras)
{
    if (const auto code = run_sonic_tool(argc, argv)) {
        return *code;
    }
    const auto code = run_command_line(argc, argv, peers, extras);
    if (!code) {
        const auto refused = refuse(code.error());
        print_stderr("Run with --help for more information.");
        return refused;
    }
    return *code;
}

}  // namespace

int run_petrel(int argc, const char* const* argv, twin::Peers* peers, const AgentExtras* extras)
{
    prepare_signals();
    if (peers != nullptr && peers->rank() != 0) {
        fall_silent();
    }
    try {
        return static_cast<int>(run_arguments(argc, argv, peers, extras));
    } catch (const std::exception& e) {  // for example out of memory
        return static_cast<int>(fail({ErrorKind::exhausted, e.what()}));
    }
}

}  // namespace petrel::cli
