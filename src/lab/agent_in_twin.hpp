// One production agent on one node of the twin, in simulated time: a switch's watchdog, or the one in a NIC's
// micro-controller. It owns the device, the journal and the agent's life; what is watched, decided and timed is the
// agent's own business. The device answers one call after the other; each takes its time and touches the device at its
// end, when the agent hears the answer.
//
// Contract: stays where it is made, outlives the runs of the twin. Everything happens in calls of Twin::at on the
// agent's own node, so runs with agents are as deterministic, and as parallel, as without.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "agent/agent.hpp"
#include "base/result.hpp"
#include "device/manual_clock.hpp"
#include "device/synthetic/faulty_device.hpp"
#include "device/synthetic/memory_journal.hpp"
#include "lab/twin_device.hpp"
#include "twin/twin.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::lab {

class AgentInTwin final : device::NoticeSink {
public:
    struct Options : Hardware {
        Duration look_takes{};
        Duration command_takes{};
    };

    // Complains where the policies ask for what this device cannot tell.
    static Parsed<std::unique_ptr<AgentInTwin>> make(twin::Twin&, twin::NodeId, const watchdog::PolicyBook&,
                                                     const Options&);

    // The process begins, for the first time or again; and it dies, with what it had in mind and under way. What is in
    // force on the device and in the journal outlives it.
    void start(twin::Ps when);
    void kill(twin::Ps when);
    void order(const watchdog::Order&, twin::Ps when);  // nobody hears it while no process runs

    // Other policies, for this process and those after it. Complains as make() does.
    Parsed<void> change(const watchdog::PolicyBook&, twin::Ps when);

    // Something happens to the device, or to the clock.
    void on_device(twin::Ps when, std::function<void(device::FaultyDevice&)>);
    void looks_take(Duration, twin::Ps when);
    void step_wall_clock(std::chrono::microseconds by, twin::Ps when);

    // What the device is to do wrong from now on.
    device::FaultyDevice& faults() { return faults_; }

    const std::vector<watchdog::Event>& events() const { return events_; }  // of all lives
    const agent::Agent* agent() const { return process_ ? &process_->agent : nullptr; }
    const watchdog::Watchlist& watchlist() const { return list_; }
    device::Journal& journal() { return journal_; }

private:
    struct Look {
        std::uint64_t id{};
        std::vector<Slot> rows;
    };
    using Call = std::variant<Look, watchdog::Command>;

    // What dies with the process.
    struct Process {
        Process(const watchdog::Watchlist&, const agent::Start&, Now);

        agent::Output output;
        agent::Agent agent;
        watchdog::Intake intake;
        std::deque<Call> calls;  // of the device, in the order in which it answers them
        Instant device_free;     // it has answered them all
        Instant wake{kNever};    // the earliest wake-up that is on the node's agenda
    };

    AgentInTwin(twin::Twin&, twin::NodeId, std::unique_ptr<device::ManualClock>, std::unique_ptr<device::Device>,
                watchdog::PolicyBook, watchdog::Watchlist, const Options&);

    void post(const watchdog::Notice&) noexcept override;
    void on_node(twin::Ps when, std::function<void()>);
    void at(Instant, std::function<void()>);  // forgotten if the process dies before
    void begin();
    void step(const agent::Input&);
    void collect();
    void enqueue(Call, Duration takes, Instant deadline, agent::Input late);
    void answer_next();
    void answer(const Look&);
    void follow_speeds();
    void answer(const watchdog::Command&);
    void plan_wake();

    twin::Twin& twin_;
    twin::NodeId node_;
    std::unique_ptr<device::ManualClock> clock_;
    std::unique_ptr<device::Device> device_;
    device::FaultyDevice faults_;
    device::MemoryJournal journal_;
    watchdog::PolicyBook policies_;  // all it ever had; those of the last change are assigned
    watchdog::PolicyBook in_force_;  // the same, as assigned now
    watchdog::Watchlist list_;
    Options options_;
    std::optional<Process> process_;
    std::uint64_t life_{};  // grows with each start and each death
    std::vector<watchdog::Event> events_;
};

}  // namespace petrel::lab
