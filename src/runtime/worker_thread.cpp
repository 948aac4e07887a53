#include "runtime/worker_thread.hpp"

#include <utility>

#include "runtime/signals.hpp"

namespace petrel::runtime {

WorkerThread::WorkerThread(std::size_t most_jobs) : most_jobs_(most_jobs), thread_([this] { run(); }) {}

WorkerThread::~WorkerThread()
{
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        jobs_.clear();
    }
    changed_.notify_one();
    thread_.join();
}

bool WorkerThread::add(runner::JobKind, std::function<void()> job)
{
    {
        const std::lock_guard lock{mutex_};
        if (jobs_.size() >= most_jobs_) {
            return false;
        }
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

std::optional<Instant> WorkerThread::busy_since() const
{
    const auto since = busy_since_ns_.load(std::memory_order_relaxed);
    return since == 0 ? std::nullopt : std::optional{Instant{Duration{since}}};
}

void WorkerThread::run()
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
