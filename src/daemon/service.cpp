#include "daemon/service.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <system_error>

#include "base/complaint_text.hpp"
#include "config/policy_bind.hpp"
#include "daemon/configuration.hpp"
#include "daemon/log_text.hpp"
#include "daemon/metrics.hpp"
#include "daemon/notify.hpp"
#include "daemon/uplink_files.hpp"
#include "http/listening_socket.hpp"
#include "runtime/helper_process.hpp"
#include "runtime/random_digits.hpp"
#include "runtime/start_guard.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using namespace std::chrono_literals;

// After this time the service is ready if at least one device has had a good look; before, only if all have.
constexpr Duration kReadyPatience = 10s;

constexpr Duration kNamesEvery = 1s;

std::string_view signal_name(int signal)
{
    return signal == SIGHUP ? "SIGHUP" : signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace

Service::Service(config::AgentConfig config, ServiceOptions options, Surroundings& around)
    : config_(named(std::move(config))),
      options_(std::move(options)),
      policies_(std::make_shared<FilePolicies>(config_.policies)),
      around_(around),
      loop_(around.loop()),
      started_(loop_.now().mono),
      desk_(*this),
      reader_(around.make_worker(2))
{}

Service::~Service()
{
    metrics_.reset();  // its thread calls the service
    control_.reset();  // so does this thread
}

Result<std::unique_ptr<Service>> Service::make(config::AgentConfig config, ServiceOptions options, Surroundings& around)
{
    std::unique_ptr<Service> service{new Service{std::move(config), std::move(options), around}};
    if (auto made = service->set_up(); !made) {
        return tl::unexpected(std::move(made.error()));
    }
    return service;
}

Result<void> Service::set_up()
{
    // Before the log, the control thread and the listener are started, so that their threads inherit the blocked
    // signals.
    if (auto signals = around_.on_signals([this](int signal) { handle_signal(signal); }); !signals) {
        return tl::unexpected(std::move(signals.error()));
    }
    auto log = around_.open_log(config_.log_format, config_.log_to, config_.name);
    if (!log) {
        return tl::unexpected(std::move(log.error()));
    }
    log_ = std::make_unique<LimitedLog>(loop_, std::move(*log));
    std::error_code failed;
    std::filesystem::create_directories(config_.state_dir, failed);
    if (failed) {
        return tl::unexpected(Error{ErrorKind::denied, fmt::format("cannot make the folder for the state, {}: {}",
                                                                   config_.state_dir.string(), failed.message())});
    }
    load_pushed();
    if (options_.nos) {
        policies_ = std::make_shared<FilePolicies>(config::PolicyFile{});  // until the NOS supplies its policies
        nos_ = std::make_unique<NosRunner>(
            loop_, around_.make_worker(NosRunner::kMostJobs), std::move(options_.nos), runners_,
            NosRunner::Calls{[this](config::PolicyFile policies) { configured(std::move(policies)); },
                             [this](const Log::Line& line) { this->log(line); }});
        nos_->set_overrides(policies_by_port(config_.policies, {}));
    }
    return make_runners().and_then([this] { return make_uplink(); }).and_then([this] { return open_listeners(); });
}

Result<void> Service::make_uplink()
{
    if (config_.manager_url.empty()) {
        return {};
    }
    if (!options_.manager_clients) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, "manager.url: this program cannot report to a manager; `petrel agent` can"});
    }
    const auto log_call = [this](const Log::Line& line) { log(line); };
    auto channel = HttpChannel::make(loop_, around_.make_worker(HttpChannel::kMostJobs),
                                     {options_.manager_clients, options_.renew_certificate}, config_, log_call);
    if (!channel) {
        return tl::unexpected(channel.error());
    }
    auto files = UplinkFiles::open(config_, log_call);
    if (!files) {
        return tl::unexpected(files.error());
    }
    runner::UplinkRunner::Setup setup{
        .agent = config_.name,
        .boot = runtime::random_digits(),
        .version = options_.version,
        .manager = config_.manager_url,
        .history_events = config_.history_events,
        .channel = std::move(*channel),
        .memory = std::move(*files),
        .worker = around_.make_worker(runner::UplinkRunner::kMostJobs),
        .neighbours = [this](std::string_view device) { return runner::neighbours_of(policies_->file(), device); },
        .log = log_call,
        .reached = [this](std::string_view point) { reached(point); }};
    uplink_ = std::make_unique<runner::UplinkRunner>(loop_, runners_, std::move(setup));
    return make_commands();
}

