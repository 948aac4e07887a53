#include "cli/lab_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/lab_text.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "codec/event_json.hpp"
#include "codec/scenario_json.hpp"
#include "codec/scenario_reader.hpp"
#include "codec/scenario_values.hpp"
#include "lab/capture_files.hpp"
#include "lab/common_news.hpp"
#include "lab/experiment.hpp"
#include "lab/trace_recorder.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class LabRun {
public:
    LabRun(const LabOptions& options, lab::Experiment& experiment)
        : options_(options), experiment_(experiment), paint_(stdout_wants_colour())
    {}

    ExitCode run(twin::Ps end)
    {
        if (!options_.json) {
            write(lab_heading(experiment_.scenario()));
        }
        if (options_.pace > 0) {
            run_paced(end);
        } else {
            experiment_.run_until(end);
            tell_news();
        }
        const auto wall = steady_clock::now() - started_;
        const auto summary = experiment_.summary();
        write(options_.json ? codec::summary_json(summary, std::chrono::floor<std::chrono::milliseconds>(wall)) + '\n'
                            : lab_summary(summary));
        if (somebody_watches()) {
            const auto seconds = std::chrono::duration<double>(wall).count();
            say(fmt::format("petrel: took {:.2f} s, {:.1f} million packet-hops a second", seconds,
                            static_cast<double>(summary.totals.packet_hops) / seconds / 1e6));
        }
        return error_ ? fail(*error_) : ExitCode::ok;
    }

private:
    // In pieces of a hundredth of a second: what happens is told when it happens.
    void run_paced(twin::Ps end)
    {
        constexpr auto kPiece = 10ms;
        const auto piece = static_cast<twin::Ps>(options_.pace * 1e-2 * static_cast<double>(twin::kSecond));
        auto due = started_;
        for (twin::Ps now = 0; now < end && !may_stop();) {
            now = std::min(now + std::max<twin::Ps>(piece, 1), end);
            due += kPiece;
            std::this_thread::sleep_until(due);
            experiment_.run_until(now);
            tell_news();
        }
    }

    // Others wait for us where there are any: then there is no way out before the end.
    bool may_stop() const { return options_.peers == nullptr && (error_ || nobody_listens_); }

    void tell_news()
    {
        std::vector<lab::Said> ours;
        for (const auto& heard : experiment_.news()) {
            ours.push_back({heard.event->at, std::string{heard.device}, heard.event->seq, line_of(heard)});
        }
        if (options_.peers != nullptr) {
            return write(lab::common_news(ours, *options_.peers));
        }
        for (const auto& said : ours) {
            write(said.text);
        }
    }

    std::string line_of(const lab::Heard& heard) const
    {
        return options_.json ? codec::event_json(*heard.event, *heard.watchlist, heard.device) + '\n'
                             : lab_events({&heard, 1}, paint_);
    }

    void write(const std::string& text)
    {
        if (const auto written = write_stdout(text); !written && !error_) {
            error_ = written.error();
        } else if (written && !*written) {
            nobody_listens_ = true;
        }
    }

    const LabOptions& options_;
    lab::Experiment& experiment_;
    Paint paint_;
    steady_clock::time_point started_{steady_clock::now()};
    std::optional<Error> error_;
    bool nobody_listens_{};
};

constexpr twin::Ps kTraceEvery = 10 * twin::kMs;

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

Result<std::string> read_scenario_file(const LabOptions& options)
{
    auto text = runtime::read_whole_file(options.file == "-" ? "/dev/stdin" : options.file);
    if (!text && text.error().kind == ErrorKind::unreachable) {
        // A file that is not there is a wrong argument, not a device out of reach.
        text.error().kind = ErrorKind::invalid;
    }
    return text;
}

// The first process reads for all: the file need be on its machine only, and all see the same.
Result<std::string> scenario_text(const LabOptions& options)
{
    if (options.peers == nullptr) {
        return read_scenario_file(options);
    }
    constexpr char kRead = '+';
    Result<std::string> text;
    std::string told;
    if (options.peers->rank() == 0) {
        text = read_scenario_file(options);
        told = text ? kRead + *text : std::string{};
    }
    const auto heard = options.peers->gather(told).front();
    if (!heard.empty()) {
        return heard.substr(1);
    }
    return text ? tl::unexpected(Error{ErrorKind::invalid, "the first process could not read the scenario"}) : text;
}

}  // namespace

ExitCode run_lab(const LabOptions& options)
{
    if (!options.problems.empty()) {
        return refuse(options.problems);
    }
    if (options.peers != nullptr && options.trace) {
        return refuse({{"--trace", 0, 0, "only one process alone records a trace", {}}});
    }
    const auto text = scenario_text(options);
    if (!text) {
        return fail(text.error());
    }
    auto scenario = codec::read_scenario(*text, options.file == "-" ? "stdin" : options.file, options.seed);
    if (!scenario) {
        return refuse(scenario.error());
    }
    if (options.pcap && scenario->captures.empty()) {
        return refuse({{"--pcap", 0, 0, "the scenario captures nothing: it has no [[capture]]", {}}});
    }
    scenario->setup.threads = options.threads;
    const auto end = codec::time_in_ps(options.until).value_or(scenario->duration);
    auto experiment = lab::Experiment::make(std::move(*scenario), options.peers);
    if (!experiment) {
        return refuse(experiment.error());
    }
    for (const auto& note : (*experiment)->notes()) {
        say(fmt::format("petrel: note: {}", note));
    }
    std::optional<lab::TraceRecorder> recorder;
    if (options.trace) {
        recorder.emplace((*experiment)->twin(), kTraceEvery);
    }
    const auto code = LabRun{options, **experiment}.run(end);
    if (code != ExitCode::ok) {
        return code;
    }
    Result<void> written;
    if (options.pcap) {
        written = write_captures(*options.pcap, **experiment);
    }
    if (written && recorder) {
        written = write_output_file(*options.trace, recorder->csv());
    }
    return written ? code : fail(written.error());
}

}  // namespace petrel::cli
