// Runs the uplink: reports what the agent decides and sees to its manager. The pure Uplink decides what is sent. The
// service and the lab run this same class: they differ in the loop, the worker, the channel and the memory that they
// give it. The rendering of snapshots and the writes of the memory are jobs of the worker, so that the loop waits for
// neither.
//
// Contract: all calls are made in the loop's thread, and all callbacks run there. The runners must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "control/report.hpp"
#include "runner/device_runner.hpp"
#include "runner/log_line.hpp"
#include "runner/loop.hpp"
#include "runner/manager_channel.hpp"
#include "runner/uplink_memory.hpp"
#include "runner/uplink_snapshot.hpp"
#include "runner/worker.hpp"
#include "uplink/busy_queues.hpp"
#include "uplink/snapshot.hpp"
#include "uplink/uplink.hpp"

namespace petrel::runner {

class UplinkRunner {
public:
    using Runners = std::vector<std::unique_ptr<DeviceRunner>>;

    struct Setup {
        std::string agent;               // its name
        std::string boot;                // another one after each start
        std::string version;             // of the program
        std::string manager;             // its URL, for messages
        std::uint32_t history_events{};  // that the memory of a device has room for, for messages
        uplink::Pace pace{};
        std::unique_ptr<ManagerChannel> channel;
        std::unique_ptr<UplinkMemory> memory;
        std::unique_ptr<Worker> worker;
        std::function<Neighbours(std::string_view device)> neighbours;
        std::function<void(const LogLine&)> log;
        std::function<void(std::string_view point)> reached;
    };

    // A snapshot, a write of the acknowledgements, and three jobs for samples.
    static constexpr std::size_t kMostJobs = 5;

    UplinkRunner(Loop&, const Runners&, Setup);
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
    // What a device was like when the manager last got it, and what it is like now, as lines.
    struct Shown {
        std::string now;
        std::string sent;
    };
    class RunnersSpool;

    void tick();
    void sample();
    void spill();
    void spilled(const Result<bool>& dropped);
    void look_if_waiting();
    void rendered(std::vector<std::pair<std::string, std::string>> lines);  // by device
    void save();
    void send();
    void post(const uplink::Batch&);
    void submit(std::string body, std::optional<std::string> spooled);
    std::string extras(const uplink::Batch&);
    std::string samples(const uplink::Batch&);
    std::string storms() const;
    void answered(const ManagerAnswer&);
    void clear_links(const std::vector<uplink::LinkToClear>&);
    void connected_now();
    void not_connected(std::string why);
    void report_gaps();
    void plan();
    void finish_stop();
    void log(LogLevel, std::string event, std::string message) const;

    // Runs `work` in the worker and then `done` with its result in the loop, if the uplink still exists. False: the
    // worker has no room.
    template <class Work, class Done>
    bool in_worker(Work work, Done done)
    {
        return setup_.worker->add(JobKind::other, [this, work = std::move(work), done = std::move(done),
                                                   alive = std::weak_ptr{alive_}]() mutable {
            loop_.post([alive, done = std::move(done), result = work()]() mutable {
                if (!alive.expired()) {
                    done(std::move(result));
                }
            });
        });
    }

    Loop& loop_;
    const Runners& runners_;
    std::unique_ptr<RunnersSpool> spool_;
    Setup setup_;
    uplink::Uplink uplink_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::optional<Loop::TimerId> wake_;
    std::optional<Loop::TimerId> tick_;
    std::optional<Loop::TimerId> sample_;
    std::optional<Loop::TimerId> deadline_;
    std::map<std::string, Shown> shown_;             // by device
    std::map<std::string, std::string> in_request_;  // the lines of the request under way, by device
    struct Telemetry {
        uplink::BusyQueues busy;
        Instant next{};
    };
    std::map<std::string, Telemetry> telemetry_;  // by device
    std::deque<uplink::QueueSample> samples_;     // to be sent; while there is no manager they go to the memory
    bool spilling_{};
    std::string spool_trouble_;
    std::size_t samples_in_request_{};  // the first of them
    bool spooled_in_request_{};         // a line of the memory
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
};

}  // namespace petrel::runner
