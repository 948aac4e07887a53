#include "cli/lab_story.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/lab_command.hpp"
#include "codec/event_json.hpp"
#include "codec/scenario/json.hpp"
#include "lab/capture_files.hpp"
#include "lab/merged_events.hpp"
#include "lab/switch_log.hpp"
#include "lab/trace_recorder.hpp"
#include "reports/lab_judgement.hpp"
#include "reports/lab_report.hpp"
#include "reports/lab_text.hpp"
#include "runtime/log_writer.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr twin::Ps kTraceEvery = 10 * twin::kMs;
constexpr unsigned kPieces = 200;  // an unpaced run is split into this many pieces, to show its progress

class LabStory {
public:
    LabStory(const lab::PlannedRun& planned, const LabOptions& options, lab::Experiment& experiment)
        : planned_(planned), options_(options), experiment_(experiment), paint_(stdout_wants_colour())
    {
        // Events on nodes of other processes are not visible here.
        if (options.peers == nullptr) {
            judge_.emplace(experiment);
        }
        if (options.report) {
            recording_.emplace(experiment, planned.end);
        }
    }

    ExitCode run()
    {
        if (!options_.json) {
            write(fitted(reports::lab_heading(experiment_.scenario())));
        }
        if (options_.pace > 0) {
            run_paced();
        } else {
            run_unpaced();
        }
        conclude(steady_clock::now() - started_);
        if (error_) {
            return fail(*error_);
        }
        if (!outcome_.failed()) {
            return ExitCode::ok;
        }
        print_stderr(fmt::format("petrel: not as expected; to run it again: {}", planned_.command));
        return ExitCode::expectation;
    }

private:
    // In pieces of 10 ms, so that events are printed when they happen.
    void run_paced()
    {
        constexpr auto kPiece = 10ms;
        const auto piece = static_cast<twin::Ps>(options_.pace * 1e-2 * static_cast<double>(twin::kSecond));
        auto due = started_;
        for (twin::Ps now = 0; now < planned_.end && !may_stop();) {
            now = std::min(now + std::max<twin::Ps>(piece, 1), planned_.end);
            due += kPiece;
            std::this_thread::sleep_until(due);
            experiment_.run_until(now);
            write_new_events();
        }
    }

    void run_unpaced()
    {
        {
            Progress progress;
            const auto pieces = stderr_is_terminal() ? kPieces : 1;
            for (unsigned i = 1; i <= pieces; ++i) {
                experiment_.run_until(i == pieces ? planned_.end : planned_.end / pieces * i);
                const auto now = static_cast<double>(experiment_.twin().now());
                const auto wall = std::chrono::duration<double>(steady_clock::now() - started_).count();
                progress.show(now / static_cast<double>(planned_.end),
                              fmt::format("{:.3f} s simulated, {:.3g} a second", now / twin::kSecond,
                                          now / twin::kSecond / wall));
            }
        }
        write_new_events();
    }

    void conclude(steady_clock::duration wall)
    {
        if (judge_) {
            outcome_ = outcome_of(experiment_, *judge_);
        } else {
            outcome_.summary = experiment_.summary();
        }
        const auto& summary = outcome_.summary;
        const auto json = reports::summary_line(planned_.file, planned_.settings, outcome_, wall);
        if (recording_) {
            write_report_of(json);
        }
        if (options_.json) {
            write(json + '\n');
        } else {
            write(fitted(reports::lab_summary(summary, experiment_.scenario().setup.topology)));
            if (const auto table = reports::judgement_table(outcome_.judgements, paint_, stdout_columns());
                !table.empty()) {
                write('\n' + table);
            }
        }
        if (stderr_is_terminal()) {
            const auto seconds = std::chrono::duration<double>(wall).count();
            print_stderr(fmt::format("petrel: took {:.2f} s, {:.1f} million packet-hops a second", seconds,
                                     static_cast<double>(summary.totals.packet_hops) / seconds / 1e6));
        }
    }

