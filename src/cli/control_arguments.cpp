#include "cli/control_arguments.hpp"

#include <algorithm>
#include <charconv>

#include "codec/control_json.hpp"

namespace petrel::cli {
namespace {

constexpr auto kGroup = "A running agent";

constexpr auto kOrderExamples = R"(Examples:
  petrel mitigate Ethernet4:3 --note "ticket 4711"
  petrel release Ethernet4                          all queues of a port
  petrel hold Ethernet4:3 --device sw2              when several switches have such a port

An order is an event like others, with the name of whoever gave it.
)";

constexpr auto kReleaseAllExamples = R"(Examples:
  petrel release-all
  petrel release-all --config /etc/petrel/agent.toml

With no agent to ask, what its journals say is mitigated is released; the flags say which agent it was.
)";

constexpr auto kEventsExamples = R"(Examples:
  petrel events --last 20
  petrel events --follow --json | jq .event
)";

constexpr auto kExplainExamples = R"(Examples:
  petrel explain Ethernet4:3
)";

}  // namespace

ControlArguments::ControlArguments(CLI::App& petrel)
{
    add(petrel, Command::status, "How the agent fares: what is wrong first, and what to do about it.");
    auto& queues =
        add(petrel, Command::queues, "Every queue: policy, phase, what is configured, possible and in effect.");
    queues.add_flag("--stormed", options_.request.stormed, "Only those that are not just watched");
    queues.add_option("--device", options_.request.device, "Only of this device")->type_name("NAME");
    add_order(add(petrel, Command::mitigate, "Mitigate a queue now, until it is released."));
    add_order(add(petrel, Command::release, "Release a queue, latched or not; a storm has to prove itself anew."));
    add_order(add(petrel, Command::hold, "Keep a mitigated queue so until somebody releases it."));
    auto& clear =
        add(petrel, Command::clear, "Statistics of a queue to zero, or of all; a storm that goes on keeps its.");
    add_order(clear);
    clear.add_flag("--all", clear_all_, "Of every queue");
    auto& release_all = add(petrel, Command::release_all, "Release everything, also with the agent dead.");
    release_all.add_option("--note", options_.request.note, "Why, for the event")->type_name("TEXT");
    release_all.footer(kReleaseAllExamples);
    agent_flags_.emplace(release_all);
    auto& events = add(petrel, Command::events, "What the agent decided, and why.");
    events.add_flag("--follow", options_.request.follow, "Go on with what happens");
    events.add_option("--last", last_, "At most so many of the past; default: all that are kept")->type_name("N");
    events.add_option("--device", options_.request.device, "Only of this device")->type_name("NAME");
    events.footer(kEventsExamples);
    auto& explain = add(petrel, Command::explain, "Why a queue is as it is: the evidence of the last decision.");
    add_queue(explain);
    explain.footer(kExplainExamples);
    add(petrel, std::nullopt, "A live table of the worst queues; q ends it.");
    add(petrel, Command::reload, "Read the configuration anew: all of it, or nothing if there is a problem.");
}

CLI::App& ControlArguments::add(CLI::App& petrel, std::optional<Command> command, const std::string& about)
{
    auto& app = *petrel.add_subcommand(command ? std::string{codec::name(*command)} : "watch", about)->group(kGroup);
    app.add_option("--socket", options_.socket,
                   "Where the agent listens; default: PETREL_CONTROL_SOCKET or /run/petrel/control.sock")
        ->type_name("PATH");
    app.add_flag("--json", options_.json, "The agent's own answer, JSON lines");
    added_.push_back({&app, command});
    return app;
}

void ControlArguments::add_queue(CLI::App& app)
{
    app.add_option("QUEUE", options_.request.queue, "PORT:PRIORITY, e.g. Ethernet4:3")->type_name("");
    app.add_option("--device", options_.request.device, "Whose queue, if several have one of this name")
        ->type_name("NAME");
}

void ControlArguments::add_order(CLI::App& app)
{
    add_queue(app);
    app.add_option("--note", options_.request.note, "Why, for the event")->type_name("TEXT");
    app.footer(kOrderExamples);
}

bool ControlArguments::has(const CLI::App* chosen) const
{
    return std::any_of(added_.begin(), added_.end(), [&](const Added& added) { return added.app == chosen; });
}

Parsed<std::variant<ControlOptions, ReleaseAllOptions, WatchOptions>>
ControlArguments::request(const CLI::App* chosen, std::vector<Complaint> problems) const
{
    const auto added = std::find_if(added_.begin(), added_.end(), [&](const Added& one) { return one.app == chosen; });
    auto wanted = options_;
    wanted.request.command = added->command.value_or(Command::status);
    if (clear_all_ && !wanted.request.queue.empty()) {
        problems.push_back({"--all", 0, 0, "not together with a queue", {}});
    }
    if (chosen->get_option_no_throw("QUEUE") != nullptr && wanted.request.queue.empty() && !clear_all_) {
        problems.push_back({"QUEUE", 0, 0, "which one? PORT:PRIORITY, e.g. Ethernet4:3", {}});
    }
    if (!last_.empty()) {
        const auto* end = last_.data() + last_.size();
        const auto [stop, error] = std::from_chars(last_.data(), end, wanted.request.last);
        if (error != std::errc{} || stop != end || wanted.request.last == 0) {
            problems.push_back({"--last", 0, 0, last_, "1..4294967295"});
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    if (!added->command) {
        return WatchOptions{wanted.socket, wanted.json};
    }
    if (*added->command == Command::release_all) {
        return ReleaseAllOptions{wanted, agent_flags_->options()};
    }
    return wanted;
}

}  // namespace petrel::cli
