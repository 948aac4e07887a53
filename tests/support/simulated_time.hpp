// Simulated time for a service in a single thread: calls at given times, and workers whose jobs take time or hang. It
// continues when a service ends, and owns objects that outlive a service, such as a switch.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "device/manual_clock.hpp"
#include "lab/twin_loop.hpp"
#include "runner/worker.hpp"

namespace petrel::test {

class SimulatedTime {
public:
    SimulatedTime() = default;
    explicit SimulatedTime(device::ManualClock& clock) : clock_(clock) {}  // a clock that the test sets, too
    SimulatedTime(const SimulatedTime&) = delete;
    SimulatedTime& operator=(const SimulatedTime&) = delete;

    const device::TimeSource& clock() const { return clock_; }
    Instant now() const { return clock_.now().mono; }

    // Calls in the order of their times; those of the same time in the order in which they were planned.
    void call_at(Instant when, std::function<void()> call)
    {
        calls_.emplace(std::pair{std::max(when, now()), planned_++}, std::move(call));
    }

    // Makes the next call. False: there is none up to `end`, and it is `end` now.
    bool step(Instant end)
    {
        if (calls_.empty() || calls_.begin()->first.first > end) {
            clock_.set(std::max(end, now()));
            return false;
        }
        const auto next = calls_.extract(calls_.begin());
        clock_.set(std::max(next.key().first, now()));
        next.mapped()();
        return true;
    }

    void run_until(Instant end)
    {
        while (step(end)) {
        }
    }
    void run_for(Duration duration) { run_until(now() + duration); }

    // Makes calls until the condition holds. False: it did not within a time that only a hang exceeds.
    bool run_until(const std::function<bool()>& holds)
    {
        const auto end = now() + kHang;
        while (!holds()) {
            if (!step(end)) {
                return holds();
            }
        }
        return true;
    }

private:
    static constexpr Duration kHang = std::chrono::minutes{10};

    // Neither clock is near zero, as on a machine that runs for a while.
    device::ManualClock own_clock_{Instant{std::chrono::hours{1}},
                                   WallTime{std::chrono::sys_days{std::chrono::July / 1 / 2026}}};
    device::ManualClock& clock_{own_clock_};
    std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> calls_;
    std::uint64_t planned_{};
};

// A device call that hangs throws it before it has done anything. The worker makes the call again a little later, and
// counts all of it as one job.
struct Hang {};

class SimulatedWorker final : public runner::Worker {
public:
    SimulatedWorker(lab::TwinLoop& loop, lab::CallAt call_at, std::size_t most_jobs)
        : loop_(loop), call_at_(std::move(call_at)), most_jobs_(most_jobs)
    {}

    bool add(runner::JobKind, std::function<void()> job) override
    {
        if (jobs_.size() >= most_jobs_) {
            return false;
        }
        jobs_.push_back(std::move(job));
        if (jobs_.size() == 1) {
            begin();
        }
        return true;
    }
    void when_readable(int fd, std::function<void()> job) override { awaited_ = {fd, std::move(job)}; }
    // Files have no simulated time: the test says when one is readable. False: no job waits for it.
    bool becomes_readable(int fd)
    {
        const bool awaited = awaited_.first == fd;
        if (awaited) {
            add(runner::JobKind::other, std::exchange(awaited_, {-1, {}}).second);
        }
        return awaited;
    }
    std::optional<Instant> busy_since() const override { return jobs_.empty() ? std::nullopt : std::optional{begun_}; }

private:
    static constexpr Duration kJobTakes = std::chrono::milliseconds{1};

    void begin()
    {
        begun_ = loop_.now().mono;
        call_at_(begun_ + kJobTakes, [this] { run(); });
    }
    void run()
    {
        try {
            jobs_.front()();
        } catch (const Hang&) {
            return call_at_(loop_.now().mono + kJobTakes, [this] { run(); });
        }
        jobs_.pop_front();
        if (!jobs_.empty()) {
            begin();
        }
        loop_.turn();
    }

    lab::TwinLoop& loop_;
    lab::CallAt call_at_;
    std::size_t most_jobs_;
    std::deque<std::function<void()>> jobs_;  // the first one runs
    std::pair<int, std::function<void()>> awaited_{-1, {}};
    Instant begun_{};
};

}  // namespace petrel::test
