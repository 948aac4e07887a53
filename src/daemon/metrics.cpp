#include "daemon/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/metric_family.hpp"
#include "watchdog/checkpoint.hpp"

namespace petrel::daemon {

namespace {

using control::DeviceReport;
using control::QueueReport;
using control::StatusReport;
using watchdog::Phase;

constexpr auto kCounter = MetricType::counter;
constexpr auto kGauge = MetricType::gauge;

// Names from outside may contain any bytes. A label that is not UTF-8 would make the whole answer invalid.
std::string label_text(std::string_view text)
{
    std::string shown;
    for (const char c : text) {
        shown += c >= ' ' && c <= '~' ? std::string{c} : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return shown;
}

MetricLabel label(std::string name, std::string_view value) { return {std::move(name), label_text(value)}; }

MetricLabels with(MetricLabels labels, std::string name, std::string_view value)
{
    labels.push_back(label(std::move(name), value));
    return labels;
}

void add(MetricFamily& family, MetricLabels labels, double value)
{
    family.values.push_back({std::move(labels), value});
}

double count(std::uint64_t number) { return static_cast<double>(number); }
double truth(bool is) { return is ? 1 : 0; }
double seconds_from_us(std::int64_t us) { return static_cast<double>(us) / 1e6; }
double seconds_from_ms(std::int64_t ms) { return static_cast<double>(ms) / 1e3; }

// A metric with one value for each report (agent, device or queue).
template <class Report>
struct Row {
    const char* name;
    MetricType type;
    const char* help;
    double (*value)(const Report&);
};

constexpr std::array kOfAgent{
    Row<StatusReport>{"petrel_uptime_seconds", kGauge, "How long the agent has been running.",
                      [](const auto& s) { return seconds_from_ms(s.up_ms); }},
    Row<StatusReport>{"petrel_red_switch_on", kGauge, "Whether the configuration mitigates every watched queue.",
                      [](const auto& s) { return truth(s.red_switch); }},
    Row<StatusReport>{"petrel_nos_trouble", kGauge,
                      "Whether the last exchange with the network operating system failed.",
                      [](const auto& s) { return truth(!s.nos_trouble.empty()); }},
    Row<StatusReport>{"petrel_events_kept", kGauge, "Events in the history.",
                      [](const auto& s) { return count(s.events); }},
    Row<StatusReport>{"petrel_state_write_errors_total", kCounter, "Writes of the agent's memory that failed.",
                      [](const auto& s) { return count(s.state_errors); }},
    Row<StatusReport>{"petrel_state_write_failing", kGauge, "Whether the last write of the agent's memory failed.",
                      [](const auto& s) { return truth(!s.state_error.empty()); }},
    Row<StatusReport>{"petrel_files_lost_total", kCounter,
                      "How often another process removed or replaced a file or the socket of the agent.",
                      [](const auto& s) { return count(s.files_lost); }},
    Row<StatusReport>{"petrel_log_lines_dropped_total", kCounter,
                      "Log lines that were dropped because their reader was too slow.",
                      [](const auto& s) { return count(s.log_lines_dropped); }},
    Row<StatusReport>{"petrel_config_last_reload_good", kGauge,
                      "Whether the last reload of the configuration succeeded.",
                      [](const auto& s) { return truth(s.reload.problems.empty()); }},
};

constexpr std::array kOfDevice{
    Row<DeviceReport>{"petrel_device_condition_seconds", kGauge, "How long the device has been in its condition.",
                      [](const auto& d) { return seconds_from_ms(d.condition_ms); }},
    Row<DeviceReport>{"petrel_device_ports", kGauge, "Ports of the device.",
                      [](const auto& d) { return count(d.ports); }},
    Row<DeviceReport>{"petrel_device_queues", kGauge, "Queues of the device.",
                      [](const auto& d) { return count(d.queues); }},
    Row<DeviceReport>{"petrel_device_watched_queues", kGauge, "Queues that a policy watches.",
                      [](const auto& d) { return count(d.watched); }},
    Row<DeviceReport>{"petrel_device_unseen_queues", kGauge, "Queues that are configured and cannot be watched.",
                      [](const auto& d) { return count(d.unseen.size()); }},
    Row<DeviceReport>{"petrel_device_alerted_queues", kGauge, "Queues with a storm that is not acted on.",
                      [](const auto& d) { return count(d.alerted); }},
    Row<DeviceReport>{"petrel_device_mitigated_queues", kGauge, "Queues under a treatment, or about to be.",
                      [](const auto& d) { return count(d.mitigated); }},
    Row<DeviceReport>{"petrel_device_latched_queues", kGauge,
                      "Of the mitigated queues, those that stay mitigated until an operator releases them.",
                      [](const auto& d) { return count(d.latched); }},
    Row<DeviceReport>{"petrel_device_policy_notes", kGauge,
                      "Differences between the configured policies and what is watched.",
                      [](const auto& d) { return count(d.notes.size()); }},
    Row<DeviceReport>{"petrel_poll_interval_seconds", kGauge, "Time from one poll of the device to the next.",
                      [](const auto& d) { return seconds_from_us(d.poll_us); }},
    Row<DeviceReport>{"petrel_looks_total", kCounter, "Looks at the device: polls, and looks at some rows in between.",
                      [](const auto& d) { return count(d.looks); }},
    Row<DeviceReport>{"petrel_looks_failed_total", kCounter, "Looks that failed.",
                      [](const auto& d) { return count(d.looks_failed); }},
    Row<DeviceReport>{"petrel_looks_overdue_total", kCounter, "Looks that were not finished in time.",
                      [](const auto& d) { return count(d.looks_overdue); }},
    Row<DeviceReport>{"petrel_polls_missed_total", kCounter,
                      "Polls that were skipped because the previous one was not finished.",
                      [](const auto& d) { return count(d.polls_missed); }},
    Row<DeviceReport>{"petrel_last_look_duration_seconds", kGauge, "How long the last look took.",
                      [](const auto& d) { return seconds_from_us(d.last_look_us); }},
    Row<DeviceReport>{"petrel_longest_look_duration_seconds", kGauge, "How long the longest look took.",
                      [](const auto& d) { return seconds_from_us(d.longest_look_us); }},
    Row<DeviceReport>{"petrel_commands_total", kCounter,
                      "Commands to mitigate or restore that were sent to the device.",
                      [](const auto& d) { return count(d.commands); }},
    Row<DeviceReport>{"petrel_commands_failed_total", kCounter, "Commands that did not succeed.",
                      [](const auto& d) { return count(d.commands_failed); }},
    Row<DeviceReport>{"petrel_inventory_changes_total", kCounter, "How often the device's ports or queues changed.",
                      [](const auto& d) { return count(d.inventory_changes); }},
};

// Only of devices whose checkpoint has been read: before that, a zero would look like a counter reset.
constexpr std::array kOfPast{
    Row<DeviceReport>{"petrel_storms_detected_total", kCounter, "Storms detected, also before a restart of the agent.",
                      [](const auto& d) { return count(d.detected); }},
    Row<DeviceReport>{"petrel_storms_restored_total", kCounter,
                      "Storms that ended with the queue restored, also before a restart of the agent.",
                      [](const auto& d) { return count(d.restored); }},
};

constexpr std::array kOfQueue{
    Row<QueueReport>{"petrel_queue_storms_detected_total", kCounter, "Storms detected in the queue.",
                     [](const auto& q) { return count(q.detected); }},
    Row<QueueReport>{"petrel_queue_storms_restored_total", kCounter,
                     "Storms of the queue that ended with the queue restored.",
                     [](const auto& q) { return count(q.restored); }},
    Row<QueueReport>{"petrel_queue_storm_seconds_total", kCounter, "Time the queue spent in storms.",
                     [](const auto& q) { return seconds_from_us(q.in_storm_us); }},
    Row<QueueReport>{"petrel_queue_longest_pause_seconds", kGauge, "The longest pause without a break.",
                     [](const auto& q) { return seconds_from_us(q.longest_pause_us); }},
};

MetricLabels labels_of(const StatusReport&) { return {}; }
MetricLabels labels_of(const DeviceReport& device) { return {label("device", device.name)}; }
MetricLabels labels_of(const QueueReport& queue)
{
    return {label("device", queue.device), label("port", queue.port),
            label("priority", queue.priority ? fmt::format("{}", *queue.priority) : "port")};
}

// One series for each state: 1 for the present state, 0 for the others. So no series appears or disappears.
template <class State>
void add_states(MetricFamily& family, const MetricLabels& labels, const char* what, State now)
{
    for (std::size_t i = 0; i < static_cast<std::size_t>(State::count_); ++i) {
        const auto state = static_cast<State>(i);
        add(family, with(labels, what, name(state)), truth(state == now));
    }
}

Phase phase_of(const QueueReport& queue) { return queue.phase.value_or(Phase::off); }

bool in_trouble(const QueueReport& queue)
{
    const auto phase = phase_of(queue);
    return phase != Phase::off && phase != Phase::watching;
}

std::vector<const QueueReport*> with_a_past(std::span<const QueueReport> queues)
{
    std::vector<const QueueReport*> chosen;
    for (const auto& queue : queues) {
        if (in_trouble(queue) || queue.detected > 0) {
            chosen.push_back(&queue);
        }
    }
    return chosen;
}

// Reduces the list to the queues that get series, in their old order. Returns how many are left out.
std::size_t cut(std::vector<const QueueReport*>& queues)
{
    if (queues.size() <= kMostQueuesInMetrics) {
        return 0;
    }
    const auto left_out = queues.size() - kMostQueuesInMetrics;
    std::sort(queues.begin(), queues.end(), [](const QueueReport* a, const QueueReport* b) {
        return std::tuple{!in_trouble(*a), b->detected, a} < std::tuple{!in_trouble(*b), a->detected, b};
    });
    queues.resize(kMostQueuesInMetrics);
    std::sort(queues.begin(), queues.end());
    return left_out;
}

class Families {
public:
    MetricFamily& family(const char* name, MetricType type, const char* help)
    {
        return all_.emplace_back(MetricFamily{name, help, type, {}});
    }

    template <class Report>
    void rows(std::span<const Row<Report>> table, const std::vector<const Report*>& reports)
    {
        for (const auto& row : table) {
            auto& made = family(row.name, row.type, row.help);
            for (const auto* report : reports) {
                add(made, labels_of(*report), row.value(*report));
            }
        }
    }

    void agent(const StatusReport& status)
    {
        add(family("petrel_build_info", kGauge, "Which version runs; always 1."), {label("version", status.version)},
            1);
        rows<StatusReport>(kOfAgent, {&status});
        auto& reloads = family("petrel_config_reloads_total", kCounter, "Reloads of the configuration, by result.");
        add(reloads, {label("result", "good")}, count(status.reload.good));
        add(reloads, {label("result", "bad")}, count(status.reload.bad));
        add(family("petrel_control_connections_total", kCounter, "Connections to the control socket."), {},
            count(status.control.connections));
        auto& in_vain = family("petrel_control_failures_total", kCounter,
                               "Connections to the control socket that failed, by reason.");
        add(in_vain, {label("reason", "no_room")}, count(status.control.refused));
        add(in_vain, {label("reason", "bad_request")}, count(status.control.bad));
        add(in_vain, {label("reason", "slow_reader")}, count(status.control.dropped_slow));
        if (status.manager) {
            manager(*status.manager);
        }
    }

    void manager(const control::ManagerReport& report)
    {
        add(family("petrel_manager_connected", kGauge, "Whether the manager answered the last request."), {},
            truth(report.connected));
        add(family("petrel_manager_connection_seconds", kGauge, "How long the manager has been connected, or has not."),
            {}, seconds_from_ms(report.since_ms));
        add(family("petrel_manager_events_waiting", kGauge, "Events that the manager does not have yet."), {},
            count(report.waiting));
        add(family("petrel_manager_events_forgotten_total", kCounter,
                   "Events that the agent's history dropped before the manager had them."),
            {}, count(report.forgotten));
    }

    void devices(const std::vector<DeviceReport>& reports)
    {
        std::vector<const DeviceReport*> all;
        std::vector<const DeviceReport*> with_past;
        auto& info = family("petrel_device_info", kGauge, "The driver of the device; always 1.");
        for (const auto& device : reports) {
            all.push_back(&device);
            if (device.poll_us > 0) {
                with_past.push_back(&device);
            }
            add(info, with(labels_of(device), "driver", device.driver), 1);
        }
        auto& condition = family("petrel_device_condition", kGauge, "1 for the condition the device is in, else 0.");
        for (const auto& device : reports) {
            add_states(condition, labels_of(device), "condition", device.condition);
        }
        rows<DeviceReport>(kOfDevice, all);
        rows<DeviceReport>(kOfPast, with_past);
        unseen(reports);
    }

    void unseen(const std::vector<DeviceReport>& reports)
    {
        auto& family =
            this->family("petrel_queue_unseen", kGauge, "A queue that is configured and cannot be watched; always 1.");
        for (const auto& device : reports) {
            for (const auto& queue : device.unseen | std::views::take(kMostQueuesInMetrics)) {
                const auto colon = queue.queue.rfind(':');
                add(family,
                    with(with(labels_of(device), "port", queue.queue.substr(0, colon)), "priority",
                         colon == std::string::npos ? "port" : queue.queue.substr(colon + 1)),
                    1);
            }
        }
    }

    void queues(std::vector<const QueueReport*> reports)
    {
        const auto left_out = cut(reports);
        add(family("petrel_queues_left_out", kGauge, "Queues that had storms, but get no series: there are too many."),
            {}, count(left_out));
        auto& phase = family("petrel_queue_phase", kGauge, "1 for the phase the queue is in, else 0.");
        auto& packets = family("petrel_queue_storm_packets_total", kCounter,
                               "Packets of the queue while it was mitigated, by direction and fate.");
        for (const auto* queue : reports) {
            const auto labels = labels_of(*queue);
            add_states(phase, labels, "phase", phase_of(*queue));
            const std::tuple<const char*, const char*, std::uint64_t> fates[] = {{"tx", "ok", queue->tx_ok},
                                                                                 {"tx", "drop", queue->tx_drop},
                                                                                 {"rx", "ok", queue->rx_ok},
                                                                                 {"rx", "drop", queue->rx_drop}};
            for (const auto& [direction, fate, number] : fates) {
                add(packets, with(with(labels, "direction", direction), "fate", fate), count(number));
            }
        }
        rows<QueueReport>(kOfQueue, reports);
    }

    // The intervals of queues for which the device detects storms itself.
    void intervals(std::span<const QueueReport> reports)
    {
        auto& family = this->family("petrel_interval_seconds", kGauge,
                                    "Intervals of a queue that its device watches: as configured, as programmed, as "
                                    "the device shows them.");
        std::size_t shown = 0;
        for (const auto& queue : reports) {
            if (!queue.detect_interval.programmed_us || ++shown > kMostQueuesInMetrics) {
                continue;
            }
            for (const auto& [timer, interval] :
                 {std::pair{"detect", &queue.detect_interval}, std::pair{"restore", &queue.restore_interval}}) {
                const auto put = [&, labels = with(labels_of(queue), "timer", timer)](const char* value,
                                                                                      std::optional<std::int64_t> us) {
                    if (us) {
                        add(family, with(labels, "value", value), seconds_from_us(*us));
                    }
                };
                put("configured", interval->configured_us);
                put("programmed", interval->programmed_us);
                put("observed", interval->observed_us);
            }
        }
    }

    // Every watched queue that pauses: the busiest one by one, the others as the port "*".
    void pauses(std::span<const DevicePauses> devices)
    {
        constexpr const char* kOthers = "*";
        auto& pausing =
            family("petrel_device_pausing_queues", kGauge, "Watched queues that were paused in the last second.");
        auto& paused = family("petrel_queue_paused_seconds_total", kCounter,
                              "Time for which a watched queue was paused; the port * is the sum of all others.");
        auto& frames = family("petrel_queue_pfc_frames_total", kCounter,
                              "PFC frames that a watched queue received; the port * is the sum of all others.");
        for (const auto& device : devices) {
            add(pausing, {label("device", device.device)}, count(device.pausing));
            for (const auto& queue : device.queues) {
                const MetricLabels labels{
                    label("device", device.device), label("port", queue.priority ? queue.port : kOthers),
                    label("priority", queue.priority ? fmt::format("{}", *queue.priority) : kOthers)};
                if (queue.counts.paused_us) {
                    add(paused, labels, seconds_from_us(static_cast<std::int64_t>(*queue.counts.paused_us)));
                }
                if (queue.counts.pfc_frames) {
                    add(frames, labels, count(*queue.counts.pfc_frames));
                }
            }
        }
    }

    std::string text() const
    {
        std::string text;
        for (const auto& family : all_) {
            write_family(text, family);
        }
        return text;
    }

private:
    std::deque<MetricFamily> all_;  // a deque: references to families stay valid while others are added
};

}  // namespace

std::string metrics_text(const StatusReport& status, std::span<const QueueReport> queues,
                         std::span<const DevicePauses> pauses)
{
    Families families;
    families.agent(status);
    families.devices(status.devices);
    families.queues(with_a_past(queues));
    families.intervals(queues);
    families.pauses(pauses);
    return families.text();
}

}  // namespace petrel::daemon
