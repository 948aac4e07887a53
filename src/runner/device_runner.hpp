// Runs one device: its agent in the loop, its calls in a worker (device_calls.hpp), what it must not forget in a
// memory. The device may take long, fail, hang or come back as another one; the agent goes on with what is known, and
// the host of the runner is told. The service and the lab run this same class: they differ in the loop, the worker, the
// memory and the source of the device that they give it.
//
// Contract: lives in the loop's thread, and so do all calls. What an agent decides is remembered before it is done:
// events and checkpoint are written together before any of their commands goes out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/agent.hpp"
#include "codec/agent_config.hpp"
#include "codec/control_report.hpp"
#include "runner/device_calls.hpp"
#include "runner/device_snapshot.hpp"
#include "runner/device_source.hpp"
#include "runner/log_line.hpp"
#include "runner/loop.hpp"
#include "runner/memory.hpp"
#include "runner/policies.hpp"
#include "runner/worker.hpp"

namespace petrel::runner {

class DeviceRunner;

// When that was by the clock on the wall.
inline WallTime wall_time(const Now& now, Instant at)
{
    return now.wall - std::chrono::floor<std::chrono::microseconds>(now.mono - at);
}

// What the owner of runners hears, in the loop.
class RunnerHost {
public:
    virtual ~RunnerHost() = default;
    virtual void say(const LogLine&) = 0;
    virtual void heard(const DeviceRunner&, const watchdog::Event&, const std::string& json) = 0;
    virtual void settled(const DeviceRunner&) = 0;  // its first good look is over, or the runner has stopped
    virtual void state_written(const DeviceRunner&, const Result<void>&) = 0;
    // Now and then. True: another process removed or replaced the file, and it is written anew.
    virtual void name_kept(const std::filesystem::path&, const Result<bool>& lost) = 0;
};

class DeviceRunner final : device::NoticeSink {
public:
    using Condition = codec::DeviceReport::Condition;

    struct Setup {
        std::string name;
        std::string driver;  // to be shown
        Duration hang_after{};
        device::FaultHook fault_hook;  // tests die in it
        std::unique_ptr<DeviceSource> source;
        std::unique_ptr<Memory> memory;
        std::unique_ptr<Worker> worker;
    };

    // Host and loop have to outlive it.
    DeviceRunner(Loop&, RunnerHost&, Setup, std::shared_ptr<const Policies>);
    ~DeviceRunner() override;
    DeviceRunner(const DeviceRunner&) = delete;
    DeviceRunner& operator=(const DeviceRunner&) = delete;

    void start(Duration wait);  // the device is left alone for so long
    void keep_state_name();     // in case another process removed the file

    // A change of policies in two steps, so that all devices change or none.
    Parsed<void> check(const Policies&) const;
    void change(std::shared_ptr<const Policies>);
    void set_hang_after(Duration after) { setup_.hang_after = after; }

    Result<void> order(const watchdog::Order&);

    // What is mitigated is restored, or held; then the runner has stopped().
    void stop(codec::StopPolicy, const std::string& by);
    // The time for that is over: what could not be restored stays in the journal.
    void give_up();
    bool stopped() const { return condition_ == Condition::stopped; }
    std::size_t left_behind() const { return left_behind_; }       // what is in force and should not be
    const std::string& left_words() const { return left_words_; }  // about that, if there is more to say

    const std::string& name() const { return setup_.name; }
    Condition condition() const { return condition_; }
    const std::string& why() const { return why_; }
    bool good_look() const { return good_look_; }                         // there was one
    bool hangs() const { return calls_.busy_for() > setup_.hang_after; }  // in a call that does not return
    const watchdog::Inventory* inventory() const { return opened_ ? &opened_->inventory : nullptr; }
    const agent::Agent* agent() const { return agent_ ? &*agent_ : nullptr; }
    // Null while a look is under way: the worker has it.
    const watchdog::Intake* intake() const { return lent_ ? nullptr : intake_.get(); }
    const Memory& memory() const { return *setup_.memory; }
    codec::DeviceReport report() const;  // without what count_rows() adds
    // The queues as they are after the last step; null while the device is not watched.
    std::shared_ptr<const DeviceSnapshot> snapshot() const;
    // So many it has had: another one = other rows or policies.
    std::uint64_t watchlists() const { return watchlists_; }

    // The rows that the device watches by itself, with what it makes of their intervals.
    const SelfWatchedRows& self_watched() const { return *self_watched_; }