Result<void> Service::make_commands()
{
    CommandRunner::Calls calls{[this](const control::ControlRequest& request, const std::string& by,
                                      CommandRunner::Calls::Done done) { execute(request, by, std::move(done)); },
                               [this](std::string_view text) { return has_event(text); },
                               [this](const Log::Line& line) { log(line); },
                               [this](std::string_view point) { reached(point); }};
    return CommandRunner::make(
               loop_, {around_.make_worker(CommandRunner::kMostJobs), around_.make_worker(CommandRunner::kMostJobs)},
               options_.manager_clients, config_, std::move(calls))
        .map([this](std::unique_ptr<CommandRunner> made) { commands_ = std::move(made); });
}

void Service::start_commands()
{
    if (commands_) {
        commands_->start();
    }
}

// As for a client of the control socket. Only an explanation needs the history.
void Service::execute(const control::ControlRequest& request, const std::string& by, CommandRunner::Calls::Done done)
{
    desk_.handle(request, by, [this, request, done = std::move(done)](const ControlAnswer& answer) {
        EventHistory history{config_.history_events};
        if (request.command == control::ControlRequest::Command::explain) {
            for (const auto& runner : runners_) {
                for (const auto& event : runner->memory().events()) {
                    history.add(runner->name(), event.seq, event.json);
                }
            }
        }
        done(answer(history));
    });
}

bool Service::has_event(std::string_view text) const
{
    return std::ranges::any_of(runners_, [&](const auto& runner) {
        return std::ranges::any_of(runner->memory().events(),
                                   [&](const auto& event) { return event.json.find(text) != std::string::npos; });
    });
}

Result<void> Service::make_runners()
{
    for (const auto& entry : config_.devices) {
        auto* driver = find_driver(options_.drivers, entry);
        if (driver == nullptr) {
            return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no driver for '{}'", entry.driver)});
        }
        auto expanded = driver->expand(entry);
        if (!expanded) {
            return tl::unexpected(std::move(expanded.error()));
        }
        for (auto& device : *expanded) {
            const auto same = [&](const auto& other) { return other->name() == device.name; };
            if (!good_name(device.name) || std::ranges::any_of(runners_, same)) {
                return tl::unexpected(Error{
                    ErrorKind::invalid,
                    fmt::format("device '{}' ({}): a device needs a unique name of letters, digits, '.', '_' and '-'",
                                escaped(device.name), device.driver)});
            }
            auto logs = switch_logs_.add(device.name, entry.switch_log,
                                         [this](std::string_view to) { return around_.open_switch_log(to); });
            if (!logs) {
                return logs;
            }
            RunnerSetup setup{.entry = std::move(device),
                              .id = DeviceId{static_cast<std::uint32_t>(runners_.size())},
                              .driver = driver,
                              .clock = &around_.clock(),
                              .worker = around_.make_worker(runner::kMostJobs),
                              .state_dir = config_.state_dir,
                              .history_events = config_.history_events,
                              .hang_after = config_.hang_after,
                              .fault_hook = {}};
            if (options_.reached) {
                setup.fault_hook = [this](device::FaultPoint point) { reached(device::name(point)); };
            }
            auto runner = make_runner(loop_, *this, std::move(setup), policies_);
            if (!runner) {
                return tl::unexpected(std::move(runner.error()));
            }
            runners_.push_back(std::move(*runner));
        }
    }
    if (runners_.empty()) {
        return tl::unexpected(
            Error{ErrorKind::invalid, "there is no device to watch: name one with [[device]] or --device"});
    }
    return {};
}

