#include "cli/lab_report_data.hpp"

#include <fmt/format.h>

#include <numeric>

#include "cli/lab_report_facts.hpp"
#include "cli/scenario_words.hpp"
#include "lab/csv_cell.hpp"

namespace petrel::cli {
namespace {

using twin::Ps;

std::uint64_t us(Ps time) { return time / twin::kUs; }

std::string json_text(std::string_view text)
{
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
        }
        json += static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<unsigned char>(c))
                                                     : std::string{c};
    }
    return json + '"';
}

template <class All, class Text>
std::string list(const All& all, Text text)
{
    std::string json;
    for (const auto& one : all) {
        json += (json.empty() ? "\n   " : ",\n   ") + text(one);
    }
    return '[' + json + ']';
}

std::string event_json(const ReportedRun& run, const lab::ToldEvent& told)
{
    return fmt::format(R"({{"time_us":{},"event":"{}","device":{},"where":{},"reason":"{}","action":"{}","why":{}}})",
                       whole_us(told.event.at), name(told.event.kind), json_text(told.device), json_text(told.where),
                       name(told.event.reason), watchdog::action_name(told.event.action),
                       json_text(reason_words(run, told)));
}

std::string tier_json(const Standstill& tier)
{
    const auto seen = [&](Ps time) { return tier.most_held == 0 ? "null" : fmt::format("{}", us(time)); };
    return fmt::format(R"({{"tier":{},"nodes":{},"most_held_up":{},"most_standing":{},"first_us":{},"last_us":{}}})",
                       tier.tier, tier.nodes, tier.most_held, tier.most, seen(tier.first_seen), seen(tier.last_seen));
}

Ps sum(const std::vector<Ps>& times) { return std::accumulate(times.begin(), times.end(), Ps{0}); }

std::string run_json(const ReportedRun& run)
{
    const auto& topology = run.scenario->setup.topology;
    const auto latency = detection_latency(run);
    std::vector<std::pair<std::string, std::string>> parts{
        {"about", json_text(run.scenario->about)},
        {"command", json_text(run.command)},
        {"failed", run.outcome.failed() ? "true" : "false"},
        {"detection_us", latency ? fmt::format("{}", whole_us(*latency)) : "null"},
        {"summary", run.summary_json},
        {"faults", list(fault_timeline(*run.scenario),
                        [](const TimedWords& fault) {
                            return fmt::format(R"({{"time_us":{},"what":{}}})", us(fault.at), json_text(fault.what));
                        })},
        {"events", list(run.outcome.events, [&](const lab::ToldEvent& told) { return event_json(run, told); })},
        {"standstill", list(standstills(run.recording), tier_json)},
        {"queues", list(run.recording.queues,
                        [&](const lab::QueueTrack& queue) {
                            return fmt::format(R"({{"port":{},"priority":{},"paused_us":{}}})",
                                               json_text(port_words(queue.port, topology)), queue.priority,
                                               us(sum(queue.paused)));
                        })},
        {"queues_left_out", fmt::format("{}", run.recording.queues_left_out)},
        {"links", list(run.recording.links,
                       [&](const lab::LinkTrack& link) {
                           return fmt::format(R"({{"from":{},"to":{},"paused_us":{}}})",
                                              json_text(port_words(link.from, topology)),
                                              json_text(port_words(link.to, topology)), us(sum(link.paused)));
                       })},
        {"links_left_out", fmt::format("{}", run.recording.links_left_out)}};
    std::string json;
    for (const auto& [key, value] : parts) {
        json += fmt::format("{}\n  \"{}\":{}", json.empty() ? "" : ",", key, value);
    }
    return '{' + json + '}';
}

// A line for each interval of each track; `values` is the rest of the line.
template <class Track, class Values>
std::string rows(std::size_t run, const lab::RecordedRun& recording, const Track& track, Values values)
{
    std::string text;
    for (std::size_t i = 0; i < recording.times.size(); ++i) {
        text += fmt::format("{},{},{}\n", run + 1, us(recording.times[i]), values(track, i));
    }
    return text;
}

// To the picosecond: sums over intervals stay true.
std::string us_exact(Ps time) { return fmt::format("{}.{:06}", us(time), time % twin::kUs); }

}  // namespace

std::string report_json(std::span<const ReportedRun> runs)
{
    return fmt::format("{{\"petrel\":\"{}\",\"runs\":{}}}\n", PETREL_VERSION, list(runs, run_json));
}

std::string queues_csv(std::span<const ReportedRun> runs)
{
    std::string text = "run,time_us,device,port,priority,paused_us,waiting_bytes\n";
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const auto& queue : runs[run].recording.queues) {
            const auto& node = runs[run].scenario->setup.topology.nodes[queue.port.node.value];
            const auto place = fmt::format("{},{},{}", lab::csv_cell(node.name),
                                           lab::csv_cell(node.ports[queue.port.port].name), queue.priority);
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
            const auto place = fmt::format("{},{}", lab::csv_cell(port_words(link.from, topology)),
                                           lab::csv_cell(port_words(link.to, topology)));
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
                return fmt::format("{},{},{}", lab::csv_cell(track.name), track.sent_bytes[i],
                                   track.delivered_bytes[i]);
            });
        }
    }
    return text;
}

}  // namespace petrel::cli
