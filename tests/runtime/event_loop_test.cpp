// The guarantees of the loop: due timers are called in order, callbacks of cancelled timers and unwatched files are not
// called, and other threads may post at any time.
#include "runtime/event_loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace petrel::runtime {
namespace {

using std::chrono::milliseconds;

struct Pipe {
    Pipe()
    {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
        reader = FileDescriptor{ends[0]};
        writer = FileDescriptor{ends[1]};
    }
    void write() const { EXPECT_EQ(::write(writer.get(), "x", 1), 1); }
    void read() const
    {
        char byte{};
        EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
    }

    FileDescriptor reader;
    FileDescriptor writer;
};

// Stops the loop after everything that is due now.
void stop_soon(EventLoop& loop, Duration after = milliseconds{1})
{
    loop.at(loop.now().mono + after, [&loop] { loop.stop(); });
}

RC_GTEST_PROP(EventLoop, TimersComeInOrderAndOnlyThoseThatWereNotCancelled, ())
{
    const auto loop = EventLoop::make().value();
    const auto moments = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-3, 4));
    const auto cancelled = *rc::gen::container<std::vector<bool>>(moments.size(), rc::gen::arbitrary<bool>());
    const auto start = loop->now().mono;

    std::vector<std::pair<int, std::size_t>> wanted;
    std::vector<std::pair<int, std::size_t>> called;
    std::vector<EventLoop::TimerId> ids;
    for (std::size_t i = 0; i < moments.size(); ++i) {
        const auto when = start + std::chrono::microseconds{50 * moments[i]};
        ids.push_back(loop->at(when, [&, i, when] {
            RC_ASSERT(loop->now().mono >= when);
            called.emplace_back(moments[i], i);
        }));
        if (!cancelled[i]) {
            wanted.emplace_back(moments[i], i);
        }
    }
    for (std::size_t i = 0; i < moments.size(); ++i) {
        if (cancelled[i]) {
            loop->cancel(ids[i]);
        }
    }
    std::sort(wanted.begin(), wanted.end());
    stop_soon(*loop);
    loop->run();
    RC_ASSERT(called == wanted);
}

TEST(EventLoop, ATimerMayCancelOneThatIsDueWithIt)
{
    const auto loop = EventLoop::make().value();
    const auto now = loop->now().mono;
    bool called = false;
    EventLoop::TimerId second;
    const auto first = loop->at(now, [&] { loop->cancel(second); });
    second = loop->at(now, [&] { called = true; });
    stop_soon(*loop);
    loop->run();
    EXPECT_FALSE(called);
    loop->cancel(first);  // it has expired: no effect
}

// A timer that always sets itself again for a past time does not delay files, posts and other timers.
TEST(EventLoop, ATimerThatIsAlwaysDueDoesNotStarveOthers)
{
    const auto loop = EventLoop::make().value();
    Pipe pipe;
    pipe.write();
    bool file = false;
    bool posted = false;
    bool timer = false;
    bool all_called = false;
    int turns = 0;
    std::function<void()> again = [&] {
        all_called = file && posted && timer;
        if (all_called || ++turns == 100'000) {
            loop->stop();
        } else {
            loop->at(Instant{}, again);
        }
    };
    ASSERT_TRUE(loop->watch(pipe.reader.get(), EPOLLIN, [&](std::uint32_t) {
        file = true;
        loop->unwatch(pipe.reader.get());
    }));
    loop->at(Instant{}, again);
    loop->at(loop->now().mono, [&] { timer = true; });
    loop->post([&] { posted = true; });
    loop->run();
    EXPECT_TRUE(all_called) << "file " << file << ", posted " << posted;
}

TEST(EventLoop, AFileIsCalledWhenItIsReady)
{
    const auto loop = EventLoop::make().value();
    const Pipe pipe;
    int called = 0;
    ASSERT_TRUE(loop->watch(pipe.reader.get(), EPOLLIN, [&](std::uint32_t events) {
        EXPECT_NE(events & EPOLLIN, 0U);
        pipe.read();
        if (++called == 3) {
            loop->stop();
        } else {
            pipe.write();
        }
    }));
    pipe.write();
    loop->run();
    EXPECT_EQ(called, 3);
    EXPECT_FALSE(loop->watch(-1, EPOLLIN, {}));
}

