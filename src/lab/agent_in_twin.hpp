// One production agent on one node of the twin, in simulated time: a switch's watchdog, or the one in a NIC's
// micro-controller. The process is a runner::DeviceRunner, the same as in the service. This class only connects it: the
// twin's time is its loop (twin_loop.hpp), simulated delays are its worker, a simulated disk is its memory
// (simulated_disk.hpp), and the node is its device, with the faults of the scenario.
//
// Contract: the object must not move and must outlive the runs of the twin. All its code runs in calls of Twin::at on
// the agent's own node, so runs with agents are as deterministic and as parallel as runs without.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/manual_clock.hpp"
#include "device/synthetic/faulty_device.hpp"
#include "device/synthetic/removable_ports.hpp"
#include "lab/live/twin_device.hpp"
#include "lab/simulated_disk.hpp"
#include "lab/twin_loop.hpp"
#include "lab/uplink_in_twin.hpp"
#include "runner/device_runner.hpp"
#include "runner/uplink_runner.hpp"
#include "scenario/agent_fault.hpp"
#include "twin/twin.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::lab {

// How an agent reports to its manager.
struct Reporting {
    uplink::Pace pace;
    std::function<void(std::uint64_t number, std::string report)> carry;  // called on the agent's node
};

// An event that an agent has written to its memory.
struct WrittenEvent {
    std::uint64_t seq{};
    std::string json;
    bool lost{};  // the memory has lost it: the next process of the agent did not find it
};

class AgentInTwin final : device::NoticeSink, device::FaultyDevice::Delay, runner::RunnerHost {
public:
    struct Options : Hardware {
        Duration look_takes{};
        Duration command_takes{};
        Duration hang_after{std::chrono::seconds{5}};  // the runner reports a device whose call takes longer
        std::optional<Reporting> reporting{};          // none: there is no manager
    };

    // Fails with complaints if the device's capabilities do not support the policies.
    static Parsed<std::unique_ptr<AgentInTwin>> make(twin::Twin&, twin::NodeId, const watchdog::PolicyBook&,
                                                     const Options&);

    // start() starts the process, and kills it first if it runs. kill() ends it without a stop: its pending calls are
    // lost, and so is the rest of the call in which it dies. The treatments on the device and the contents of the disk
    // survive.
    void start(twin::Ps when, const scenario::StartAgent& = {});
    void kill(twin::Ps when, const scenario::KillAgent& = {});
    void order(const watchdog::Order&, twin::Ps when);  // no effect while no process runs

    // Changes the policies, except max_mitigated, for this process and for later ones. Fails as make() does.
    Parsed<void> change(const watchdog::PolicyBook&, twin::Ps when);
    // The process reloads an unchanged configuration.
    void reload(twin::Ps when);

    // The manager's answer to a report arrives.
    void answer(std::uint64_t number, const runner::ManagerAnswer&, twin::Ps when);

    // Faults of the device, its ports, the clock and the disk.
    void on_device(twin::Ps when, std::function<void(device::FaultyDevice&)>);
    void set_port(std::uint16_t port, bool there, twin::Ps when);
    void looks_take(Duration, twin::Ps when);
    void commands_take(Duration, twin::Ps when);
    void writes_take_effect_after(Duration, twin::Ps when);  // writes keep their order
    void hang(twin::Ps until, twin::Ps when);                // calls that begin before `until` return then
    void lose_notices(bool, twin::Ps when);
    void delay_notices(const scenario::DelayNotices&, twin::Ps when);  // its `until` has no effect
    void step_wall_clock(std::chrono::microseconds by, twin::Ps when);
    void disk_writes_take(Duration, twin::Ps when);
    void fill_disk(bool full, twin::Ps when);

    // Injects faults at once, without a scheduled time.
    device::FaultyDevice& faults() { return faults_; }

    // The events of all processes so far, in the order in which the agents emitted them. watchlist_of() returns the
    // watchlist that the rows and policies of an event refer to.
    const std::vector<watchdog::Event>& events() const { return events_; }
    const watchdog::Watchlist& watchlist_of(std::size_t event) const { return *lists_[event]; }
    // With a manager: all events of the agent's memory so far, also those that the memory has forgotten or lost.
    const std::vector<WrittenEvent>& written() const { return written_; }

