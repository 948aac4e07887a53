// Runs the Nos: collects changes and events in the loop, and exchanges them with the Nos in a worker, where calls may
// block.
//
// Contract: all calls are made in the loop's thread, and all callbacks run there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/nos.hpp"
#include "daemon/runners.hpp"
#include "runner/loop.hpp"
#include "runner/worker.hpp"

namespace petrel::daemon {

class NosRunner {
public:
    struct Calls {
        std::function<void(config::PolicyFile)> configured;  // called when the policies change
        std::function<void(const Log::Line&)> log;
    };

    static constexpr std::size_t kMostTableRequests = 64;  // that wait
    static constexpr std::size_t kMostJobs =
        2 + kMostTableRequests;  // requests for tables, one exchange and the last call

    // The worker has room for kMostJobs. The list of runners may still be empty. The runners must outlive the
    // NosRunner.
    NosRunner(runner::Loop&, std::unique_ptr<runner::Worker>, std::unique_ptr<Nos>,
              const std::vector<std::unique_ptr<DeviceRunner>>&, Calls);
    ~NosRunner();

    void start();
    // The ports whose policy is in the agent's file: see Nos::Report.
    void set_overrides(std::map<std::string, std::string> by_port);
    void event_written(const DeviceRunner&, const watchdog::Watchlist&, const watchdog::Event&);

    // Reads or changes tables. An answer shows the present state. When `done` is called, a change is in force.
    using Answered = std::function<void(const Result<control::TableReport>&)>;
    void tables(control::ControlRequest, Answered);

    // Sends the last changes, calls Nos::leave(), then `done`, also after a failure.
    void stop(std::function<void()> done);

    // Why the NOS cannot be reached, or which part of its configuration is not in force; empty = neither.
    const std::string& trouble() const { return trouble_.empty() ? concern_ : trouble_; }
    std::string_view name() const { return nos_->name(); }

private:
    // What the NOS has received about a device.
    struct Progress {
        std::uint64_t watchlist{};
        std::set<NosQueue> queues;   // the queues of the device
        std::uint32_t next_row{};    // this row and later ones were not sent yet
        std::set<Slot> changed;      // changed rows; those below next_row are sent again
        Instant next_statistics{};   // when to send those of mitigated queues, which change without events
        std::uint32_t next_count{};  // the row whose counters are sent next
        Instant next_counts{};       // when the next pass over all rows may begin
        device::Buffers buffers{};   // as last sent
    };

    void exchange();
    void exchange_soon();
    bool has_more() const;
    Nos::Reply exchange_in_worker(Nos::Report);
    Nos::Report collect();
    void collect(const DeviceRunner&, Progress&, Nos::Report&);
    void collect_counts(const DeviceRunner&, Progress&, Nos::Report&);
    void collect_buffers(const DeviceRunner&, Progress&, Nos::Report&);
    void set_threshold(const Nos::Answer::Threshold&, Answered);
    void show_device(Result<control::TableReport>, Answered);
    void take(Nos::Reply);
    void follow(Nos::Reply);
    void finish();

    runner::Loop& loop_;
    std::unique_ptr<Nos> nos_;
    const std::vector<std::unique_ptr<DeviceRunner>>& runners_;
    Calls calls_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::map<const DeviceRunner*, Progress> progress_;
    std::vector<NosEvent> events_;
    std::map<std::string, std::string> overrides_;
    std::optional<runner::Loop::TimerId> timer_;
    std::function<void()> stopping_;
    bool under_way_{};
    Instant exchanged_{Instant::min()};  // the end of the last exchange
    bool last_sent_{};                   // the exchange under way, or the last one, began after stop()
    std::size_t table_requests_{};       // requests for tables that are not answered yet
    std::optional<Duration> counts_every_;
    std::string trouble_;
    std::string concern_;
    std::unique_ptr<runner::Worker> worker_;  // the last member: its jobs use all the others
};

}  // namespace petrel::daemon
