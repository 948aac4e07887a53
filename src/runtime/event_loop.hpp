// An event loop: a runner::Loop that also waits for file descriptors. It runs callbacks of files, timers and posted
// functions in one thread. All decisions of the service are made in one such thread, so they need no lock.
//
// Contract: only now(), post() and stop() may be called in any thread; all other calls belong to the thread that runs
// the loop (before run(), the thread that will run it). A callback must return soon: blocking calls belong to another
// thread. It may watch and unwatch files, and add and cancel timers, its own included.
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
    using OnFile = std::function<void(std::uint32_t events)>;  // EPOLLIN, EPOLLOUT ...

    static Result<std::unique_ptr<EventLoop>> make();

    Now now() const override { return clock_.now(); }

    // One callback per file descriptor. The caller keeps it open until unwatch().
    Result<void> watch(int fd, std::uint32_t events, OnFile);
    void rewatch(int fd, std::uint32_t events);  // changes the events to wait for
    void unwatch(int fd);

    TimerId at(Instant, std::function<void()>) override;
    void cancel(const TimerId&) override;
    void post(std::function<void()>) override;
    void stop();  // from any thread: run() returns after the callbacks that are due now

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
    std::mutex mutex_;  // guards posted_
    std::vector<std::function<void()>> posted_;
    bool stopping_{};  // used by the loop's thread only
    std::function<void()> after_turn_;
};

}  // namespace petrel::runtime