    void write_report_of(const std::string& summary)
    {
        const reports::ReportedRun run{
            planned_.file,    planned_.settings,
            planned_.command, std::make_shared<const scenario::Scenario>(experiment_.scenario()),
            outcome_,         recording_->take(),
            summary};
        if (const auto written = reports::write_report(*options_.report, {&run, 1}); !written) {
            error_ = written.error();
        }
    }

    // If there are peers, they wait for this process: then it must not stop early.
    bool may_stop() const { return options_.peers == nullptr && (error_ || pipe_closed_); }

    void write_new_events()
    {
        std::vector<lab::EventText> ours;
        for (const auto& reported : experiment_.new_events()) {
            ours.push_back({reported.event->at, std::string{reported.device}, reported.event->seq, line_of(reported)});
        }
        if (options_.peers != nullptr) {
            return write(lab::merged_events(ours, *options_.peers));
        }
        for (const auto& line : ours) {
            write(line.text);
        }
    }

    std::string line_of(const lab::AgentEvent& reported) const
    {
        return options_.json ? codec::event_json(*reported.event, *reported.watchlist, reported.device) + '\n'
                             : fitted(reports::lab_events({&reported, 1}, paint_));
    }

    void write(const std::string& text)
    {
        if (const auto written = write_stdout(text); !written && !error_) {
            error_ = written.error();
        } else if (written && !*written) {
            pipe_closed_ = true;
        }
    }

    const lab::PlannedRun& planned_;
    const LabOptions& options_;
    lab::Experiment& experiment_;
    std::optional<lab::Judge> judge_;
    std::optional<lab::Recording> recording_;
    lab::Outcome outcome_;
    Paint paint_;
    steady_clock::time_point started_{steady_clock::now()};
    std::optional<Error> error_;
    bool pipe_closed_{};
};

Result<void> write_captures(const std::string& folder, lab::Experiment& experiment)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    for (const auto& file : lab::capture_files(experiment.scenario(), experiment.twin())) {
        const std::string_view bytes{reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
        if (auto written = write_output_file(std::filesystem::path{folder} / file.name, bytes); !written) {
            return written;
        }
    }
    return {};
}

Result<void> write_log(const std::string& path, const lab::Experiment& experiment)
{
    auto writer = runtime::LogWriter::open(path);
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    for (const auto& reported : experiment.events()) {
        for (const auto& line : lab::log_lines(reported)) {
            if (auto written = writer->write(line); !written) {
                return written;
            }
        }
    }
    return {};
}

}  // namespace

ExitCode run_single(const lab::PlannedRun& planned, const LabOptions& options)
{
    auto scenario = planned.scenario;
    scenario.setup.threads = options.pool.threads;
    if (options.peers != nullptr && !scenario.expectations.empty()) {
        print_stderr("petrel: note: with several processes the expectations of the scenario are not checked");
    }
    auto experiment = lab::Experiment::make(std::move(scenario), options.peers);
    if (!experiment) {
        return refuse(experiment.error());
    }
    for (const auto& note : (*experiment)->notes()) {
        print_stderr(fmt::format("petrel: note: {}", note));
    }
    std::optional<lab::TraceRecorder> recorder;
    if (options.trace) {
        recorder.emplace((*experiment)->twin(), kTraceEvery);
    }
    const auto code = LabStory{planned, options, **experiment}.run();
    if (code != ExitCode::ok && code != ExitCode::expectation) {
        return code;
    }
    Result<void> written;
    if (options.pcap) {
        written = write_captures(*options.pcap, **experiment);
    }
    if (written && recorder) {
        written = write_output_file(*options.trace, recorder->csv());
    }
    if (written && options.syslog) {
        written = write_log(*options.syslog, **experiment);
    }
    return written ? code : fail(written.error());
}

}  // namespace petrel::cli
