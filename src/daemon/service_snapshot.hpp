// The service at one moment. The loop only makes the snapshot; other threads render it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/report.hpp"
#include "daemon/metrics.hpp"
#include "runner/device_snapshot.hpp"

namespace petrel::daemon {

struct ServiceSnapshot {
    control::StatusReport status;  // without the fields that count_rows() adds for each device
    std::vector<std::shared_ptr<const runner::DeviceSnapshot>> devices;  // in the order of `status`; null = not watched
    std::vector<DevicePauses> pauses;                                    // for metrics
};

control::StatusReport whole_status(ServiceSnapshot);
std::string whole_metrics(const ServiceSnapshot&);

}  // namespace petrel::daemon
