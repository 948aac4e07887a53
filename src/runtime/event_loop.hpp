// The one loop of a service: a runner::Loop that also waits for files. It calls back for files, timers and posted
// calls. Everything that decides lives in its thread, so nothing there needs a lock.
//
// Contract: all but post() and stop() belong to the thread that runs the loop (before run(), to the one that will).
// A callback returns soon: whatever may block belongs to another thread. It may watch, unwatch, plan and cancel
// anything, itself included.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"
#include "runner/loop.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

// The machine's clocks.
class SystemClock final : public device::TimeSource {
public:
    Now now() const override;
};

class EventLoop final : public runner::Loop {
public:
    using OnFile = std::function<void(std::uint32_t events)>;  // EPOLLIN and the like

    static Result<std::unique_ptr<EventLoop>> make();

    Now now() const override { return clock_.now(); }

    // One callback for each file; the caller keeps the file open until unwatch().
    Result<void> watch(int fd, std::uint32_t events, OnFile);
    void rewatch(int fd, std::uint32_t events);  // waits for other events from now on
    void unwatch(int fd);

    TimerId at(Instant, std::function<void()>) override;
    void cancel(const TimerId&) override;
    void post(std::function<void()>) override;
    void stop();  // from any thread: run() returns when the callback under way is over

    // Called at the end of each turn, before the loop waits again.
    void after_each_turn(std::function<void()> call) { after_turn_ = std::move(call); }

    void run();

private:
    EventLoop(FileDescriptor epoll, FileDescriptor timer, FileDescriptor wake);

    void arm_timer();
    void run_timers();
    void run_posted();

    SystemClock clock_;
    FileDescriptor epoll_;
    FileDescriptor timer_;
    FileDescriptor wake_;
    struct Watched {
        std::uint64_t name{};
        std::shared_ptr<OnFile> call;
    };
    std::unordered_map<int, Watched> files_;
    std::uint32_t watches_{};
    std::map<TimerId, std::function<void()>> timers_;
    std::uint64_t next_timer_{1};
    Instant armed_{kNever};
    std::mutex mutex_;  // guards what is posted
    std::vector<std::function<void()>> posted_;
    bool stopping_{};  // the loop's own
    std::function<void()> after_turn_;
};

}  // namespace petrel::runtime
