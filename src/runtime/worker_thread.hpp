// A worker as a thread, for calls that may block and so must not run in the loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/time.hpp"
#include "device/waker.hpp"
#include "runner/worker.hpp"
#include "runtime/event_loop.hpp"

namespace petrel::runtime {

class WorkerThread final : public runner::Worker {
public:
    explicit WorkerThread(std::size_t most_jobs);
    ~WorkerThread() override;
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;

    [[nodiscard]] bool add(runner::JobKind, std::function<void()>) override;
    void when_readable(int fd, std::function<void()>) override;
    std::optional<Instant> busy_since() const override;  // may be called in any thread

private:
    void run();
    std::function<void()> next_job();

    const std::size_t most_jobs_;
    SystemClock clock_;
    std::atomic<std::int64_t> busy_since_ns_{};  // 0 = idle
    std::mutex mutex_;                           // guards jobs_ and stopping_
    std::deque<std::function<void()>> jobs_;
    bool stopping_{};
    device::Waker changed_;  // jobs_ or stopping_ changed
    // Used by the thread only.
    int readable_fd_{-1};
    std::function<void()> on_readable_;
    std::thread thread_;  // the last member: the thread uses all the others
};

}  // namespace petrel::runtime
