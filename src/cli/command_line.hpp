// Parses the command line into a request. Only its .cpp files use the option parser.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "cli/agent_command.hpp"
#include "cli/config_command.hpp"
#include "cli/control_command.hpp"
#include "cli/lab_command.hpp"
#include "cli/link_command.hpp"
#include "cli/policies_command.hpp"
#include "cli/replay_inputs.hpp"
#include "cli/watch_command.hpp"
#include "demo/demo.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

// The user asked for help or the version: prints the text.
struct Answer {
    std::string text;
};

using Request = std::variant<ReplayOptions, LabOptions, LabFilesOptions, LabTableOptions, demo::Options,
                             PoliciesOptions, LinkPlayOptions, LinkExplainOptions, LinkDecodeOptions, LinkCodesOptions,
                             AgentOptions, ConfigCheckOptions, ConfigShowOptions, ControlOptions, ReleaseAllOptions,
                             WatchOptions, HandBackOptions, Answer>;

// The request, or all problems of the command line at once.
Parsed<Request> parse_command_line(int argc, const char* const* argv);

}  // namespace petrel::cli