Result<void> Service::open_listeners()
{
    std::error_code ignored;
    std::filesystem::create_directories(config_.control_socket.parent_path(), ignored);
    EventHistory history{config_.history_events};
    std::vector<std::string> devices;
    for (const auto& runner : runners_) {
        devices.push_back(runner->name());
        for (const auto& event : runner->memory().events()) {
            history.add(runner->name(), event.seq, event.json);
        }
    }
    auto control = around_.open_control(
        {.socket = config_.control_socket,
         .group = config_.control_group,
         .devices = std::move(devices),
         .history = std::move(history),
         .handle_request = [this](const control::ControlRequest& request, const std::string& by,
                                  const ControlReply& reply) { desk_.handle(request, by, reply); }});
    if (!control) {
        return tl::unexpected(std::move(control.error()));
    }
    control_ = std::move(*control);
    if (config_.metrics_listen.empty()) {
        return {};
    }
    auto metrics = around_.listen_for_metrics(config_.metrics_listen, [this] { return snapshot_for_metrics(); });
    if (!metrics) {
        return tl::unexpected(std::move(metrics.error()));
    }
    metrics_ = std::move(*metrics);
    meter_pauses();
    return {};
}

// The counters of a device cannot be read during a look, which may take most of the time.
void Service::meter_pauses()
{
    constexpr std::chrono::milliseconds kRetry{100};
    constexpr std::chrono::seconds kMeterEvery{1};
    const auto now = loop_.now().mono;
    auto next = now + kMeterEvery;
    for (const auto& runner : runners_) {
        auto& metered = metered_[runner->name()];
        if (now >= metered.next && runner->agent() != nullptr && runner->intake() != nullptr) {
            metered.meter.read(runner->agent()->watchdog().watchlist(), *runner->intake());
            metered.next = now + kMeterEvery;
        }
        next = std::min(next, std::max(metered.next, now + kRetry));
    }
    loop_.at(next, [this] { meter_pauses(); });
}

void Service::start()
{
    // Count the start only here: a start that failed earlier, in make(), has used no device.
    start_wait_ = runtime::note_start(config_.state_dir / "starts", loop_.now().wall);
    note(Log::Level::notice, "agent_started",
         fmt::format("petrel {} watches {}; configuration: {}; metrics: {}", options_.version,
                     count_text(runners_.size(), "device"), config_.file.empty() ? "defaults" : config_.file,
                     metrics_ ? fmt::format("port {}", metrics_->port()) : "off"));
    if (metrics_ && http::open_to_all(config_.metrics_listen)) {
        note(Log::Level::warning, "metrics_open_to_all", open_to_all_text(config_.metrics_listen));
    }
    reached("loaded");
    if (nos_) {
        nos_->start();
    } else {
        start_runners();
    }
    if (uplink_) {
        uplink_->start();
    }
    feed_watchdog();
    keep_names();
    loop_.at(started_ + kReadyPatience, [this] {
        check_ready();
        start_commands();
    });
}

Result<void> Service::finish()
{
    log_->count_suppressed(kNever);
    metrics_.reset();
    std::string left;
    for (const auto& runner : runners_) {
        if (!runner->stopped() || runner->left_behind() != 0) {
            left += (left.empty() ? "" : ", ") + runner->name();
            left += runner->left_details().empty() ? "" : fmt::format(" ({})", runner->left_details());
        }
    }
    if (!left.empty()) {
        Error error{
            ErrorKind::timed_out,
            fmt::format("not everything was stopped within {}: {}; the journal lists what is still in force there, and "
                        "the next start (or `petrel release-all`) restores it once the journal can be read",
                        seconds_text(config_.stop_timeout), left)};
        note(Log::Level::error, "stop_incomplete", error.what);
        return tl::unexpected(std::move(error));
    }
    runtime::forget_starts(config_.state_dir / "starts");
    note(Log::Level::notice, "agent_stopped", "stopped");
    reached("stopped");
    return {};
}

