#include "runtime/job_thread.hpp"

#include <utility>

#include "runtime/signals.hpp"

namespace petrel::runtime {

JobThread::JobThread(std::size_t room) : room_(room), thread_([this] { run(); }) {}

JobThread::~JobThread()
{
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        jobs_.clear();
    }
    changed_.notify_one();
    thread_.join();
}

bool JobThread::add(std::function<void()> job)
{
    {
        const std::lock_guard lock{mutex_};
        if (jobs_.size() >= room_) {
            return false;
        }
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

std::optional<Instant> JobThread::busy_since() const
{
    const auto since = busy_since_ns_.load(std::memory_order_relaxed);
    return since == 0 ? std::nullopt : std::optional{Instant{Duration{since}}};
}

void JobThread::run()
{
    block_all_signals();
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) {
            return;
        }
        {
            const auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            busy_since_ns_.store(clock_.now().mono.time_since_epoch().count(), std::memory_order_relaxed);
            job();
            busy_since_ns_.store(0, std::memory_order_relaxed);
        }
        lock.lock();
    }
}

}  // namespace petrel::runtime
