// Calls of a device: those that wait behind a look, and commands that come too late.
#include "runner/device_calls.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <deque>

#include "device/manual_clock.hpp"
#include "device/plain_device.hpp"
#include "lab/simulated_disk.hpp"

namespace petrel::runner {
namespace {

// Posted functions run when the test calls them.
class QueuedLoop final : public Loop {
public:
    Now now() const override { return {}; }
    TimerId at(Instant when, std::function<void()>) override { return {when, 0}; }
    void cancel(const TimerId&) override {}
    void post(std::function<void()> call) override { posted.push_back(std::move(call)); }

    void run()
    {
        for (; !posted.empty(); posted.pop_front()) {
            posted.front()();
        }
    }

    std::deque<std::function<void()>> posted;
};

// Jobs run when the test calls them.
class QueuedWorker final : public Worker {
public:
    using Awaited = std::pair<int, std::function<void()>>;

    QueuedWorker(std::deque<std::function<void()>>& jobs, const std::optional<Instant>& busy, Awaited& awaited)
        : jobs_(jobs), busy_(busy), awaited_(awaited)
    {}
    bool add(JobKind, std::function<void()> job) override
    {
        jobs_.push_back(std::move(job));
        return true;
    }
    void when_readable(int fd, std::function<void()> job) override { awaited_ = {fd, std::move(job)}; }
    std::optional<Instant> busy_since() const override { return busy_; }

private:
    std::deque<std::function<void()>>& jobs_;
    const std::optional<Instant>& busy_;
    Awaited& awaited_;
};

class DeviceWithWaker final : public device::PlainDevice {
public:
    DeviceWithWaker(const device::Waker*& waker, int& writes, const int& notices_at)
        : waker_(waker), writes_(writes), notices_at_(notices_at)
    {}
    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake&) override
    {
        waker_->reset();
        return {};
    }
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command&, const device::Undo&) override
    {
        ++writes_;
        return {};
    }
    Result<watchdog::Treatment> read_back(const Target&) override { return watchdog::Treatment::none; }
    void listen(device::NoticeSink& sink) override { sink_ = &sink; }
    int receive_notices() override
    {
        sink_->post({});
        return notices_at_;
    }
    void set_waker(const device::Waker& waker) override { waker_ = &waker; }

private:
    const device::Waker*& waker_;
    int& writes_;
    const int& notices_at_;
    device::NoticeSink* sink_{};
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
};

class DeviceCallsTest : public testing::Test, DeviceSource, device::NoticeSink {
protected:
    void SetUp() override
    {
        calls_.open([](const Result<Opened>& opened) { EXPECT_TRUE(opened); });
        run();
        ASSERT_NE(waker_, nullptr);
    }

    const device::TimeSource& clock() const override { return clock_; }
    Result<std::unique_ptr<device::Device>> open(NoteSink) override
    {
        return std::make_unique<DeviceWithWaker>(waker_, writes_, notices_at_);
    }
    void post(const watchdog::Notice&) noexcept override { ++notices_; }

    void run()
    {
        for (; !jobs_.empty(); jobs_.pop_front()) {
            jobs_.front()();
        }
        loop_.run();
    }

    bool woken() const
    {
        pollfd readable{waker_->fd(), POLLIN, 0};
        return ::poll(&readable, 1, 0) == 1;
    }

    void look()
    {
        calls_.look({1, {}, std::make_shared<watchdog::Intake>(watchdog::Inventory{}, watchdog::Capabilities{}), 0},
                    [](const Looked&) {});
    }
    void command()
    {
        calls_.carry_out({}, 1, [](const watchdog::Outcome&) {});
    }

    watchdog::Verdict verdict_of(const watchdog::Command& wanted, std::uint32_t numbering)
    {
        std::optional<watchdog::Verdict> verdict;
        calls_.carry_out(wanted, numbering, [&](const watchdog::Outcome& outcome) { verdict = outcome.verdict; });
        run();
        return verdict.value();
    }

    device::ManualClock clock_;
    int writes_{};  // to the device
    int notices_{};
    int notices_at_{-1};  // the file descriptor of the device
    QueuedWorker::Awaited awaited_{-1, {}};
    std::optional<Instant> busy_since_;
    lab::SimulatedDisk disk_;
    lab::DiskMemory memory_{disk_, [] {}};
    QueuedLoop loop_;
    std::deque<std::function<void()>> jobs_;
    const device::Waker* waker_{};
    DeviceCalls calls_{loop_, std::make_unique<QueuedWorker>(jobs_, busy_since_, awaited_),
                       *this, memory_,
                       *this, [](const std::string&) {},
                       {}};
};

TEST_F(DeviceCallsTest, ACommandWakesTheLookThatItWaitsBehind)
{
    look();
    EXPECT_FALSE(woken());
    command();
    EXPECT_TRUE(woken());
    run();
    EXPECT_FALSE(woken());
}

TEST_F(DeviceCallsTest, ACommandWithoutALookWakesNothing)
{
    look();
    run();
    command();
    EXPECT_FALSE(woken()) << "the next look would not wait";
    look();
    EXPECT_FALSE(woken()) << "the command does not wait behind this look";
}

// Notices that arrive at a file are received at once, and again whenever the file is readable, until there is no file.
TEST_F(DeviceCallsTest, TheWorkerWaitsForTheNoticesOfTheDevice)
{
    EXPECT_EQ(awaited_.first, -1) << "a device without a file";
    EXPECT_EQ(notices_, 1);
    notices_at_ = 42;
    calls_.open([](const Result<Opened>& opened) { EXPECT_TRUE(opened); });
    run();
    EXPECT_EQ(awaited_.first, 42);
    EXPECT_EQ(notices_, 2);
    notices_at_ = 43;
    QueuedWorker::Awaited{awaited_}.second();
    EXPECT_EQ(awaited_.first, 43);
    EXPECT_EQ(notices_, 3);
    calls_.close(config::StopPolicy::hold, [](const Result<void>& closed) { EXPECT_TRUE(closed); });
    run();
    EXPECT_EQ(awaited_.first, -1) << "the file is closed with the device";
}

TEST_F(DeviceCallsTest, ACommandWithNumbersOfAnOldInventoryIsNotCarriedOut)
{
    EXPECT_EQ(verdict_of({}, 0), watchdog::Verdict::failed);
    EXPECT_EQ(writes_, 0);
    verdict_of({}, 1);
    EXPECT_EQ(writes_, 1);
}

// The agent has counted it as timed out.
TEST_F(DeviceCallsTest, ACommandThatBeginsAfterItsDeadlineIsNotCarriedOut)
{
    watchdog::Command wanted;
    wanted.deadline = Instant{std::chrono::seconds{1}};
    busy_since_ = wanted.deadline;
    EXPECT_EQ(verdict_of(wanted, 1), watchdog::Verdict::timed_out);
    EXPECT_EQ(writes_, 0);
    busy_since_ = wanted.deadline - std::chrono::nanoseconds{1};
    verdict_of(wanted, 1);
    EXPECT_EQ(writes_, 1);
}

}  // namespace
}  // namespace petrel::runner