    // A row as it is now.
    RowState row_state(Slot, Instant now) const;

    // What was last decided about a target, in this life of the agent: the number of its event, and words.
    struct Decision {
        std::uint64_t seq{};
        std::vector<std::string> words;
    };
    std::optional<Decision> last_decision(const Target&) const;

private:
    using Timer = std::optional<Loop::TimerId>;

    void post(const watchdog::Notice&) noexcept override;

    // Until it is watched.
    void open();
    void gather(Opened);
    std::optional<watchdog::Checkpoint> remembered() const;
    void begin(const agent::Start&);
    void try_again(const std::string& why);
    void refuse_policies(const std::vector<Complaint>&);
    Parsed<watchdog::Watchlist> watchlist(const Policies&) const;
    bool in_force(const Policies&) const;
    void share_watched_rows(const watchdog::Watchlist&);
    void let_it_watch(const std::vector<device::SelfWatch>&);
    void watch_the_others(const std::vector<device::SelfWatch>&);

    // While it is.
    void step(const agent::Input&);
    void collect();
    void collect_events();
    void remember();
    void save_now_and_then();
    void look(Look);
    void take(const Looked&);
    void judge(const Looked&);
    void reopen();
    void take_unseen(std::vector<device::UnseenQueue>);
    void follow(const Looked&);
    void ask_about_new_rows(const std::set<std::string>& before);
    void command(const watchdog::Command&);
    void watch_worker();
    void say_what_goes_on() const;
    void stop_if_done();
    void stop_watching();
    void close_device();
    void leave_journaled();

    void become(Condition, std::string why);
    void say(LogLevel, std::string event, std::string words) const;
    void note(const std::string& words);
    void follow_drift(const watchdog::StampDrift&);
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
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // notices in the loop's hands ask it first

    Condition condition_{Condition::opening};
    Instant condition_since_;
    std::string why_;
    unsigned attempts_{};
    std::string first_failure_;       // since the device was last watched
    std::vector<std::string> notes_;  // what the driver has said about the device
    int drift_percent_{};             // of time stamps against pause counters, as it was last reported
    std::string drift_note_;          // empty: there is none
    std::optional<Opened> opened_;    // as the inventory is now, with the roles that are configured
    bool unfit_{};                    // and waits for policies that fit

    agent::Output output_;
    std::optional<agent::Agent> agent_;
    std::uint64_t watchlists_{};
    // Made when they are asked for, good until something changes.
    mutable std::shared_ptr<const DeviceSnapshot> snapshot_;
    mutable std::shared_ptr<const watchdog::Watchlist> shown_list_;
    mutable std::uint64_t shown_watchlist_{};
    std::shared_ptr<watchdog::Intake> intake_;
    bool lent_{};                              // the worker has the intake,
    std::optional<Look> next_look_;            // so this one waits
    std::vector<StoredEvent> unwritten_;       // events that are not in the memory yet,
    std::vector<watchdog::Event> untold_;      // the same ones: the host hears of them once they are
    std::vector<watchdog::Notice> early_;      // heard before the agent was there
    std::map<Target, watchdog::Event> last_;   // about each, in this life
    std::map<std::uint64_t, Timer> commands_;  // under way, each with its deadline
    std::shared_ptr<const SelfWatchedRows> self_watched_{std::make_shared<SelfWatchedRows>()};
    std::map<std::string, std::string> unseen_;  // configured queues that cannot be watched, and why
    std::set<Target> not_by_device_;             // it was asked to watch these, and does not
    unsigned watch_calls_{};                     // that tell the device which rows those are, and are not yet answered
    std::optional<codec::StopPolicy> stopping_;
    bool closing_{};
    bool good_look_{};
    std::size_t left_behind_{};
    std::string left_words_;

    Timer wake_;
    Timer overdue_;
    Timer retry_;
    Timer save_;
    Timer remember_;           // for events that no command waits for,
    Instant next_remember_{};  // not before
    Timer worker_watch_;

    Duration last_look_{};
    Duration longest_look_{};
    std::uint64_t commands_done_{};
    std::uint64_t commands_failed_{};
    std::uint64_t inventory_changes_{};

    DeviceCalls calls_;
};

// What is shown of one row of a device that is watched, as it is now.
codec::QueueReport queue_report(const DeviceRunner&, Slot, Instant now);

// "Ethernet4:3", "Ethernet4"; none: there is no such queue or port.
std::optional<Target> find_target(const watchdog::Inventory&, std::string_view queue);

}  // namespace petrel::runner
