#include "demo/demo.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "codec/event_json.hpp"
#include "demo/act.hpp"
#include "demo/service.hpp"
#include "terminal/table.hpp"

namespace petrel::demo {
namespace {

constexpr auto kPfc = "Nothing may be lost in this data centre: a device whose buffer is full pauses\n"
                      "its neighbour, and the neighbour waits. That is PFC. Everybody sends to\n"
                      "everybody. Every frame is simulated; the times are simulated times, and the\n"
                      "rate beside them is what the healthy servers deliver to each other.\n";

std::string opening()
{
    std::array<std::size_t, kTiers> count{};
    for (const auto& node : scenario_of(kWithoutWatchdog).setup.topology.nodes) {
        ++count[node.tier];
    }
    return fmt::format("{} servers, and three tiers of switches above them: {} leaf, {} spine, {} core.\n{}", count[0],
                       count[1], count[2], count[3], kPfc);
}

std::string seconds(twin::Ps time) { return fmt::format("{:.3f} s", static_cast<double>(time) / twin::kSecond); }

reports::Comparison compare(const ActDone& unwatched, const ActDone& watched)
{
    const std::array both{&unwatched, &watched};
    reports::Comparison all{{fmt::format("after {}", seconds(unwatched.score.at)), "no watchdog", "petrel watches"},
                            {}};
    const auto add = [&](const std::string& what, const auto& of) {
        all.rows.push_back({what, of(*both[0]), of(*both[1])});
    };
    add("a healthy server waited for up to", [](const ActDone& act) {
        return seconds(act.score.longest_wait) + (act.score.standing(0) != 0 ? " and on" : "");
    });
    add("healthy servers that stand still",
        [](const ActDone& act) { return fmt::format("{} of {}", act.score.standing(0), act.score.tiers[0].size()); });
    add("flows between them that move",
        [](const ActDone& act) { return fmt::format("{} of {}", act.score.flows_moving, act.healthy_flows); });
    add("back at full speed", [](const ActDone& act) {
        return act.full_speed_at == 0 ? "never" : fmt::format("at {}", seconds(act.full_speed_at));
    });
    add("frames delivered between them", [](const ActDone& act) { return fmt::format("{}", act.score.delivered); });
    add("frames lost at the broken server's port",
        [](const ActDone& act) { return fmt::format("{}", act.score.lost_at_sick); });
    add("frames lost anywhere else", [](const ActDone& act) { return fmt::format("{}", act.score.lost_elsewhere); });
    return all;
}

std::string side_by_side(const reports::Comparison& comparison)
{
    std::vector<Table::Column> columns;
    for (const auto& title : comparison.titles) {
        columns.push_back({title, columns.empty() ? Align::left : Align::right, {}});
    }
    Table table{std::move(columns)};
    for (const auto& row : comparison.rows) {
        table.add(row);
    }
    return table.text();
}

Result<std::filesystem::path> temporary_folder()
{
    std::error_code failed;
    auto name = (std::filesystem::temp_directory_path(failed) / "petrel-demo-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr) {
        return tl::unexpected(Error{ErrorKind::denied, fmt::format("cannot create a temporary folder: {}", name)});
    }
    return std::filesystem::path{name};
}

Result<void> play_service_act(Screen& screen, const Paint& paint)
{
    const auto folder = temporary_folder();
    if (!folder) {
        return tl::unexpected(folder.error());
    }
    auto played = play_service(kLeafSwitchesWatch, *folder, screen, paint);
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    return played;
}

ExitCode print_story(const Options& options)
{
    const bool paced = options.realtime || (!options.fast && isatty(STDOUT_FILENO) == 1);
    const Paint paint{stdout_wants_colour()};
    Screen screen{paced};
    screen.print(opening());
    screen.print(fmt::format("\n{}\n", paint.bold("Without a watchdog")));
    const auto unwatched = play(kWithoutWatchdog, {paced, 0}, screen, paint);
    screen.print(fmt::format("\n{}\n", paint.bold("The same once more, and petrel watches the leaf switches")));
    const auto watched = play(kLeafSwitchesWatch, {paced, unwatched.score.at}, screen, paint);
    const auto comparison = compare(unwatched, watched);
    screen.print('\n' + side_by_side(comparison));
    if (!screen.has_reader()) {
        return screen.error() ? fail(*screen.error()) : ExitCode::ok;
    }
    screen.print(fmt::format(
        "\n{}\n", paint.bold("And as a service, in real time: a process of its own, as it runs on a switch")));
    if (const auto played = play_service_act(screen, paint); !played) {
        return fail(played.error());
    }
    const auto folder = options.report.empty() ? temporary_folder() : Result<std::filesystem::path>{options.report};
    if (!folder) {
        return fail(folder.error());
    }
    const std::array runs{unwatched.report, watched.report};
    if (const auto written = reports::write_report(*folder, runs, comparison); !written) {
        return fail(written.error());
    }
    return finish(fmt::format("\nThe same as tests:\n  petrel lab run {} \\\n      {}\nThe whole story:\n  {}\n",
                              kWithoutWatchdog.file, kLeafSwitchesWatch.file, (*folder / "index.html").string()),
                  ExitCode::ok);
}

// Prints the events of the act with the watchdog, in the format of `petrel lab run --json`.
ExitCode write_events()
{
    auto experiment = lab::Experiment::make(scenario_of(kLeafSwitchesWatch));
    PETREL_ASSERT(experiment.has_value(), "the demo's switches do not fit its policy");
    (*experiment)->run_until((*experiment)->scenario().duration);
    std::string text;
    for (const auto& [node, device, watchlist, event, port] : (*experiment)->events()) {
        text += codec::event_json(*event, *watchlist, device) + '\n';
    }
    return finish(text, ExitCode::ok);
}

}  // namespace

ExitCode run(const Options& options) { return options.json ? write_events() : print_story(options); }

}  // namespace petrel::demo
