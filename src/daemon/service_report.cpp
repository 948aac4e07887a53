// The report of the whole service, for the control socket and for metrics.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/service.hpp"

namespace petrel::daemon {

ServiceSnapshot Service::snapshot() const
{
    ServiceSnapshot made;
    auto& report = made.status;
    report.name = config_.name;
    report.version = options_.version;
    report.config = config_.file;
    report.pid = ::getpid();
    report.up_ms = whole_ms(loop_.now().mono - started_);
    report.stop_policy = config_.stop;
    report.red_switch =
        policies_->file().big_red_switch || std::ranges::any_of(runners_, [now = loop_.now().mono](const auto& runner) {
            return red_switch_by_order(*runner, now);
        });
    if (nos_) {
        report.nos = nos_->name();
        report.nos_trouble = nos_->trouble().empty() ? nos_refused_ : nos_->trouble();
    }
    if (nos_ || !pushed_.policies.empty()) {
        list_policies(report);
    }
    report.idle_policies = idle_policies_;
    report.unknown_ports = unknown_ports_;
    report.state_errors = state_errors_;
    if (!state_errors_now_.empty()) {
        const auto& [device, error] = *state_errors_now_.begin();
        report.state_error = fmt::format("{}: {}", device, error);
    }
    report.files_lost = files_lost_;
    report.file_lost = file_lost_;
    report.log_lines_dropped = log_->dropped() + switch_logs_.dropped();
    if (uplink_) {
        report.manager = uplink_->report();
    }
    report.control = control_->counters();
    report.reload = reload_;
    for (const auto& runner : runners_) {
        report.events += runner->memory().events().size();
        report.devices.push_back(runner->report());
        made.devices.push_back(runner->snapshot());
    }
    return made;
}

ServiceSnapshot Service::snapshot_for_metrics() const
{
    auto made = snapshot();
    for (const auto& [device, metered] : metered_) {
        made.pauses.push_back({device, metered.meter.pausing(), metered.meter.queues()});
    }
    return made;
}

// In the order of in_layers().
void Service::list_policies(control::StatusReport& report) const
{
    const auto& own = config_.policies.policies;
    const auto general = std::ranges::count_if(own, [](const auto& entry) { return entry.ports.empty(); });
    const auto of_nos = nos_policies_ ? std::ssize(nos_policies_->policies) : 0;
    const auto base = nos_ ? of_nos : general;
    for (const auto& entry : policies_->file().policies) {
        const auto position = std::ssize(report.policies);
        const bool pushed = position >= base && position < base + std::ssize(pushed_.policies);
        const auto weakest = nos_ ? std::string{nos_->name()} : config_.file;
        report.policies.push_back({entry.policy.name,
                                   pushed            ? "pushed"
                                   : position < base ? weakest
                                                     : config_.file,
                                   entry.ports.size()});
    }
}

}  // namespace petrel::daemon
