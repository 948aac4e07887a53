// The report of the whole service, for the control socket and for metrics.
#include <fmt/format.h>
#include <unistd.h>

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
    report.red_switch = policies_->file().big_red_switch;
    if (nos_) {
        report.nos = nos_->name();
        report.nos_trouble = nos_->trouble().empty() ? nos_refused_ : nos_->trouble();
    }
    report.state_errors = state_errors_;
    if (!state_errors_now_.empty()) {
        const auto& [device, error] = *state_errors_now_.begin();
        report.state_error = fmt::format("{}: {}", device, error);
    }
    report.files_lost = files_lost_;
    report.file_lost = file_lost_;
    report.log_lines_dropped = log_->dropped() + switch_logs_.dropped();
    report.control = control_->counters();
    report.reload = reload_;
    for (const auto& runner : runners_) {
        report.events += runner->memory().events().size();
        report.devices.push_back(runner->report());
        made.devices.push_back(runner->snapshot());
    }
    return made;
}

}  // namespace petrel::daemon
