// The surroundings of the service in a process: an event loop, threads, signals, a socket, an HTTP listener.
#pragma once

#include <memory>

#include "daemon/surroundings.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/signals.hpp"

namespace petrel::daemon {

class Service;

class ProcessSurroundings final : public Surroundings {
public:
    static Result<std::unique_ptr<ProcessSurroundings>> make();

    // Returns after a signal; see Service::finish().
    Result<void> run(Service&);

    runner::Loop& loop() override { return *loop_; }
    void stop() override { loop_->stop(); }
    const device::TimeSource& clock() const override { return clock_; }
    std::unique_ptr<runner::Worker> make_worker(std::size_t most_jobs) override;
    Result<void> on_signals(std::function<void(int signal)> call) override;
    Result<std::unique_ptr<Log>> open_log(config::LogFormat, std::string_view to, std::string_view agent_name) override;
    Result<std::unique_ptr<RawLog>> open_switch_log(std::string_view to) override;
    Result<std::unique_ptr<Control>> open_control(ControlSetup) override;
    Result<std::unique_ptr<MetricsListener>> listen_for_metrics(std::string_view host_port,
                                                                std::function<ServiceSnapshot()> look) override;

private:
    explicit ProcessSurroundings(std::unique_ptr<runtime::EventLoop> loop) : loop_(std::move(loop)) {}

    runtime::SystemClock clock_;
    std::unique_ptr<runtime::EventLoop> loop_;
    std::unique_ptr<runtime::Signals> signals_;
};

}  // namespace petrel::daemon
