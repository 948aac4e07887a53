// The agent as a service: devices, control socket, metrics, log and signals, run until a signal ends it.
//
// Contract: the same thread makes it, runs its loop between start() and finish(), and destroys it. From make() on, the
// service handles SIGTERM, SIGINT and SIGHUP.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "config/policy_bind.hpp"
#include "control/report.hpp"
#include "control/request.hpp"
#include "daemon/command_runner.hpp"
#include "daemon/control_desk.hpp"
#include "daemon/driver.hpp"
#include "daemon/limited_log.hpp"
#include "daemon/manager_channel.hpp"
#include "daemon/nos_runner.hpp"
#include "daemon/runners.hpp"
#include "daemon/surroundings.hpp"
#include "daemon/switch_logs.hpp"
#include "runner/uplink_runner.hpp"

namespace petrel::daemon {

struct ServiceOptions {
    std::function<Parsed<config::AgentConfig>()> read_config;  // called for every reload, in a separate thread
    std::vector<Driver*> drivers;
    std::string version;
    std::function<void(std::string_view point)> reached;  // called at points at which a test may kill the process
    std::unique_ptr<Nos> nos{};                           // none = the policies of the configuration apply
    ManagerClients manager_clients{};                     // none = the program has no uplink to a manager
    RenewCertificate renew_certificate{};
};

class Service final : RunnerHost, Desk {
public:
    // The surroundings must outlive the service.
    static Result<std::unique_ptr<Service>> make(config::AgentConfig, ServiceOptions, Surroundings&);
    ~Service() override;

    void start();

    // The last call, after the service has stopped its loop. The error describes what could not be finished in time.
    Result<void> finish();

    // Ends the process without waiting for threads: one of them may be in a call that never returns.
    [[noreturn]] void leave(int exit_code);

private:
    Service(config::AgentConfig, ServiceOptions, Surroundings&);

    Result<void> set_up();
    Result<void> make_runners();
    Result<void> make_uplink();
    Result<void> make_commands();
    void start_commands();  // when the devices are watched, at the latest after some seconds
    void execute(const control::ControlRequest&, const std::string& by, CommandRunner::Calls::Done);
    bool has_event(std::string_view text) const;
    Result<void> open_listeners();
    void handle_signal(int signal);

    // RunnerHost
    void log(const Log::Line&) override;
    void event_written(const DeviceRunner&, const watchdog::Watchlist&, const watchdog::Event&,
                       const std::string& json) override;
    void settled(const DeviceRunner&) override;
    void state_written(const DeviceRunner&, const Result<void>&) override;
    void name_kept(const std::filesystem::path&, const Result<bool>& lost) override;

    // Desk
    ServiceSnapshot snapshot() const override;
    void reload(Reloaded done) override;
    void push_policies(const std::string& policy, const std::string& by, Reloaded done) override;
    const std::vector<std::unique_ptr<DeviceRunner>>& runners() const override { return runners_; }
    Now now() const override { return loop_.now(); }
    void tables(const control::ControlRequest&, const std::string& by, Tables done) override;

    struct NextConfig {
        Parsed<config::AgentConfig> config;
        std::vector<Complaint> unknown_ports;  // ports that its policies name and no device has
        std::vector<Complaint> idle_policies;  // policies of the file that would watch nothing
        config::PolicyFile pushed;             // those that would be in force
    };
    void load_pushed();
    void save_pushed(const std::string& policy, const Reloaded& done);
    void begin_reload();
    void read_next_config();
    void finish_reload(NextConfig);
    std::vector<Complaint> try_reload(NextConfig);
    void check_ready();
    void feed_watchdog();
    void keep_names();
    void meter_pauses();
    ServiceSnapshot snapshot_for_metrics() const;
    void stop(const std::string& why);
    void follow_unwatched_ports();
    void list_unknown_ports();
    void list_idle_policies(std::span<const config::DeviceRows>);
    void start_runners();
    void configured(config::PolicyFile);
    void list_policies(control::StatusReport&) const;
    void note(Log::Level, std::string event, std::string message);
    void reached(std::string_view point) const;

    config::AgentConfig config_;
    ServiceOptions options_;
    std::shared_ptr<const FilePolicies> policies_;
    std::shared_ptr<const config::PolicyFile> nos_policies_;  // those in force; null before the first ones
    config::PolicyFile pushed_;                               // policies that an operator has pushed
    std::optional<std::string> pushing_;                      // such policies that the reload under way puts in force
    std::vector<std::string> unknown_ports_;                  // of the file, with their places
    std::vector<std::string> idle_policies_;                  // why policies in force watch nothing, or not all
    std::vector<std::uint64_t> unwatched_followed_;           // watchlists of the devices for which that is known
    std::string nos_refused_;                                 // why the present policies of the NOS are not in force
    Surroundings& around_;
    runner::Loop& loop_;
    Instant started_;
    std::unique_ptr<LimitedLog> log_;
    SwitchLogs switch_logs_;
    std::vector<std::unique_ptr<DeviceRunner>> runners_;
    std::unique_ptr<NosRunner> nos_;
    std::unique_ptr<runner::UplinkRunner> uplink_;  // null: there is no manager
    std::unique_ptr<CommandRunner> commands_;
    bool runners_started_{};
    ControlDesk desk_;
    std::unique_ptr<Control> control_;
    std::unique_ptr<MetricsListener> metrics_;
    struct Metered {
        PauseMeter meter;
        Instant next{};  // the time of the next read
    };
    std::map<std::string, Metered> metered_;  // by device
    control::ReloadReport reload_;
    std::vector<Reloaded> waiting_reloads_;           // requests that wait for the next reload
    std::optional<std::vector<Reloaded>> reloading_;  // requests that wait for the reload under way; none = no reload
    Instant next_reload_{};                           // the earliest time of the next reload
    std::uint64_t state_errors_{};
    std::map<std::string, std::string> state_errors_now_;  // by device, if the last write of its memory failed
    std::map<std::string, std::string> names_lost_now_;    // by file: why it cannot be written again
    std::uint64_t files_lost_{};
    std::string file_lost_;  // the last message about it
    Duration start_wait_{};  // how long to wait before devices are opened
    bool ready_{};
    std::optional<std::string> stopping_;     // why
    std::unique_ptr<runner::Worker> reader_;  // the last member: its job uses all the others
};

}  // namespace petrel::daemon
