// The flags of the commands for a running agent. For command_line.cpp only: it includes the option parser.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/agent_flags.hpp"
#include "cli/control_command.hpp"
#include "cli/watch_command.hpp"

namespace petrel::cli {

class ControlArguments {
public:
    explicit ControlArguments(CLI::App& petrel);

    bool has(const CLI::App* chosen) const;
    Parsed<std::variant<ControlOptions, ReleaseAllOptions, WatchOptions>>
    request(const CLI::App* chosen, std::vector<Complaint> problems) const;

private:
    using Command = codec::ControlRequest::Command;

    struct Added {
        CLI::App* app{};
        std::optional<Command> command;  // none = watch
    };

    CLI::App& add(CLI::App& petrel, std::optional<Command>, const std::string& about);
    void add_queue(CLI::App&);
    void add_order(CLI::App&);

    std::vector<Added> added_;
    ControlOptions options_;  // of the command that was given
    std::string last_;        // as text
    bool clear_all_{};
    std::optional<AgentFlags> agent_flags_;
};

}  // namespace petrel::cli
