#include "lab/twin_loop.hpp"

#include <algorithm>

namespace petrel::lab {

Now TwinLoop::now() const
{
    auto now = clock_.now();
    if (now.mono < busy_until_) {
        now.wall += std::chrono::floor<std::chrono::microseconds>(busy_until_ - now.mono);
        now.mono = busy_until_;
    }
    return now;
}

runner::Loop::TimerId TwinLoop::at(Instant when, std::function<void()> call)
{
    const TimerId id{when, next_timer_++};
    timers_.emplace(id, std::move(call));
    return id;
}

void TwinLoop::turn()
{
    const auto planned_meanwhile = next_timer_;
    while (clock_.now().mono >= busy_until_ && (run_posted() || run_timer(planned_meanwhile))) {
    }
    arm();
}

bool TwinLoop::run_posted()
{
    if (posted_.empty()) {
        return false;
    }
    const auto call = std::move(posted_.front());
    posted_.pop_front();
    call();
    return true;
}

// A timer that is set during this turn waits for the next turn, even if it is due now. Posted functions run first.
bool TwinLoop::run_timer(std::uint64_t planned_meanwhile)
{
    const auto now = clock_.now().mono;
    for (auto due = timers_.begin(); due != timers_.end() && due->first.first <= now; ++due) {
        if (due->first.second < planned_meanwhile) {
            const auto timer = timers_.extract(due);
            timer.mapped()();
            return true;
        }
    }
    return false;
}

// The twin cannot cancel a call. If an earlier call is needed, it is added and the later one stays.
void TwinLoop::arm()
{
    if (posted_.empty() && timers_.empty()) {
        return;
    }
    const auto first = posted_.empty() ? timers_.begin()->first.first : Instant{};
    const auto next = std::max({first, busy_until_, clock_.now().mono});
    if (next != kNever && (wakes_.empty() || next < *wakes_.begin())) {
        wakes_.insert(next);
        call_at_(next, [this, next] {
            wakes_.erase(next);
            turn();
        });
    }
}

bool TwinWorker::add(runner::JobKind kind, std::function<void()> work)
{
    if (jobs_.size() >= runner::kMostJobs) {
        return false;
    }
    const auto begin = std::max(free_, loop_.now().mono);
    free_ = begin + takes_(kind, begin);
    jobs_.push_back({begin, free_, std::move(work)});
    call_at_(free_, [this] { finish_job(); });
    return true;
}

// If several jobs end at the same time, the loop turns once, after the last of them, as it may with a thread. It then
// writes their results once.
void TwinWorker::finish_job()
{
    const auto end = jobs_.front().end;
    jobs_.front().work();
    jobs_.pop_front();
    if (jobs_.empty() || jobs_.front().end != end) {
        loop_.turn();
    }
}

std::optional<Instant> TwinWorker::busy_since() const
{
    if (jobs_.empty() || jobs_.front().begin > loop_.now().mono) {
        return std::nullopt;
    }
    return jobs_.front().begin;
}

}  // namespace petrel::lab
