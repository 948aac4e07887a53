// A worker thread runs jobs in order, and between them the job of a file that is readable.
#include "runtime/worker_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "device/waker.hpp"

namespace petrel::runtime {
namespace {

using runner::JobKind;

class WorkerThreadTest : public testing::Test {
protected:
    void run(std::function<void()> job) { ASSERT_TRUE(worker_.add(JobKind::other, std::move(job))); }
    // Waits until all jobs added so far are done.
    void finish()
    {
        std::promise<void> done;
        run([&] { done.set_value(); });
        done.get_future().get();
    }

    device::Waker file_;  // readable from wake() to reset()
    std::string order_;
    WorkerThread worker_{8};
};

TEST_F(WorkerThreadTest, RunsJobsInOrder)
{
    run([&] { order_ += 'a'; });
    run([&] { order_ += 'b'; });
    finish();
    EXPECT_EQ(order_, "ab");
}

TEST_F(WorkerThreadTest, RunsTheJobOfAReadableFileOnce)
{
    std::promise<void> read;
    run([&] {
        worker_.when_readable(file_.fd(), [&] {
            order_ += 'r';
            read.set_value();  // a second call would throw
        });
    });
    run([&] { order_ += 'a'; });
    finish();
    file_.wake();
    read.get_future().get();
    finish();
    EXPECT_EQ(order_, "ar");
}

TEST_F(WorkerThreadTest, JobsThatWaitComeFirst)
{
    std::promise<void> read;
    std::promise<void> added;
    run([&] {
        worker_.when_readable(file_.fd(), [&] {
            order_ += 'r';
            read.set_value();
        });
        file_.wake();
        added.get_future().get();
    });
    run([&] { order_ += 'a'; });
    added.set_value();
    read.get_future().get();
    EXPECT_EQ(order_, "ar");
}

TEST_F(WorkerThreadTest, ARequestCanBeTakenBack)
{
    run([&] {
        worker_.when_readable(file_.fd(), [&] { order_ += 'r'; });
        worker_.when_readable(-1, {});
        file_.wake();
    });
    finish();
    finish();
    EXPECT_EQ(order_, "");
}

}  // namespace
}  // namespace petrel::runtime
