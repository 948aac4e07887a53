// A thread that does one job after the other: whatever may block belongs here and not into the loop. Room for jobs is
// bounded; who asks for more is told so at once.
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
    ~JobThread();  // waits for the job under way, forgets the others
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    [[nodiscard]] bool add(std::function<void()>);  // false: there is no room

    // Since when the job under way has been; none if there is none. From any thread.
    std::optional<Instant> busy_since() const;

private:
    void run();

    const std::size_t room_;
    SystemClock clock_;
    std::atomic<std::int64_t> busy_since_ns_{};  // 0 = idle
    std::mutex mutex_;                           // guards the three below
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    bool stopping_{};
    std::thread thread_;  // the last: it uses all the others
};

}  // namespace petrel::runtime