void Service::start_runners()
{
    runners_started_ = true;
    for (const auto& runner : runners_) {
        runner->start(start_wait_);
    }
}

// Applies the policies of the NOS. The runners start only after the first ones have arrived: without any policies they
// would undo every treatment in force.
void Service::configured(config::PolicyFile policies)
{
    if (stopping_) {
        return;
    }
    const auto next = std::make_shared<FilePolicies>(in_layers(config_.policies, pushed_, true, &policies));
    nos_refused_.clear();
    for (const auto& runner : runners_) {
        if (const auto fits = runner->check(*next); !fits) {
            nos_refused_ = fmt::format("the configuration of {} does not fit {}, the one before stays in force: {}",
                                       nos_->name(), runner->name(), to_text(fits.error(), "; "));
            return note(Log::Level::error, "nos_configuration_bad", nos_refused_);
        }
    }
    policies_ = next;
    nos_policies_ = std::make_shared<const config::PolicyFile>(std::move(policies));
    for (const auto& runner : runners_) {
        runner->change(policies_);
    }
    const std::vector of_file(next->file().policies.begin() + std::ssize(nos_policies_->policies) +
                                  std::ssize(pushed_.policies),
                              next->file().policies.end());
    note(Log::Level::notice, "nos_configured",
         fmt::format("{} configures {}{}", nos_->name(), sets_text(nos_policies_->policies),
                     of_file.empty() ? "" : fmt::format("; {} configures {}", config_.file, sets_text(of_file))));
    if (!runners_started_) {
        start_runners();
    }
    check_ready();
}

void Service::leave(int exit_code)
{
    control_.reset();
    log_.reset();  // writes the lines that wait
    switch_logs_ = {};
    runtime::HelperProcess::kill_all();
    std::_Exit(exit_code);
}

void Service::handle_signal(int signal)
{
    if (signal == SIGHUP) {
        return reload([](const auto&) {});
    }
    stop(std::string{signal_name(signal)});
}

void Service::stop(const std::string& why)
{
    if (stopping_) {
        return;
    }
    stopping_ = why;
    if (commands_) {
        commands_->stop();
    }
    const bool hold = config_.stop == config::StopPolicy::hold;
    const auto text = fmt::format("stops ({}): mitigated queues are {}", why, hold ? "held" : "restored");
    const auto to_close = 2 * config_.hang_after;  // half of it to close the devices, the rest for the NOS
    notify_stopping(text, config_.stop_timeout + to_close);
    note(Log::Level::notice, "agent_stopping", text);
    const auto end = loop_.now().mono + config_.stop_timeout;
    loop_.at(end, [this] {
        for (const auto& runner : runners_) {
            runner->give_up();
        }
    });
    loop_.at(end + to_close, [this] { around_.stop(); });
    for (const auto& runner : runners_) {
        runner->stop(config_.stop, why);
    }
    reached("stop_ordered");
}

// The log shows which user changed the tables, as an event shows which user gave an order.
void Service::tables(const control::ControlRequest& request, const std::string& by, Tables done)
{
    if (!nos_) {
        return done(
            tl::unexpected(Error{ErrorKind::unsupported, "this agent keeps no tables: set nos = \"own\" in [agent]"}));
    }
    nos_->tables(request, [this, changes = request.changes, by, done](const Result<control::TableReport>& answer) {
        if (answer && !changes.empty()) {
            note(Log::Level::notice, "tables_changed",
                 fmt::format("{} by {}{}", escaped(changes.front().key), by,
                             changes.size() == 1 ? "" : fmt::format(", and {} more", changes.size() - 1)));
        }
        done(answer);
    });
}

// -------------------------------------------------------------------------------------------- RunnerHost

void Service::log(const Log::Line& line) { log_->write(line); }

