// The flags of `petrel config`. For command_line.cpp only: it includes the option parser.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/agent_flags.hpp"
#include "cli/config_command.hpp"

namespace petrel::cli {

class ConfigArguments {
public:
    explicit ConfigArguments(CLI::App& petrel);

    Parsed<std::variant<ConfigCheckOptions, ConfigShowOptions>> request(std::vector<Complaint> problems) const;

    CLI::App* app{};

private:
    CLI::App* check_{};
    CLI::App* show_{};
    ConfigCheckOptions check_options_;
    ConfigShowOptions show_options_;
    std::optional<AgentFlags> agent_flags_;
};

}  // namespace petrel::cli
