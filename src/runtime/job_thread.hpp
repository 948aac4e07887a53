// A thread that runs one job after the other, for calls that may block and so must not run in the loop. The number of
// waiting jobs is bounded: add() refuses further ones.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/time.hpp"
#include "runtime/event_loop.hpp"

namespace petrel::runtime {

class JobThread {
public:
    explicit JobThread(std::size_t room);
    ~JobThread();  // waits for the job under way, drops the others
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    [[nodiscard]] bool add(std::function<void()>);  // false: there is no room

    // When the job under way began; none if no job runs. May be called in any thread.
    std::optional<Instant> busy_since() const;

private:
    void run();

    const std::size_t room_;
    SystemClock clock_;
    std::atomic<std::int64_t> busy_since_ns_{};  // 0 = idle
    std::mutex mutex_;                           // guards jobs_ and stopping_
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    bool stopping_{};
    std::thread thread_;  // the last member: the thread uses all the others
};

}  // namespace petrel::runtime