    const std::string& name() const { return disk_.device; }
    const runner::DeviceRunner* device_runner() const { return process_ ? &process_->device_runner() : nullptr; }
    const agent::Agent* agent() const { return process_ ? process_->device_runner().agent() : nullptr; }
    const watchdog::Watchlist& watchlist() const;  // of the running or last agent; before: as compiled by make()
    const SimulatedDisk& disk() const { return disk_; }

private:
    class Node;
    class BookPolicies;

    // Thrown where a process dies in the middle of a call. Nothing of the process runs after it.
    struct Death {};

    // A write that the device has accepted and not made yet. The process that wrote it may be dead.
    struct LateWrite {
        std::uint64_t number{};
        std::uint64_t life{};
        std::uint64_t command{};
        std::function<void()> make;
    };

    // Everything that is lost when the process dies.
    struct Process {
        TwinLoop loop;
        std::vector<std::unique_ptr<runner::DeviceRunner>> runners{};  // one
        TwinChannel* channel{};                                        // of the uplink
        std::unique_ptr<runner::UplinkRunner> uplink{};                // null: there is no manager

        runner::DeviceRunner& device_runner() const { return *runners.front(); }
    };

    AgentInTwin(twin::Twin&, twin::NodeId, std::unique_ptr<device::ManualClock>,
                std::shared_ptr<device::twin::RegisterGate>, std::unique_ptr<device::Device>,
                const watchdog::PolicyBook&, watchdog::Watchlist, const Options&);

    // RunnerHost
    void log(const runner::LogLine&) override {}
    void event_written(const runner::DeviceRunner&, const watchdog::Watchlist&, const watchdog::Event&,
                       const std::string& json) override;
    void settled(const runner::DeviceRunner&) override;
    void state_written(const runner::DeviceRunner&, const Result<void>&) override;
    void name_kept(const std::filesystem::path&, const Result<bool>&) override {}

    void post(const watchdog::Notice&) noexcept override;
    void deliver(const watchdog::Notice&);
    void on_node(twin::Ps when, std::function<void()>);
    void in_process(std::function<void(runner::DeviceRunner&)>);  // runs it in the process's loop, if a process runs
    CallAt until_death();
    void call(twin::Ps now, const std::function<void()>&);  // all code of the process runs in it
    void die_if(const scenario::KillAgent& reached);
    void begin();
    void begin_uplink(const CallAt&);
    void recall(const runner::Memory&);
    void end();
    void reconfigure(std::shared_ptr<const runner::Policies>, twin::Ps when);
    Duration takes(runner::JobKind, Instant begin) const;
    bool postpone(const watchdog::Command&, std::function<void()> write) override;
    Result<void> await(const watchdog::Command&) override;
    void make_writes(std::uint64_t until);
    Result<void> pass(device::slingshot::Register);

    twin::Twin& twin_;
    twin::NodeId node_;
    std::unique_ptr<device::ManualClock> clock_;
    std::shared_ptr<device::twin::RegisterGate> gate_;
    std::unique_ptr<device::Device> device_;
    device::FaultyDevice faults_;
    std::set<std::string> removed_ports_;
    device::RemovablePorts* opened_{};  // the device that the process has opened; null: none
    SimulatedDisk disk_;
    std::shared_ptr<const runner::Policies> policies_;
    std::uint32_t max_mitigated_;  // stays the same when policies change
    Options options_;
    Duration effect_after_{};  // from a write to its effect, by a fault
    Instant effects_until_{};  // the last write takes effect then
    std::deque<LateWrite> late_writes_;
    std::uint64_t late_write_{};  // number of the last one
    Instant hangs_until_{};       // calls that begin earlier return then
    bool notices_lost_{};
    scenario::DelayNotices notice_delay_;
    std::mt19937_64 notice_random_;
    scenario::KillAgent dies_;  // when the process dies, unless `at_once`
    std::uint64_t life_{};      // incremented by each start and each kill
    std::uint64_t last_report_{};
    std::vector<WrittenEvent> written_;
    std::vector<watchdog::Event> events_;
    std::vector<std::shared_ptr<const watchdog::Watchlist>> lists_;  // by event
    std::shared_ptr<const watchdog::Watchlist> list_;                // the last watchlist that was seen
    std::uint64_t list_generation_{};  // the runner's generation of list_; 0 = list_ was compiled by an earlier process
    std::unique_ptr<Process> process_;
};

}  // namespace petrel::lab
