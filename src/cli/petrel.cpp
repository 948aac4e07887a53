#include "cli/petrel.hpp"

#include <exception>

#include "cli/agent/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/sonic_command.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

ExitCode run_arguments(int argc, const char* const* argv, twin::Peers* peers, const AgentExtras* extras)
{
    if (const auto code = run_sonic_tool(argc, argv)) {
        return *code;
    }
    const auto code = run_command_line(petrel_program(), argc, argv, peers, extras);
    return code ? *code : refuse_command_line(code.error());
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
