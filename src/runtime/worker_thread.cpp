#include "runtime/worker_thread.hpp"

#include <poll.h>

#include <array>
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
    changed_.wake();
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
    changed_.wake();
    return true;
}

std::optional<Instant> WorkerThread::busy_since() const
{
    const auto since = busy_since_ns_.load(std::memory_order_relaxed);
    return since == 0 ? std::nullopt : std::optional{Instant{Duration{since}}};
}

void WorkerThread::when_readable(int fd, std::function<void()> job)
{
    readable_fd_ = fd;
    on_readable_ = std::move(job);
}

void WorkerThread::run()
{
    block_all_signals();
    while (const auto job = next_job()) {
        busy_since_ns_.store(clock_.now().mono.time_since_epoch().count(), std::memory_order_relaxed);
        job();
        busy_since_ns_.store(0, std::memory_order_relaxed);
    }
}

// Waits for a job; none = the thread ends. Jobs that wait come before the job of a readable file, so that a file that
// is always readable does not delay them.
std::function<void()> WorkerThread::next_job()
{
    for (bool readable = false;;) {
        {
            const std::lock_guard lock{mutex_};
            if (stopping_) {
                return {};
            }
            if (!jobs_.empty()) {
                auto job = std::move(jobs_.front());
                jobs_.pop_front();
                return job;
            }
        }
        if (readable) {
            readable_fd_ = -1;
            return std::exchange(on_readable_, {});
        }
        std::array<pollfd, 2> files{pollfd{changed_.fd(), POLLIN, 0}, pollfd{readable_fd_, POLLIN, 0}};
        ::poll(files.data(), files.size(), -1);
        changed_.reset();
        readable = files[1].revents != 0;
    }
}

}  // namespace petrel::runtime
