#include "api/manager_metrics.hpp"

#include <fmt/format.h>

#include "daemon/metric_family.hpp"
#include "link/taxonomy.hpp"

namespace petrel::api {

namespace {

using daemon::MetricFamily;
using daemon::MetricLabels;
using daemon::MetricType;
using daemon::MetricValue;

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
    return text;
}

}  // namespace petrel::api
