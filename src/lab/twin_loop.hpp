// The loop and the worker of a runner in simulated time. Both live on one node of the twin and stop with the process
// that they belong to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "device/device.hpp"
#include "runner/loop.hpp"
#include "runner/worker.hpp"

namespace petrel::lab {

// Calls back on the node at that time, with the node's clock set to it; not at all once the process is dead.
using CallAt = std::function<void(Instant, std::function<void()>)>;

class TwinLoop final : public runner::Loop {
public:
    TwinLoop(const device::TimeSource& clock, CallAt call_at) : clock_(clock), call_at_(std::move(call_at)) {}

    Now now() const override;
    TimerId at(Instant, std::function<void()>) override;
    void cancel(const TimerId& id) override { timers_.erase(id); }
    void post(std::function<void()> call) override { posted_.push_back(std::move(call)); }

    // Runs what is posted and due. The node calls it after everything that may have posted or planned something.
    void turn();

    // The callback under way takes so much longer: until then the loop does nothing else.
    void block(Duration by) { busy_until_ = now().mono + by; }

private:
    bool run_posted();
    bool run_timer(std::uint64_t planned_meanwhile);
    void arm();

    const device::TimeSource& clock_;
    CallAt call_at_;
    std::deque<std::function<void()>> posted_;
    std::map<TimerId, std::function<void()>> timers_;
    std::uint64_t next_timer_{1};
    std::set<Instant> wakes_;  // calls of turn() that the node has on its agenda
    Instant busy_until_{};
};

// Does one job after the other. A job takes its time and touches the device at its end.
class TwinWorker final : public runner::Worker {
public:
    using Takes = std::function<Duration(runner::JobKind)>;

    TwinWorker(TwinLoop& loop, CallAt call_at, Takes takes)
        : loop_(loop), call_at_(std::move(call_at)), takes_(std::move(takes))
    {}

    bool add(runner::JobKind, std::function<void()>) override;
    std::optional<Instant> busy_since() const override;

private:
    struct Job {
        Instant begin;
        Instant end;
        std::function<void()> work;
    };

    void finish_job();

    TwinLoop& loop_;
    CallAt call_at_;
    Takes takes_;
    std::deque<Job> jobs_;
    Instant free_{};  // all of them are done
};

}  // namespace petrel::lab
