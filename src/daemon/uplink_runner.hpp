// Runs the uplink: reports what the agent decides and sees to its manager. The pure Uplink decides what is sent; the
// requests, the rendering of snapshots and the file of acknowledgements are jobs of a worker, so that the loop waits
// for neither the network nor the disk.
//
// Contract: all calls are made in the loop's thread, and all callbacks run there. The runners must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "control/report.hpp"
#include "daemon/runners.hpp"
#include "daemon/sample_spool.hpp"
#include "http_client/client.hpp"
#include "runner/log_line.hpp"
#include "runner/loop.hpp"
#include "runner/worker.hpp"
#include "runtime/file_lock.hpp"
#include "uplink/busy_queues.hpp"
#include "uplink/snapshot.hpp"
#include "uplink/uplink.hpp"

namespace petrel::daemon {

// Makes the client of a manager, or of a group of managers.
using ManagerClients = std::function<std::unique_ptr<http_client::Client>(const std::vector<http_client::Endpoint>&)>;

// Renews the agent's certificate in `file` if it is time. True: the file has a new one.
using RenewCertificate = std::function<Result<bool>(http_client::Client&, const std::filesystem::path& file,
                                                    const std::string& agent, WallTime now)>;

struct ManagerAccess {
    ManagerClients clients;
    RenewCertificate renew;  // empty: certificates are not renewed
};

class UplinkRunner {
public:
    using Runners = std::vector<std::unique_ptr<DeviceRunner>>;
    using LogCall = std::function<void(const runner::LogLine&)>;
    using Policies = std::function<const config::PolicyFile&()>;  // those in force
    using Reached = std::function<void(std::string_view point)>;

    // A request, a snapshot, a write of the file, one of the spool, a renewal, and one more.
    static constexpr std::size_t kMostJobs = 6;

    // Fails if another process uses the file of acknowledgements.
    static Result<std::unique_ptr<UplinkRunner>> make(runner::Loop&, std::unique_ptr<runner::Worker>,
                                                      const ManagerAccess&, const config::AgentConfig&,
                                                      std::string version, const Runners&, Policies, LogCall, Reached);
    ~UplinkRunner();
    UplinkRunner(const UplinkRunner&) = delete;
    UplinkRunner& operator=(const UplinkRunner&) = delete;

    void start();
    void event_written();
    void look();  // at the state of the devices: now, or when the request under way is answered
    control::ManagerReport report() const;

    // Sends the last events if the manager is connected, for at most a few seconds; then calls `done`.
    void stop(std::function<void()> done);

private:
    struct Setup {
        config::AgentConfig config;
        std::string version;
        std::string boot;
        std::unique_ptr<http_client::Client> client;
        RenewCertificate renew;
        runtime::HeldFile file;
        Policies policies;
        LogCall log;
        Reached reached;
    };
    struct Answer {
        int status{};  // 0 = none
        std::string body;
        std::string why;  // there is no answer
        std::optional<Duration> retry_after;
    };
    // What a device was like when the manager last got it, and what it is like now, as lines.
    struct Shown {
        std::string now;
        std::string sent;
    };
    class RunnersSpool;

    UplinkRunner(runner::Loop&, std::unique_ptr<runner::Worker>, const Runners&, Setup, uplink::Acknowledged before);

    void tick();
    void sample();
    void spill();
    void spilled(const Result<bool>& dropped);
    void look_if_waiting();
    void rendered(std::vector<std::pair<std::string, std::string>> lines);  // by device
    void renew();
    void renewed(const Result<bool>&);
    void save();
    void send();
    void post(const uplink::Batch&);
    std::string extras(const uplink::Batch&);
    std::string samples(const uplink::Batch&);
    void answered(const Answer&);
    void clear_links(const std::vector<uplink::LinkToClear>&);
    void connected_now();
    void not_connected(std::string why);
    void report_gaps();
    void plan();
    void finish_stop();
    void log(runner::LogLevel, std::string event, std::string message) const;
    Answer exchange(std::string body, bool with_spooled);

    runner::Loop& loop_;
    Setup setup_;
    std::unique_ptr<RunnersSpool> spool_;
    const Runners& runners_;
    uplink::Uplink uplink_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::optional<runner::Loop::TimerId> wake_;
    std::optional<runner::Loop::TimerId> tick_;
    std::optional<runner::Loop::TimerId> sample_;
    std::optional<runner::Loop::TimerId> deadline_;
    std::optional<runner::Loop::TimerId> renew_;
    bool renewing_{};
    std::map<std::string, Shown> shown_;             // by device
    std::map<std::string, std::string> in_request_;  // the lines of the request under way, by device
    struct Telemetry {
        uplink::BusyQueues busy;
        Instant next{};
    };
    std::map<std::string, Telemetry> telemetry_;  // by device
    std::deque<uplink::QueueSample> samples_;     // to be sent; while there is no manager they go to the spool
    SampleSpool spooled_;                         // used by the worker
    bool spilling_{};
    std::string spool_trouble_;
    std::size_t samples_in_request_{};  // the first of them
    bool rendering_{};
    bool look_waits_{};
    bool send_posted_{};
    bool saving_{};
    uplink::Acknowledged saved_;
    std::string save_trouble_;
    std::optional<bool> connected_;  // none: no request has ended yet
    Instant since_;
    std::string why_{"no request has been answered yet"};
    std::uint64_t forgotten_{};
    std::string forgotten_last_;
    std::function<void()> stopping_;
    std::unique_ptr<runner::Worker> worker_;  // the last member: its jobs use all the others
};

}  // namespace petrel::daemon
