// Everything around the service that it needs to run: the loop, workers, signals, the log, the clients of the control
// commands and the listener for metrics. A process has real ones (process_surroundings.hpp); a test simulates them.
//
// Contract: it outlives the service. All calls are made in the loop's thread, and all callbacks run there.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "daemon/control.hpp"
#include "daemon/log.hpp"
#include "daemon/metrics_server.hpp"
#include "daemon/raw_log.hpp"
#include "daemon/service_snapshot.hpp"
#include "device/device.hpp"
#include "runner/loop.hpp"
#include "runner/worker.hpp"

namespace petrel::daemon {

class Surroundings {
public:
    virtual ~Surroundings() = default;
    virtual runner::Loop& loop() = 0;
    virtual void stop() = 0;                              // ends the loop: the service has done everything
    virtual const device::TimeSource& clock() const = 0;  // may be read in any thread
    virtual std::unique_ptr<runner::Worker> make_worker(std::size_t most_jobs) = 0;

    // Calls `call` with SIGTERM, SIGINT or SIGHUP.
    virtual Result<void> on_signals(std::function<void(int signal)> call) = 0;

    // Parameters as for Log::open().
    virtual Result<std::unique_ptr<Log>> open_log(config::LogFormat, std::string_view to,
                                                  std::string_view agent_name) = 0;
    // The log of a switch, besides the agent's. Parameters as for RawLog::open().
    virtual Result<std::unique_ptr<RawLog>> open_switch_log(std::string_view to) = 0;
    virtual Result<std::unique_ptr<Control>> open_control(ControlSetup) = 0;

    // `look` is called for each request.
    virtual Result<std::unique_ptr<MetricsListener>> listen_for_metrics(std::string_view host_port,
                                                                        std::function<ServiceSnapshot()> look) = 0;
};

}  // namespace petrel::daemon
