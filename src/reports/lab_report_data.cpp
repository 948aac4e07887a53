#include "reports/lab_report_data.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "base/csv_cell.hpp"
#include "codec/report_json.hpp"
#include "reports/lab_report_facts.hpp"
#include "reports/scenario_text.hpp"

namespace petrel::reports {
namespace {

using twin::Ps;

std::uint64_t us(Ps time) { return time / twin::kUs; }

Ps sum(const std::vector<Ps>& times) { return std::accumulate(times.begin(), times.end(), Ps{0}); }

codec::RunReport report_of(const ReportedRun& run)
{
    const auto& topology = run.scenario->setup.topology;
    const auto& recording = run.recording;
    codec::RunReport report;
    report.about = run.scenario->about;
    report.command = run.command;
    report.failed = run.outcome.failed();
    report.detection = detection_latency(run);
    report.summary = run.summary_json;
    for (auto& fault : fault_timeline(*run.scenario)) {
        report.faults.push_back({fault.at, std::move(fault.what)});
    }
    for (const auto& reported : run.outcome.events) {
        report.events.push_back({&reported.event, reported.device, reported.where, reason_text(run, reported)});
    }
    for (const auto& tier : standstills(recording)) {
        report.standstill.push_back({tier.tier, tier.nodes, tier.most_held, tier.most, std::nullopt});
        if (tier.most_held != 0) {
            report.standstill.back().seen = {tier.first_seen, tier.last_seen};
        }
    }
    for (const auto& queue : recording.queues) {
        report.queues.push_back({port_text(queue.port, topology), queue.priority, sum(queue.paused)});
    }
    report.queues_left_out = recording.queues_left_out;
    for (const auto& link : recording.links) {
        report.links.push_back({port_text(link.from, topology), port_text(link.to, topology), sum(link.paused)});
    }
    report.links_left_out = recording.links_left_out;
    return report;
}

// A line for each interval of each track; `values` returns the rest of the line.
template <class Track, class Values>
std::string rows(std::size_t run, const lab::RecordedRun& recording, const Track& track, Values values)
{
    std::string text;
    for (std::size_t i = 0; i < recording.times.size(); ++i) {
        text += fmt::format("{},{},{}\n", run + 1, us(recording.times[i]), values(track, i));
    }
    return text;
}

// To the picosecond, so that sums over intervals are exact.
std::string us_exact(Ps time) { return fmt::format("{}.{:06}", us(time), time % twin::kUs); }

}  // namespace

std::string report_json(std::span<const ReportedRun> runs)
{
    std::vector<codec::RunReport> reports;
    for (const auto& run : runs) {
        reports.push_back(report_of(run));
    }
    return codec::report_json(PETREL_VERSION, reports);
}

std::string queues_csv(std::span<const ReportedRun> runs)
{
    std::string text = "run,time_us,device,port,priority,paused_us,waiting_bytes\n";
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const auto& queue : runs[run].recording.queues) {
            const auto& node = runs[run].scenario->setup.topology.nodes[queue.port.node.value];
            const auto place = fmt::format("{},{},{}", csv_cell(node.name), csv_cell(node.ports[queue.port.port].name),
                                           queue.priority);
            text += rows(run, runs[run].recording, queue, [&](const lab::QueueTrack& track, std::size_t i) {
                return fmt::format("{},{},{}", place, us_exact(track.paused[i]), track.bytes[i]);
            });
        }
    }
    return text;
}

std::string links_csv(std::span<const ReportedRun> runs)
{
    std::string text = "run,time_us,from,to,paused_us\n";
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto& topology = runs[run].scenario->setup.topology;
        for (const auto& link : runs[run].recording.links) {
            const auto place =
                fmt::format("{},{}", csv_cell(port_text(link.from, topology)), csv_cell(port_text(link.to, topology)));
            text += rows(run, runs[run].recording, link, [&](const lab::LinkTrack& track, std::size_t i) {
                return fmt::format("{},{}", place, us_exact(track.paused[i]));
            });
        }
    }
    return text;
}

std::string traffic_csv(std::span<const ReportedRun> runs)
{
    std::string text = "run,time_us,item,sent_bytes,delivered_bytes\n";
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const auto& item : runs[run].recording.traffic) {
            text += rows(run, runs[run].recording, item, [&](const lab::TrafficTrack& track, std::size_t i) {
                return fmt::format("{},{},{}", csv_cell(track.name), track.sent_bytes[i], track.delivered_bytes[i]);
            });
        }
    }
    return text;
}

}  // namespace petrel::reports