TEST(EventLoop, AFileThatIsRewatchedForNothingIsNotCalled)
{
    const auto loop = EventLoop::make().value();
    const Pipe pipe;
    pipe.write();
    int called = 0;
    ASSERT_TRUE(loop->watch(pipe.reader.get(), EPOLLIN, [&](std::uint32_t) {
        ++called;
        loop->rewatch(pipe.reader.get(), 0);
        stop_soon(*loop);
    }));
    loop->run();
    EXPECT_EQ(called, 1);
}

// Both files are ready in the same round. The first callback unwatches both.
TEST(EventLoop, AFileThatIsUnwatchedInTheSameRoundIsNotCalled)
{
    const auto loop = EventLoop::make().value();
    const std::array<Pipe, 2> pipes;
    std::array<int, 2> called{};
    for (std::size_t i = 0; i < 2; ++i) {
        pipes[i].write();
        ASSERT_TRUE(loop->watch(pipes[i].reader.get(), EPOLLIN, [&, i](std::uint32_t) {
            ++called[i];
            loop->unwatch(pipes[0].reader.get());
            loop->unwatch(pipes[1].reader.get());
            stop_soon(*loop);
        }));
    }
    loop->run();
    EXPECT_EQ(called[0] + called[1], 1);
}

// A callback closes another ready file, and a new file gets its descriptor. The pending event of the old file does not
// reach the callback of the new one.
TEST(EventLoop, ANewFileWithAReusedDescriptorGetsNoOldEvents)
{
    const auto loop = EventLoop::make().value();
    std::array<Pipe, 2> pipes;
    Pipe silent;
    bool replaced = false;
    for (std::size_t i = 0; i < 2; ++i) {
        pipes[i].write();
        ASSERT_TRUE(loop->watch(pipes[i].reader.get(), EPOLLIN, [&, other = 1 - i](std::uint32_t) {
            ASSERT_FALSE(replaced);
            replaced = true;
            const int number = pipes[other].reader.get();
            loop->unwatch(pipes[0].reader.get());
            loop->unwatch(pipes[1].reader.get());
            ASSERT_EQ(::dup2(silent.reader.get(), number), number);
            ASSERT_TRUE(loop->watch(number, EPOLLIN, [](std::uint32_t) { FAIL() << "nothing was written to it"; }));
            stop_soon(*loop);
        }));
    }
    loop->run();
    EXPECT_TRUE(replaced);
}

TEST(EventLoop, ACallbackMayRemoveItself)
{
    const auto loop = EventLoop::make().value();
    const Pipe pipe;
    pipe.write();
    const auto kept = std::make_shared<int>(7);
    ASSERT_TRUE(loop->watch(pipe.reader.get(), EPOLLIN, [&, mine = kept](std::uint32_t) {
        loop->unwatch(pipe.reader.get());
        EXPECT_EQ(*mine, 7) << "the callback exists until it returns";
        loop->stop();
    }));
    loop->run();
    EXPECT_EQ(kept.use_count(), 1);
}

TEST(EventLoop, PostsFromManyThreadsAllArriveInTheOrderOfEach)
{
    constexpr int kThreads = 4;
    constexpr int kPosts = 2'000;
    const auto loop = EventLoop::make().value();
    std::array<int, kThreads> next{};
    int arrived = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kPosts; ++i) {
                loop->post([&, t, i] {
                    EXPECT_EQ(next[static_cast<std::size_t>(t)]++, i);
                    if (++arrived == kThreads * kPosts) {
                        loop->stop();
                    }
                });
            }
        });
    }
    loop->run();
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(arrived, kThreads * kPosts);
}

TEST(EventLoop, StopFromAnotherThreadEndsALoopThatWaitsForNothing)
{
    const auto loop = EventLoop::make().value();
    std::thread other{[&] { loop->stop(); }};
    loop->run();
    other.join();
}

TEST(EventLoop, ItCanRunAgainAfterAStop)
{
    const auto loop = EventLoop::make().value();
    for (int i = 0; i < 3; ++i) {
        bool called = false;
        loop->post([&] {
            called = true;
            loop->stop();
        });
        loop->run();
        EXPECT_TRUE(called);
    }
}

}  // namespace
}  // namespace petrel::runtime
