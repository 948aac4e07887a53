#include "runtime/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/assert.hpp"

namespace petrel::runtime {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::int64_t read_clock(clockid_t clock)
{
    timespec now{};
    ::clock_gettime(clock, &now);
    return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

Error loop_error(std::string_view what, int error_number)
{
    return {ErrorKind::exhausted, std::string{what} + ": " + std::generic_category().message(error_number)};
}

// The key of a watched file in epoll: the file descriptor in the low bits and a count above, because the kernel reuses
// descriptors.
constexpr int kFdBits = 32;
constexpr std::uint64_t kFdMask = 0xffff'ffff;

epoll_event interest(std::uint32_t events, std::uint64_t name)
{
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.u64 = name;
    return wanted;
}

// Resets the counter of an eventfd or timerfd.
void drain(int fd)
{
    std::uint64_t count{};
    while (::read(fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

}  // namespace

Now SystemClock::now() const
{
    return {Instant{Duration{read_clock(CLOCK_MONOTONIC)}},
            WallTime{std::chrono::microseconds{read_clock(CLOCK_REALTIME) / 1000}}};
}

Result<std::unique_ptr<EventLoop>> EventLoop::make()
{
    FileDescriptor epoll{::epoll_create1(EPOLL_CLOEXEC)};
    FileDescriptor timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    FileDescriptor wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (epoll.get() < 0 || timer.get() < 0 || wake.get() < 0) {
        return tl::unexpected(loop_error("cannot make an event loop", errno));
    }
    std::unique_ptr<EventLoop> loop{new EventLoop{std::move(epoll), std::move(timer), std::move(wake)}};
    auto timer_watched = loop->watch(loop->timer_.get(), EPOLLIN, [raw = loop.get()](std::uint32_t) {
        drain(raw->timer_.get());
        raw->armed_ = kNever;
    });
    auto wake_watched =
        loop->watch(loop->wake_.get(), EPOLLIN, [raw = loop.get()](std::uint32_t) { drain(raw->wake_.get()); });
    if (!timer_watched || !wake_watched) {
        return tl::unexpected(!timer_watched ? timer_watched.error() : wake_watched.error());
    }
    return loop;
}

EventLoop::EventLoop(FileDescriptor epoll, FileDescriptor timer, FileDescriptor wake)
    : epoll_(std::move(epoll)), timer_(std::move(timer)), wake_(std::move(wake))
{}

Result<void> EventLoop::watch(int fd, std::uint32_t events, OnFile call)
{
    const auto name = (std::uint64_t{++watches_} << kFdBits) | static_cast<std::uint32_t>(fd);
    auto wanted = interest(events, name);
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) {
        return tl::unexpected(loop_error("cannot wait for a file", errno));
    }
    files_[fd] = {name, std::make_shared<OnFile>(std::move(call))};
    return {};
}

void EventLoop::rewatch(int fd, std::uint32_t events)
{
    const auto file = files_.find(fd);
    PETREL_ASSERT(file != files_.end(), "file {} is watched", fd);
    auto wanted = interest(events, file->second.name);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &wanted);
}

void EventLoop::unwatch(int fd)
{
    if (files_.erase(fd) != 0) {
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    }
}

EventLoop::TimerId EventLoop::at(Instant when, std::function<void()> call)
{
    const TimerId id{when, next_timer_++};
    timers_.emplace(id, std::move(call));
    return id;
}

void EventLoop::cancel(const TimerId& id) { timers_.erase(id); }

void EventLoop::post(std::function<void()> call)
{
    {
        const std::lock_guard lock{mutex_};
        posted_.push_back(std::move(call));
        if (posted_.size() != 1) {
            return;  // the call that posted the first one wakes the loop
        }
    }
    const std::uint64_t one = 1;
    // Fails only if the counter is full: then the loop is awake already.
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void EventLoop::stop()
{
    post([this] { stopping_ = true; });
}

void EventLoop::run()
{
    std::array<epoll_event, 64> happened{};
    while (!stopping_) {
        run_posted();
        run_timers();
        if (stopping_) {
            break;
        }
        arm_timer();
        const auto count = ::epoll_wait(epoll_.get(), happened.data(), static_cast<int>(happened.size()), -1);
        for (int i = 0; i < count; ++i) {
            const auto& event = happened[static_cast<std::size_t>(i)];
            // An earlier callback of this turn may have unwatched the file, or the descriptor may belong to a new file:
            // then do not call. The copy of `call` keeps the callback alive while it runs.
            const auto file = files_.find(static_cast<int>(event.data.u64 & kFdMask));
            if (file != files_.end() && file->second.name == event.data.u64) {
                const auto call = file->second.call;
                (*call)(event.events);
            }
        }
        if (after_turn_) {
            after_turn_();
        }
    }
    stopping_ = false;
}

void EventLoop::arm_timer()
{
    const auto next = timers_.empty() ? kNever : timers_.begin()->first.first;
    if (next == armed_) {
        return;
    }
    armed_ = next;
    itimerspec when{};
    if (next != kNever) {
        // Zero would disarm the timer. A time in the past fires at once.
        const auto ns = std::max<std::int64_t>(next.time_since_epoch().count(), 1);
        when.it_value = {ns / kNsPerSecond, ns % kNsPerSecond};
    }
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

// Runs the timers that are due now, but none that these callbacks add: a timer that plans itself again for now or the
// past must not starve the rest.
void EventLoop::run_timers()
{
    const auto now = clock_.now().mono;
    const auto planned_meanwhile = next_timer_;
    for (auto due = timers_.begin(); due != timers_.end() && due->first.first <= now;) {
        if (due->first.second >= planned_meanwhile) {
            ++due;
            continue;
        }
        const auto timer = timers_.extract(due);
        timer.mapped()();
        due = timers_.upper_bound(timer.key());
    }
}

void EventLoop::run_posted()
{
    std::vector<std::function<void()>> calls;
    {
        const std::lock_guard lock{mutex_};
        calls.swap(posted_);
    }
    for (const auto& call : calls) {
        call();
    }
}

}  // namespace petrel::runtime
