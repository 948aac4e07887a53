#include "cli/replay_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/replay_html.hpp"
#include "reports/replay_json.hpp"
#include "reports/replay_report.hpp"
#include "reports/replay_text.hpp"
#include "runtime/replay.hpp"
#include "terminal/output_file.hpp"
#include "terminal/terminal.hpp"
#include "watchdog/unjudged_rows.hpp"

namespace petrel::cli {
namespace {

// Does not stop at the first policy that does not fit the trace: reports all of them.
Parsed<reports::ReplayReport> replay_all(ReplayInputs inputs)
{
    std::vector<Complaint> complaints;
    reports::ReplayReport report{inputs.trace_name, std::move(inputs.trace), {}};
    for (const auto& what_if : inputs.what_ifs) {
        std::vector<runtime::Replayed> devices;
        for (std::size_t i = 0; i < report.trace.devices.size(); ++i) {
            auto replayed = runtime::replay(report.trace.devices[i], inputs.paces[i], what_if.books[i]);
            if (replayed) {
                devices.push_back(std::move(*replayed));
                continue;
            }
            for (const auto& complaint : replayed.error()) {
                complaints.push_back(
                    {report.trace_name,
                     0,
                     0,
                     fmt::format("{}: policy {} {}", report.trace.devices[i].device, complaint.file, complaint.allowed),
                     {}});
            }
        }
        report.runs.push_back(reports::make_run(what_if.label, std::move(devices)));
    }
    if (!complaints.empty()) {
        return tl::unexpected(std::move(complaints));
    }
    return report;
}

void print_notes(const std::vector<std::string>& assumed, const reports::ReplayReport& report)
{
    auto notes = assumed;
    for (const auto& run : report.runs) {
        for (const auto& replayed : run.devices) {
            notes.insert(notes.end(), replayed.watchlist.notes.begin(), replayed.watchlist.notes.end());
            notes.insert(notes.end(), replayed.unjudged.begin(), replayed.unjudged.end());
        }
    }
    for (auto note = notes.begin(); note != notes.end(); ++note) {
        if (std::find(notes.begin(), note, *note) == note) {
            print_stderr(fmt::format("petrel: note: {}", *note));
        }
    }
}

// A check that watched no queue, or one where no storm can be seen, must not look like a check without findings. The
// same holds for a trace that is too coarse.
bool is_blind(const reports::PolicyRun& run)
{
    const auto watches_nothing = [](const runtime::Replayed& device) {
        return std::ranges::all_of(device.watchlist.rows,
                                   [](const watchdog::Effective& row) { return row.policy == watchdog::kUnwatched; });
    };
    const auto is_unjudged = [](const runtime::Replayed& device) {
        return watchdog::unjudged_rows(device.watchlist) != 0 || !device.unjudged.empty();
    };
    return std::ranges::all_of(run.devices, watches_nothing) || std::ranges::any_of(run.devices, is_unjudged);
}

std::string render(const reports::ReplayReport& report, const ReplayOptions& options, bool to_stdout)
{
    if (options.format == "json") {
        return reports::replay_json(report);
    }
    if (options.format == "html") {
        return reports::replay_html(report);
    }
    return reports::replay_text(report, Paint{to_stdout && stdout_wants_colour()},
                                to_stdout ? stdout_columns() : kAnyWidth);
}

}  // namespace

ExitCode run_replay(const ReplayOptions& options)
{
    auto inputs = read_replay_inputs(options);
    if (!inputs) {
        auto code = ExitCode::ok;
        for (const auto& error : inputs.error().errors) {
            code = fail(error);
        }
        return inputs.error().complaints.empty() ? code : refuse(inputs.error().complaints);
    }
    const auto notes = std::move(inputs->notes);
    const auto report = replay_all(std::move(*inputs));
    if (!report) {
        return refuse(report.error());
    }
    print_notes(notes, *report);

    const bool failed = options.check && (reports::any_storm(*report) || std::ranges::any_of(report->runs, is_blind));
    const auto code = failed ? ExitCode::failure : ExitCode::ok;
    const bool to_stdout = !options.output || *options.output == "-";
    const auto text = render(*report, options, to_stdout);
    if (to_stdout) {
        return finish(options.format == "text" ? fitted(text) : text, code);
    }
    if (const auto written = write_output_file(*options.output, text); !written) {
        return fail(written.error());
    }
    return code;
}

}  // namespace petrel::cli
