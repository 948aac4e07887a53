#include "daemon/service_snapshot.hpp"

#include <cstdint>
#include <utility>

#include "daemon/metrics.hpp"
#include "runner/device_runner.hpp"

namespace petrel::daemon {

control::StatusReport whole_status(ServiceSnapshot snapshot)
{
    for (std::size_t i = 0; i != snapshot.devices.size(); ++i) {
        if (snapshot.devices[i]) {
            runner::count_rows(*snapshot.devices[i], snapshot.status.devices[i]);
        }
    }
    return std::move(snapshot.status);
}

std::string whole_metrics(const ServiceSnapshot& snapshot)
{
    std::vector<control::QueueReport> queues;
    for (const auto& device : snapshot.devices) {
        for (std::uint32_t row = 0; device && row != device->rows.size(); ++row) {
            const auto& state = device->rows[row];
            // Leave out queues without a storm and without self-detection: they have no series.
            if (!runner::at_rest(state.phase) || state.stats.detected != 0 ||
                device->delegations->contains(Slot{row})) {
                queues.push_back(runner::queue_report(*device, Slot{row}));
            }
        }
    }
    return metrics_text(whole_status(snapshot), queues, snapshot.pauses);
}

}  // namespace petrel::daemon
