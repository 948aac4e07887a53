// Runs one device: its agent in the loop, its blocking calls in a worker (device_calls.hpp), its checkpoint, events and
// journal in a memory. The device may take long, fail, hang or come back with other ports; the agent continues with
// what it has read, and the runner reports to its host. The service and the lab run this same class: they differ in the
// loop, the worker, the memory and the source of the device that they give it.
//
// Contract: all calls are made in the loop's thread. Decisions are stored before they are carried out: events and
// checkpoint are written together before any of their commands goes out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/agent.hpp"
#include "config/stop_policy.hpp"
#include "control/report.hpp"
#include "runner/device_calls.hpp"
#include "runner/device_health.hpp"
#include "runner/device_snapshot.hpp"
#include "runner/device_source.hpp"
#include "runner/link_watch.hpp"
#include "runner/loop.hpp"
#include "runner/memory.hpp"
#include "runner/policies.hpp"
#include "runner/runner_host.hpp"
#include "runner/worker.hpp"

namespace petrel::runner {

// The wall time of a monotonic instant.
inline WallTime wall_time(const Now& now, Instant at)
{
    return now.wall - std::chrono::floor<std::chrono::microseconds>(now.mono - at);
}

class DeviceRunner final : device::NoticeSink {
public:
    using Condition = DeviceHealth::Condition;

    struct Setup {
        std::string name;
        std::string driver;  // for reports only
        Duration hang_after{};
        device::FaultHook fault_hook;  // tests kill the process in it
        std::unique_ptr<DeviceSource> source;
        std::unique_ptr<Memory> memory;
        std::unique_ptr<Worker> worker;
        std::unique_ptr<LinkMemory> links{};  // null: the history of links is not stored
    };

    // Host and loop must outlive the runner.
    DeviceRunner(Loop&, RunnerHost&, Setup, std::shared_ptr<const Policies>);
    ~DeviceRunner() override;
    DeviceRunner(const DeviceRunner&) = delete;
    DeviceRunner& operator=(const DeviceRunner&) = delete;

    void start(Duration wait);  // opens the device after `wait`
    void keep_state_name();     // checks that no process removed or replaced the state file

    // A change of policies has two steps, so that all devices change or none: first check() all, then change() all.
    Parsed<void> check(const Policies&) const;
    void change(std::shared_ptr<const Policies>);
    void set_hang_after(Duration after) { setup_.hang_after = after; }

    Result<void> order(const watchdog::Order&);

    // The links of the device's ports; empty if the device does not report them. `port`: empty = all.
    std::vector<control::LinkReport> links(const std::string& port, bool history);
    Result<std::size_t> acknowledge_link(const std::string& port, std::uint64_t seq);

    // Changes a buffer profile of the device. `done` is called when the device shows the new value, or with the reason
    // why it does not.
    void set_dynamic_threshold(const std::string& profile, int exponent, std::function<void(const Result<void>&)> done);

    // Restores or holds what is mitigated. stopped() is true when that is done.
    void stop(config::StopPolicy, const std::string& by);
    // Ends a stop() that takes too long. Treatments that could not be restored stay in the journal.
    void give_up();
    bool stopped() const { return condition() == Condition::stopped; }
    std::size_t left_behind() const { return left_behind_; }           // treatments still in force that should not be
    const std::string& left_details() const { return left_details_; }  // details of left_behind(), or empty

    const std::string& name() const { return setup_.name; }
    Condition condition() const { return health_.condition(); }
    const std::string& why() const { return health_.why(); }
    bool good_look() const { return good_look_; }                         // there has been at least one
    bool hangs() const { return calls_.busy_for() > setup_.hang_after; }  // a call does not return
    const watchdog::Inventory* inventory() const { return opened_ ? &opened_->inventory : nullptr; }
    // As last read: when the device was opened, and after each change.
    const device::Buffers* buffers() const { return opened_ ? &opened_->buffers : nullptr; }
    const agent::Agent* agent() const { return agent_ ? &*agent_ : nullptr; }
    // Null while a look is under way, because the worker uses the intake.
    const watchdog::Intake* intake() const { return lent_ ? nullptr : intake_.get(); }
    const Memory& memory() const { return *setup_.memory; }
    bool all_written() const { return unwritten_.empty(); }  // the memory has all events of the agent
    control::DeviceReport report() const;                    // without the fields that count_rows() adds
    // All rows after the last step of the agent; null while the device is not watched.
    std::shared_ptr<const DeviceSnapshot> snapshot() const;
    // How many watchlist_generation there have been. Another number means other rows or policies.
    std::uint64_t watchlist_generation() const { return watchlist_generation_; }

    // The rows for which the device detects storms itself, with the intervals that it uses.
    const Delegations& delegations() const { return *delegations_; }

    RowState row_state(Slot, Instant now) const;

    // The last event about a target since the process started: its sequence number, and its evidence as text.
    struct Decision {
        std::uint64_t seq{};
        std::vector<std::string> text;
    };
    std::optional<Decision> last_decision(const Target&) const;

private:
    using Timer = std::optional<Loop::TimerId>;

