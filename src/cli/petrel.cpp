#include "cli/petrel.hpp"

#include <exception>

#include "cli/command_line.hpp"
#include "cli/replay_command.hpp"
#include "cli/sonic_command.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

ExitCode run(const ReplayOptions& options) { return run_replay(options); }
ExitCode run(const LabOptions& options) { return run_lab(options); }
ExitCode run(const LabFilesOptions& options) { return run_lab_files(options); }
ExitCode run(const LabTableOptions& options) { return run_lab_table(options); }
ExitCode run(const PoliciesOptions& options) { return run_policies(options); }
ExitCode run(const LinkPlayOptions& options) { return run_link_play(options); }
ExitCode run(const LinkExplainOptions& options) { return run_link_explain(options); }
ExitCode run(const LinkDecodeOptions& options) { return run_link_decode(options); }
ExitCode run(const LinkCodesOptions& options) { return run_link_codes(options); }
ExitCode run(const AgentOptions& options) { return run_agent(options); }
ExitCode run(const ConfigCheckOptions& options) { return run_config_check(options); }
ExitCode run(const ConfigShowOptions& options) { return run_config_show(options); }
ExitCode run(const ControlOptions& options) { return run_control(options); }
ExitCode run(const ReleaseAllOptions& options) { return run_release_all(options); }
ExitCode run(const HandBackOptions& options) { return hand_back(options); }
ExitCode run(const WatchOptions& options) { return run_watch(options); }
ExitCode run(const Answer& answer) { return finish(answer.text, ExitCode::ok); }

ExitCode run_arguments(int argc, const char* const* argv, twin::Peers* peers, const AgentExtras* extras)
{
    if (const auto code = run_sonic_tool(argc, argv)) {
        return *code;
    }
    auto request = parse_command_line(argc, argv);
    if (!request) {
        const auto code = refuse(request.error());
        say("Run with --help for more information.");
        return code;
    }
    if (auto* lab = std::get_if<LabOptions>(&*request)) {
        lab->peers = peers;
    }
    if (auto* agent = std::get_if<AgentOptions>(&*request)) {
        agent->extras = extras;
    }
    if (auto* release = std::get_if<ReleaseAllOptions>(&*request)) {
        release->agent.extras = extras;
    }
    if (auto* back = std::get_if<HandBackOptions>(&*request)) {
        back->agent.extras = extras;
    }
    return std::visit([](const auto& wanted) { return run(wanted); }, *request);
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