void Service::event_written(const DeviceRunner& runner, const watchdog::Watchlist& list, const watchdog::Event& event,
                            const std::string& json)
{
    log(event_line(event, list, runner.name()));
    switch_logs_.write(runner.name(), event, wall_time(loop_.now(), event.at), list.inventory.ports);
    control_->publish(runner.name(), event.seq, json);
    if (nos_) {
        nos_->event_written(runner, list, event);
    }
    if (uplink_) {
        uplink_->event_written();
    }
}

void Service::settled(const DeviceRunner&)
{
    if (stopping_ && std::ranges::all_of(runners_, [](const auto& runner) { return runner->stopped(); })) {
        const auto last = [this] { uplink_ ? uplink_->stop([this] { around_.stop(); }) : around_.stop(); };
        return nos_ ? nos_->stop(last) : last();
    }
    if (uplink_) {
        uplink_->look();
    }
    check_ready();
}

void Service::state_written(const DeviceRunner& runner, const Result<void>& written)
{
    reached("state_written");
    if (!written) {
        ++state_errors_;
        auto& error = state_errors_now_[runner.name()];
        if (error != written.error().what) {
            error = written.error().what;
            log({Log::Level::error, "state_not_written", runner.name(), {}, error, {}});
        }
    } else if (state_errors_now_.erase(runner.name()) != 0) {
        log({Log::Level::notice, "state_written", runner.name(), {}, "the memory can be written again", {}});
    }
}

// The service is ready when every device has had a good look, or after kReadyPatience when at least one has. If no
// policy is configured, it is ready at once, except with the agent's own tables: these need the ports of the devices
// first.
void Service::check_ready()
{
    const auto good = static_cast<std::size_t>(
        std::ranges::count_if(runners_, [](const auto& runner) { return runner->good_look(); }));
    const bool patient = loop_.now().mono >= started_ + kReadyPatience;
    const bool nothing_to_watch =
        runners_started_ && policies_->file().policies.empty() && config_.nos != config::NosKind::own;
    const bool enough = good == runners_.size() || nothing_to_watch || (good != 0 && patient);
    if (ready_ || stopping_ || !enough) {
        return;
    }
    ready_ = true;
    start_commands();
    follow_unwatched_ports();
    const auto text = fmt::format("watches {} of {}", good, count_text(runners_.size(), "device"));
    notify_ready(text);
    note(Log::Level::notice, "agent_ready", text);
}

// Other processes may remove files of the agent: a cleanup of /run, an operator. Checks that with a few system calls
// per second.
void Service::keep_names()
{
    follow_unwatched_ports();
    for (const auto& runner : runners_) {
        runner->keep_state_name();
    }
    control_->keep_names(
        [this](const std::filesystem::path& socket, const Result<bool>& lost) { name_kept(socket, lost); });
    loop_.at(loop_.now().mono + kNamesEvery, [this] { keep_names(); });
}

void Service::name_kept(const std::filesystem::path& path, const Result<bool>& lost)
{
    const auto before = names_lost_now_.extract(path.string());  // the result of the last check
    if (!lost) {
        names_lost_now_[path.string()] = lost.error().what;
    }
    if (lost ? !*lost : before && before.mapped() == lost.error().what) {
        return;
    }
    files_lost_ += before ? 0U : 1U;
    file_lost_ = lost ? file_lost_text(path)
                      : fmt::format("{} was removed or replaced; the agent cannot create it again: {}", path.string(),
                                    lost.error().what);
    note(Log::Level::error, "file_lost", file_lost_);
}

void Service::feed_watchdog()
{
    if (const auto interval = watchdog_interval()) {
        notify_alive();
        loop_.at(loop_.now().mono + *interval, [this] { feed_watchdog(); });
    }
}

void Service::note(Log::Level level, std::string event, std::string message)
{
    log({level, std::move(event), {}, {}, std::move(message), {}});
}

void Service::reached(std::string_view point) const
{
    if (options_.reached) {
        options_.reached(point);
    }
}

}  // namespace petrel::daemon
