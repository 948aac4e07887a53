// The loop and the worker of a runner in simulated time. Both run on one node of the twin and stop with their process.
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

// Calls the function on the node at that time, with the node's clock set to it. Does not call it if the process is dead
// by then.
using CallAt = std::function<void(Instant, std::function<void()>)>;

class TwinLoop final : public runner::Loop {
public:
    TwinLoop(const device::TimeSource& clock, CallAt call_at) : clock_(clock), call_at_(std::move(call_at)) {}

    Now now() const override;
    TimerId at(Instant, std::function<void()>) override;
    void cancel(const TimerId& id) override { timers_.erase(id); }
    void post(std::function<void()> call) override { posted_.push_back(std::move(call)); }

    // Runs posted functions and due timers. The node calls it after every call that may have posted a function or set a
    // timer.
    void turn();

    // Makes the running callback take this much longer: until then the loop runs nothing else.
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

// Runs one job after the other. A job takes simulated time and calls the device at the end of it.
class TwinWorker final : public runner::Worker {
public:
    using Takes = std::function<Duration(runner::JobKind, Instant begin)>;

    TwinWorker(TwinLoop& loop, CallAt call_at, Takes takes)
        : loop_(loop), call_at_(std::move(call_at)), takes_(std::move(takes))
    {}

    bool add(runner::JobKind, std::function<void()>) override;
    void when_readable(int, std::function<void()>) override {}
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
    Instant free_{};  // when all jobs are done
};

}  // namespace petrel::lab
