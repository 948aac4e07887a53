#include "cli/config_arguments.hpp"

#include <array>

#include "base/complaint_text.hpp"

namespace petrel::cli {
namespace {

constexpr auto kConfigExamples = R"(Examples:
  petrel config check /etc/petrel/agent.toml        every problem at once, with line and column
  petrel config show --config agent.toml            what the file says
  petrel config show --effective                    what the agent would go by, and who said so
  PETREL_LOG_FORMAT=json petrel config show --effective --config agent.toml --hang-ms 500

Flags are stronger than the environment, the environment than the file, the file than the defaults.
)";

}  // namespace

ConfigArguments::ConfigArguments(CLI::App& petrel)
    : app(petrel.add_subcommand("config", "Check the agent's configuration, or show it."))
{
    app->footer(kConfigExamples);
    app->require_subcommand(0, 1);
    check_ = app->add_subcommand("check", "Read the agent's file and say every problem; start nothing.");
    check_->add_option("FILE", check_options_.files, "The file; several are checked one by one")->type_name("");
    show_ = app->add_subcommand("show", "Show what the file says or, with --effective, what the agent would go by.");
    show_->footer(kConfigExamples);
    show_->add_flag("--effective", show_options_.effective,
                    "All values, with flags, environment and defaults, and who said each");
    show_->add_flag("--json", show_options_.json, "As one JSON object");
    agent_flags_.emplace(*show_);
    for (auto* command : {check_, show_}) {
        command->allow_extras();
    }
}

Parsed<std::variant<ConfigCheckOptions, ConfigShowOptions>>
ConfigArguments::request(std::vector<Complaint> problems) const
{
    const auto chosen = app->get_subcommands();
    if (chosen.empty()) {
        constexpr std::array<std::string_view, 2> kCommands{"check", "show"};
        const auto words = app->remaining();
        const auto word = words.empty() ? std::string{} : words.front();
        return tl::unexpected(
            std::vector{Complaint{"petrel config", 0, 0, word, "a command, " + instead_of(word, kCommands)}});
    }
    if (chosen.front() == check_ && check_options_.files.empty()) {
        problems.push_back({"FILE", 0, 0, "which one? The agent's file", {}});
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    if (chosen.front() == check_) {
        return check_options_;
    }
    auto wanted = show_options_;
    wanted.agent = agent_flags_->options();
    return wanted;
}

}  // namespace petrel::cli
