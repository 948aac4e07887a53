#include "api/manager_metrics.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "daemon/metric_family.hpp"
#include "link/taxonomy.hpp"

namespace petrel::api {

namespace {

using daemon::MetricFamily;
using daemon::MetricLabels;
using daemon::MetricType;
using daemon::MetricValue;

std::vector<MetricValue> disagreements(const std::vector<fabric::ShownPort>& ports)
{
    std::vector<MetricValue> values;
    for (const auto& port : ports) {
        if (!port.disagreement.empty()) {
            values.push_back({{{"device", port.name.device}, {"port", port.name.port}}, 1});
        }
    }
    return values;
}

// Closed errors are counted as long as their events are kept.
std::vector<MetricValue> errors_by_cause(const std::vector<fabric::ShownPort>& ports)
{
    std::map<std::pair<std::string, std::string>, double> counts;
    for (const auto& port : ports) {
        for (const auto& error : port.errors) {
            ++counts[{port.name.device, link::symbol_of(error.cause)}];
        }
    }
    std::vector<MetricValue> values;
    for (const auto& [key, count] : counts) {
        values.push_back({{{"device", key.first}, {"cause", key.second}}, count});
    }
    return values;
}

// One value for each end that is down or quarantined.
std::vector<MetricValue> link_ends(const std::vector<fabric::ShownLink>& links, bool (*holds)(const fabric::ShownEnd&))
{
    std::vector<MetricValue> values;
    const auto add = [&](const fabric::ShownEnd& end, const std::optional<fabric::ShownEnd>& other) {
        if (holds(end)) {
            values.push_back({{{"device", end.name.device},
                               {"port", end.name.port},
                               {"neighbour", other ? fmt::format("{} {}", other->name.device, other->name.port) : ""}},
                              1});
        }
    };
    for (const auto& link : links) {
        add(link.end, link.far_end);
        if (link.far_end) {
            add(*link.far_end, link.end);
        }
    }
    return values;
}

std::vector<MetricValue> port_errors(const manager::Manager& manager, Instant now)
{
    std::vector<MetricValue> values;
    for (const auto& storm : manager.view().storms(now)) {
        const auto& far = storm.neighbour;
        values.push_back({{{"device", storm.port.device},
                           {"port", storm.port.port},
                           {"priority", storm.error.priority ? fmt::format("{}", storm.error.priority->value) : ""},
                           {"cause", link::symbol_of(storm.error.cause)},
                           {"neighbour", far ? fmt::format("{} {}", far->device, far->port) : ""}},
                          1});
    }
    return values;
}

}  // namespace

std::string manager_metrics(const manager::Manager& manager, Now now, const ServiceCounts& counts)
{
    std::vector<MetricValue> reporting;
    std::vector<MetricValue> missing;
    for (const auto& device : manager.view().devices(now.mono)) {
        const MetricLabels labels{{"device", device.name}};
        reporting.push_back({labels, device.sight.reports ? 1.0 : 0.0});
        missing.push_back({labels, static_cast<double>(device.missing)});
    }
    const auto ports = manager.view().ports(now.mono);
    const auto links = manager.view().links(now);
    const auto one = [](auto value) { return std::vector<MetricValue>{{{}, static_cast<double>(value)}}; };
    std::string text;
    for (const auto& family : {
             MetricFamily{"petrel_manager_device_reporting",
                          "1: the device reported in the last minute. 0: its state is unknown.", MetricType::gauge,
                          reporting},
             MetricFamily{"petrel_manager_device_events_missing",
                          "Events of the device that the manager did not receive.", MetricType::gauge, missing},
             MetricFamily{"petrel_manager_port_error", "1: an error of the port is open, although its link is up.",
                          MetricType::gauge, port_errors(manager, now.mono)},
             MetricFamily{"petrel_manager_port_errors", "Errors of ports that are remembered, open and closed.",
                          MetricType::gauge, errors_by_cause(ports)},
             MetricFamily{"petrel_manager_link_down", "1: by its last report this end of the link is down.",
                          MetricType::gauge, link_ends(links, [](const auto& end) { return end.down(); })},
             MetricFamily{"petrel_manager_link_quarantined", "1: the link goes down too often.", MetricType::gauge,
                          link_ends(links, [](const auto& end) { return end.quarantined; })},
             MetricFamily{"petrel_manager_neighbour_disagreement",
                          "1: cables, agent and other end do not name the same neighbour of the port.",
                          MetricType::gauge, disagreements(ports)},
             MetricFamily{"petrel_manager_reports_total", "Reports that were stored.", MetricType::counter,
                          one(counts.reports)},
             MetricFamily{"petrel_manager_events_total", "New events that were stored.", MetricType::counter,
                          one(counts.events)},
             MetricFamily{"petrel_manager_requests_refused_total", "Requests that were refused.", MetricType::counter,
                          one(counts.refused)},
             MetricFamily{"petrel_manager_store_failures_total", "Writes of the store that failed.",
                          MetricType::counter, one(counts.failures)},
             MetricFamily{"petrel_manager_log_lines_total",
                          "Lines of switch logs. other: about something else. refused: not RFC 5424, too long, or of a "
                          "sender that is not allowed.",
                          MetricType::counter,
                          {{{{"result", "taken"}}, static_cast<double>(counts.logs_taken)},
                           {{{"result", "other"}}, static_cast<double>(counts.logs_other)},
                           {{{"result", "refused"}}, static_cast<double>(counts.logs_refused)}}},
             MetricFamily{"petrel_manager_event_viewers", "Clients that follow the events.", MetricType::gauge,
                          one(counts.viewers)},
         }) {
        daemon::write_family(text, family);
    }
    if (const auto& group = counts.group) {
        for (const auto& family : {
                 MetricFamily{"petrel_manager_leader", "1: of the managers that share a log, this one leads.",
                              MetricType::gauge, one(group->leads ? 1 : 0)},
                 MetricFamily{"petrel_manager_group_good",
                              "1: it leads, or follows a leader. 0: no quorum, no leader, or a log that does not fit.",
                              MetricType::gauge, one(group->good ? 1 : 0)},
                 MetricFamily{"petrel_manager_log_entry", "The last entry of the log that this manager has stored.",
                              MetricType::gauge, one(group->entry)},
                 MetricFamily{"petrel_manager_log_behind", "Entries of the log that it has not stored yet.",
                              MetricType::gauge, one(group->behind)},
             }) {
            daemon::write_family(text, family);
        }
    }
    return text;
}

}  // namespace petrel::api
