#include "daemon/process_surroundings.hpp"

#include <signal.h>

#include <future>
#include <utility>

#include "daemon/control_thread.hpp"
#include "daemon/service.hpp"
#include "runtime/worker_thread.hpp"

namespace petrel::daemon {

namespace {

// How long a request for metrics waits for the loop.
constexpr auto kMetricsPatience = std::chrono::seconds{2};

// Makes a pointer to the interface from one to the implementation.
template <class Interface, class Implementation>
Result<std::unique_ptr<Interface>> as(Result<std::unique_ptr<Implementation>> made)
{
    return std::move(made).map(
        [](std::unique_ptr<Implementation> it) { return std::unique_ptr<Interface>{std::move(it)}; });
}

}  // namespace

Result<std::unique_ptr<ProcessSurroundings>> ProcessSurroundings::make()
{
    return runtime::EventLoop::make().map([](std::unique_ptr<runtime::EventLoop> loop) {
        return std::unique_ptr<ProcessSurroundings>{new ProcessSurroundings{std::move(loop)}};
    });
}

Result<void> ProcessSurroundings::run(Service& service)
{
    service.start();
    loop_->run();
    return service.finish();
}

std::unique_ptr<runner::Worker> ProcessSurroundings::make_worker(std::size_t most_jobs)
{
    return std::make_unique<runtime::WorkerThread>(most_jobs);
}

Result<void> ProcessSurroundings::on_signals(std::function<void(int signal)> call)
{
    return runtime::Signals::make(*loop_, {SIGTERM, SIGINT, SIGHUP}, std::move(call))
        .map([this](std::unique_ptr<runtime::Signals> signals) { signals_ = std::move(signals); });
}

Result<std::unique_ptr<Log>> ProcessSurroundings::open_log(config::LogFormat format, std::string_view to,
                                                           std::string_view agent_name)
{
    return Log::open(format, to, agent_name);
}

Result<std::unique_ptr<RawLog>> ProcessSurroundings::open_switch_log(std::string_view to) { return RawLog::open(to); }

Result<std::unique_ptr<Control>> ProcessSurroundings::open_control(ControlSetup setup)
{
    return as<Control>(ControlThread::start(*loop_, std::move(setup)));
}

// The listener's thread waits for the loop to make the snapshot, and renders it.
Result<std::unique_ptr<MetricsListener>> ProcessSurroundings::listen_for_metrics(std::string_view host_port,
                                                                                 std::function<ServiceSnapshot()> look)
{
    const auto text = [this, look = std::move(look)]() -> std::optional<std::string> {
        const auto promise = std::make_shared<std::promise<ServiceSnapshot>>();
        auto snapshots = promise->get_future();
        loop_->post([look, promise] { promise->set_value(look()); });
        if (snapshots.wait_for(kMetricsPatience) != std::future_status::ready) {
            return std::nullopt;
        }
        return whole_metrics(snapshots.get());
    };
    return as<MetricsListener>(MetricsServer::listen(host_port, text));
}

}  // namespace petrel::daemon