    void post(const watchdog::Notice&) noexcept override;

    // Before the device is watched, and when its watchlist changes.
    void open();
    void gather(Opened);
    std::optional<watchdog::Checkpoint> remembered();
    void close_storms(watchdog::Checkpoint left, watchdog::Inventory gone, watchdog::Checkpoint& rest);
    void begin(const agent::Start&);
    void await_late_effects(Duration wait);
    void undo_late_effects();
    void try_again(const std::string& why);
    void refuse_policies(const std::vector<Complaint>&);
    Parsed<watchdog::Watchlist> watchlist(const Policies&) const;
    bool in_force(const Policies&) const;
    void share_watched_rows(const watchdog::Watchlist&);
    void delegate_detection(const std::vector<device::DelegatedRow>&);
    void watch_remaining_rows(const std::vector<device::DelegatedRow>&);

    // While the device is watched.
    void step(const agent::Input&);
    void collect();
    void collect_events();
    void remember();
    void save_now_and_then();
    bool worth_saving() const;
    void look(Look);
    void take(const Looked&);
    void judge(const Looked&);
    void reopen(const Result<void>& read);
    void follow_unseen(const Looked&);
    void follow(const Looked&);
    void gather_new_rows(const std::set<std::string>& before);
    void command(const watchdog::Command&);
    void read_links();
    void follow_links(const std::vector<link::LinkSample>&);
    void publish_links(const std::vector<link::LinkChange>&);
    void watch_worker();
    void log_ongoing_storms() const;
    Error not_watched() const;
    void stop_if_done();
    void stop_watching();
    void close_device();
    void leave_journaled();

    template <class Call>
    void plan(Timer& timer, Instant when, Call call)
    {
        cancel(timer);
        timer = loop_.at(when, [&timer, call = std::move(call)] {
            timer.reset();
            call();
        });
    }
    void cancel(Timer&);

    Loop& loop_;
    RunnerHost& host_;
    Setup setup_;
    std::shared_ptr<const Policies> policies_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // posted notices are used only while it exists

    DeviceHealth health_;
    unsigned attempts_{};
    std::string first_failure_;     // since the device was last watched
    std::optional<Opened> opened_;  // with the current inventory
    bool unfit_{};                  // the policies do not fit the device: waits for others

    agent::Output output_;
    std::optional<agent::Agent> agent_;
    std::uint64_t watchlist_generation_{};
    // Made on request, valid until something changes.
    mutable std::shared_ptr<const DeviceSnapshot> snapshot_;
    mutable std::shared_ptr<const watchdog::Watchlist> shown_list_;
    mutable std::uint64_t shown_watchlist_{};
    std::shared_ptr<watchdog::Intake> intake_;
    bool lent_{};                              // the worker uses the intake
    watchdog::StampDrift drift_;               // of the intake, as of the last look
    std::int32_t saved_drift_ppm_{};           // as last written
    std::optional<Look> next_look_;            // waits until the intake is back
    std::vector<StoredEvent> unwritten_;       // events that are not in the memory yet
    std::vector<watchdog::Event> unreported_;  // the same events: the host receives them after the write
    std::vector<watchdog::Notice> early_;      // arrived before the agent existed
    std::map<Target, watchdog::Event> last_;   // the last event of each target since the process started
    std::map<std::uint64_t, Timer> commands_;  // under way, each with the timer of its deadline
    std::shared_ptr<const Delegations> delegations_{std::make_shared<Delegations>()};
    std::vector<device::UnseenQueue> unseen_by_device_;         // as the device last reported them
    std::pair<std::uint64_t, std::uint64_t> blind_followed_{};  // changes of blind rows and of watchlists so far
    std::set<Target> not_by_device_;  // the device was requested to detect storms here and does not
    unsigned watch_calls_{};          // calls of delegate_detection that are not answered yet
    std::optional<config::StopPolicy> stopping_;
    bool closing_{};
    bool good_look_{};
    std::size_t left_behind_{};
    std::string left_details_;

    Timer wake_;
    Timer overdue_;
    Timer retry_;
    Timer save_;
    Timer remember_;           // writes events that have no commands
    Instant next_remember_{};  // the earliest time of that write
    Timer worker_watch_;
    Timer late_effects_;
    Timer next_links_;
    bool reading_links_{};
    bool links_wanted_{};        // to be read after the call that is under way
    std::string links_trouble_;  // why they could not be read last time, as logged

    LinkWatch links_;
    Duration last_look_{};
    Duration longest_look_{};
    std::uint64_t commands_done_{};
    std::uint64_t commands_failed_{};
    std::uint64_t inventory_changes_{};

    DeviceCalls calls_;
};

// A report of one row at `now`. The device must be watched.
control::QueueReport queue_report(const DeviceRunner&, Slot, Instant now);

// Finds a queue ("Ethernet4:3") or a port ("Ethernet4"); none if the inventory does not have it.
std::optional<Target> find_target(const watchdog::Inventory&, std::string_view queue);

}  // namespace petrel::runner
