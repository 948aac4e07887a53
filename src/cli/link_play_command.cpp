// `petrel link play`: separate from the other link commands because only this one changes state.
#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "cli/link_command.hpp"
#include "cli/link_input.hpp"
#include "codec/link_history.hpp"
#include "codec/link_json.hpp"
#include "codec/link_script.hpp"
#include "link/link_play.hpp"
#include "link/reasons.hpp"
#include "reports/agent/link_cells.hpp"
#include "reports/link_text.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using link::LinkPlay;
using link::Side;

constexpr std::array<std::pair<Side, const char*>, 2> kEnds{{{Side::a, "A"}, {Side::b, "B"}}};

// B is a NIC: a manager reads it over its own link.
bool is_available(Side side, const link::LinkReading& reading) { return side == Side::a || link::is_up(reading.state); }

// The `read` of a script reads each end directly.
std::string read_line(const LinkPlay& play)
{
    return codec::link_registers_json(play.read(Side::a), play.read(Side::b), true) + '\n';
}

std::string final_line(const LinkPlay& play)
{
    const auto b = play.read(Side::b);
    return codec::link_registers_json(play.read(Side::a), b, is_available(Side::b, b)) + '\n';
}

std::string log_line(LinkPlay& play, bool newest_first)
{
    return codec::link_log_json(play.history(Side::a), play.history(Side::b), newest_first) + '\n';
}

// Simulates a restart of the manager: afterwards it has only what its file contained.
void restart_manager(LinkPlay& play)
{
    codec::NamedHistories named;
    for (const auto& [side, name] : kEnds) {
        named.emplace(name, play.history(side));
    }
    const auto saved = codec::read_link_history(codec::link_history_text(named), "history");
    PETREL_ASSERT(saved.has_value(), "the manager's own history cannot be read back: {}",
                  to_text(saved.error().front()));
    play.restart_manager(saved->at("A"), saved->at("B"));
}

std::string ends_text(const LinkPlay& play)
{
    Table table({{"end", Align::left, {}},
                 {"state", Align::left, {}},
                 {"LinkDownReason", Align::left, {}},
                 {"NeighborLinkDownReason", Align::left, {}},
                 {"event", Align::right, {}},
                 {"suppressed", Align::right, {}},
                 {"errors ignored", Align::right, {}},
                 {"remark", Align::left, {}}});
    for (const auto& [side, name] : kEnds) {
        const auto reading = play.read(side);
        const bool available = is_available(side, reading);
        table.add({name, reports::state_cell(reading.state), reports::register_cell(reading.registers.ldr, available),
                   reports::register_cell(reading.registers.nldr, available), std::to_string(reading.registers.seq),
                   std::to_string(reading.suppressed), std::to_string(play.ignored_errors(side)),
                   reading.protocol_violation ? "protocol violation" : ""});
    }
    return table.text();
}

std::string histories_text(LinkPlay& play, bool newest_first)
{
    Table table({{"end", Align::left, {}},
                 {"event", Align::right, {}},
                 {"seen", Align::right, {}},
                 {"LinkDownReason", Align::left, {}},
                 {"NeighborLinkDownReason", Align::left, {}},
                 {"correlated cause", Align::left, {}}});
    for (const auto& [side, name] : kEnds) {
        for (const auto& event : play.history(side).shown(newest_first)) {
            table.add(
                {name, std::to_string(event.seq),
                 std::to_string(std::chrono::floor<std::chrono::seconds>(event.observed_at).time_since_epoch().count()),
                 reports::reason_cell(event.ldr), reports::reason_cell(event.nldr),
                 event.correlated_cause ? reports::reason_cell(*event.correlated_cause) : ""});
        }
    }
    return table.empty() ? "The manager has logged nothing.\n" : table.text();
}

// A script that prints nothing gets its final state printed.
std::string ending(LinkPlay& play, const LinkPlayOptions& options)
{
    return options.json ? final_line(play) + log_line(play, options.newest_first)
                        : ends_text(play) + '\n' + histories_text(play, options.newest_first);
}

std::string act(const std::vector<codec::ScriptLine>& script, const std::string& file, const LinkPlayOptions& options)
{
    LinkPlay play;
    std::string answers;
    for (const auto& line : script) {
        if (std::holds_alternative<link::Read>(line.event)) {
            answers += read_line(play);
        } else if (std::holds_alternative<link::Log>(line.event)) {
            answers += log_line(play, options.newest_first);
        } else if (std::holds_alternative<link::ManagerRestart>(line.event)) {
            restart_manager(play);
        } else if (const auto why = play.act(line.event)) {
            print_stderr(to_text({file, line.line, 0, fmt::format("{} ignored: {}", line.word, *why), {}}));
        }
    }
    return answers.empty() ? ending(play, options) : answers;
}

}  // namespace

ExitCode run_link_play(const LinkPlayOptions& options)
{
    const auto input = read_link_input(options.file);
    if (!input) {
        return fail(input.error());
    }
    const auto script = codec::read_link_script(input->text, input->name);
    if (!script) {
        return refuse(script.error());
    }
    return finish(act(*script, input->name, options), ExitCode::ok);
}

}  // namespace petrel::cli
