// What is shown of the service as a whole, to whoever asks at the control socket or for metrics.
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

// So long a reader of metrics waits for the loop.
constexpr auto kMetricsPatience = 2s;

}  // namespace

codec::StatusReport Service::status() const
{
    codec::StatusReport report;
    report.name = config_.name;
    report.version = options_.version;
    report.config = config_.file;
    report.pid = ::getpid();
    report.up_ms = whole_ms(loop_->now().mono - started_);
    report.stop_policy = config_.stop == codec::StopPolicy::hold ? "hold" : "restore";
    report.red_switch = policies_->big_red_switch;
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
    const auto& control = control_->counters();
    report.control = {control.connections, control.refused, control.bad, control.dropped_slow};
    report.reload = reload_;
    for (const auto& runner : runners_) {
        report.events += runner->state().events().size();
        report.devices.push_back(runner->report());
    }
    return report;
}

// In the listener's thread: the loop hands the numbers out, the text is made here.
std::optional<std::string> Service::metrics()
{
    struct Numbers {
        codec::StatusReport status;
        std::vector<codec::QueueReport> queues;
    };
    const auto promise = std::make_shared<std::promise<Numbers>>();
    auto numbers = promise->get_future();
    loop_->post([this, promise] {
        Numbers now{status(), {}};
        for (const auto& runner : runners_) {
            if (runner->agent() == nullptr) {
                continue;
            }
            const auto& dog = runner->agent()->watchdog();
            for (std::uint32_t row = 0; row != dog.watchlist().rows.size(); ++row) {
                // Most queues never were in a storm: those are not even looked at closely.
                if (!at_rest(dog.phase(Slot{row})) || dog.stats(Slot{row}, loop_->now().mono).detected != 0 ||
                    runner->self_watched(Slot{row}) != nullptr) {
                    now.queues.push_back(queue_report(*runner, Slot{row}, loop_->now().mono));
                }
            }
        }
        promise->set_value(std::move(now));
    });
    if (numbers.wait_for(kMetricsPatience) != std::future_status::ready) {
        return std::nullopt;
    }
    const auto now = numbers.get();
    return metrics_text(now.status, now.queues);
}

}  // namespace petrel::daemon
