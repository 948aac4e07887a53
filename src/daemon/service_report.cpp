// Reports of the whole service, for the control socket and for metrics.
#include <fmt/format.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <utility>

#include "daemon/metrics.hpp"
#include "daemon/service.hpp"

namespace petrel::daemon {

namespace {

using namespace std::chrono_literals;

// How long a request for metrics waits for the loop.
constexpr auto kMetricsPatience = 2s;

}  // namespace

ServiceSnapshot Service::snapshot() const
{
    ServiceSnapshot made;
    auto& report = made.status;
    report.name = config_.name;
    report.version = options_.version;
    report.config = config_.file;
    report.pid = ::getpid();
    report.up_ms = whole_ms(loop_->now().mono - started_);
    report.stop_policy = config_.stop == codec::StopPolicy::hold ? "hold" : "restore";
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
    report.log_lines_dropped = log_->dropped();
    const auto control = control_->counters();
    report.control = {control.connections, control.refused, control.bad, control.dropped_slow};
    report.reload = reload_;
    for (const auto& runner : runners_) {
        report.events += runner->memory().events().size();
        report.devices.push_back(runner->report());
        made.devices.push_back(runner->snapshot());
    }
    return made;
}

// Runs in the listener's thread: the loop only makes the snapshot, and this thread renders the text.
std::optional<std::string> Service::metrics()
{
    const auto promise = std::make_shared<std::promise<ServiceSnapshot>>();
    auto asked = promise->get_future();
    loop_->post([this, promise] { promise->set_value(snapshot()); });
    if (asked.wait_for(kMetricsPatience) != std::future_status::ready) {
        return std::nullopt;
    }
    const auto now = asked.get();
    std::vector<codec::QueueReport> queues;
    for (const auto& device : now.devices) {
        for (std::uint32_t row = 0; device && row != device->rows.size(); ++row) {
            const auto& state = device->rows[row];
            // Leave out queues without a storm and without self-detection: they have no series.
            if (!at_rest(state.phase) || state.stats.detected != 0 || device->self_watched->contains(Slot{row})) {
                queues.push_back(queue_report(*device, Slot{row}));
            }
        }
    }
    return metrics_text(whole_status(now), queues);
}

}  // namespace petrel::daemon
