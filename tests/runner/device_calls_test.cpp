// Calls of a device: those that wait behind a look, and commands that come too late.
#include "runner/device_calls.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>

#include <deque>

#include "device/manual_clock.hpp"
#include "device/plain_device.hpp"
#include "lab/simulated_disk.hpp"

namespace petrel::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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

    QueuedWorker(std::deque<std::function<void()>>& jobs, const bool& full, const std::optional<Instant>& busy,
                 Awaited& awaited)
        : jobs_(jobs), full_(full), busy_(busy), awaited_(awaited)
    {}
    bool add(JobKind, std::function<void()> job) override
    {
        if (!full_) {
            jobs_.push_back(std::move(job));
        }
        return !full_;
    }
    void when_readable(int fd, std::function<void()> job) override { awaited_ = {fd, std::move(job)}; }
    std::optional<Instant> busy_since() const override { return busy_; }

private:
    std::deque<std::function<void()>>& jobs_;
    const bool& full_;
    const std::optional<Instant>& busy_;
    Awaited& awaited_;
};

class DeviceWithWaker final : public device::PlainDevice {
public:
    DeviceWithWaker(const device::Waker*& waker, std::vector<std::string>& steps, const int& notices_at,
                    bool acts_later)
        : waker_(waker), steps_(steps), notices_at_(notices_at)
    {
        capabilities_.acts_later = acts_later;
    }
    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake&) override
    {
        waker_->reset();
        steps_.emplace_back("look");
        return {};
    }
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command& command, const device::Undo&) override
    {
        steps_.push_back(fmt::format("write {}", command.id));
        return {};
    }
    Result<void> await_effect(const watchdog::Command& command) override
    {
        steps_.push_back(fmt::format("await {}", command.id));
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
    std::vector<std::string>& steps_;
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
        return std::make_unique<DeviceWithWaker>(waker_, steps_, notices_at_, acts_later_);
    }
    void post(const watchdog::Notice&) noexcept override { ++notices_; }

    void run()
    {
        while (!jobs_.empty()) {
            run_job();
        }
        loop_.run();
    }

    void run_job()
    {
        jobs_.front()();
        jobs_.pop_front();
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
    static Target queue(std::uint16_t port) { return {{{}, port}, Priority{3}}; }
    void command(std::uint64_t id = 0) { command(id, queue(static_cast<std::uint16_t>(id))); }
    void command(std::uint64_t id, const Target& target)
    {
        watchdog::Command wanted;
        wanted.id = id;
        wanted.target = target;
        calls_.carry_out(wanted, numbering_,
                         [this](const watchdog::Outcome& outcome) { outcomes_.push_back(outcome.command); });
    }

    // Opens the device again, as one that acts later.
    void act_later()
    {
        acts_later_ = true;
        calls_.open([this](const Result<Opened>& opened) { numbering_ = opened.value().numbering; });
        run();
    }

    watchdog::Verdict verdict_of(const watchdog::Command& wanted, std::uint32_t numbering)
    {
        std::optional<watchdog::Verdict> verdict;
        calls_.carry_out(wanted, numbering, [&](const watchdog::Outcome& outcome) { verdict = outcome.verdict; });
        run();
        return verdict.value();
    }

    device::ManualClock clock_;
    std::uint32_t numbering_{1};
    std::vector<std::uint64_t> outcomes_;  // the commands that are done
    std::vector<std::string> steps_;       // calls of the device
    bool acts_later_{};
    int notices_{};
    int notices_at_{-1};  // the file descriptor of the device
    QueuedWorker::Awaited awaited_{-1, {}};
    std::optional<Instant> busy_since_;
    lab::SimulatedDisk disk_;
    lab::DiskMemory memory_{disk_, [] {}};
    QueuedLoop loop_;
    std::deque<std::function<void()>> jobs_;
    bool full_{};  // the worker has no room for more jobs
    const device::Waker* waker_{};
    DeviceCalls calls_{loop_, std::make_unique<QueuedWorker>(jobs_, full_, busy_since_, awaited_),
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
    EXPECT_THAT(steps_, IsEmpty());
    verdict_of({}, 1);
    EXPECT_THAT(steps_, ElementsAre("write 0", "await 0"));
}

// The agent has counted it as timed out.
TEST_F(DeviceCallsTest, ACommandThatBeginsAfterItsDeadlineIsNotCarriedOut)
{
    watchdog::Command wanted;
    wanted.deadline = Instant{std::chrono::seconds{1}};
    busy_since_ = wanted.deadline;
    EXPECT_EQ(verdict_of(wanted, 1), watchdog::Verdict::timed_out);
    EXPECT_THAT(steps_, IsEmpty());
    busy_since_ = wanted.deadline - std::chrono::nanoseconds{1};
    verdict_of(wanted, 1);
    EXPECT_THAT(steps_, ElementsAre("write 0", "await 0"));
}

TEST_F(DeviceCallsTest, CommandsAreCarriedOutOneByOne)
{
    command(1);
    command(2);
    run();
    EXPECT_THAT(steps_, ElementsAre("write 1", "await 1", "write 2", "await 2"));
}

TEST_F(DeviceCallsTest, ADeviceThatActsLaterIsWrittenAllCommandsThatWait)
{
    act_later();
    command(1);
    command(2);
    command(3);
    run_job();
    EXPECT_THAT(steps_, ElementsAre("write 1", "write 2", "write 3", "await 1"));
    loop_.run();
    EXPECT_THAT(outcomes_, ElementsAre(1U)) << "an outcome does not wait for the other commands";
    command(4);
    run();
    EXPECT_THAT(steps_,
                ElementsAre("write 1", "write 2", "write 3", "await 1", "await 2", "await 3", "write 4", "await 4"));
    EXPECT_THAT(outcomes_, ElementsAre(1U, 2U, 3U, 4U));
}

// The look may change the inventory, so that the target of a later command is another queue.
TEST_F(DeviceCallsTest, NoCommandOvertakesALook)
{
    act_later();
    command(1);
    look();
    command(2);
    run();
    EXPECT_THAT(steps_, ElementsAre("write 1", "await 1", "look", "write 2", "await 2"));
}

// The read-back of the first one would show the effect of the second one, and close its journal entry.
TEST_F(DeviceCallsTest, ASecondCommandForATargetIsWrittenWhenTheFirstOneIsFinished)
{
    act_later();
    command(1);
    command(2);
    command(3, queue(1));
    command(4);
    run();
    EXPECT_THAT(steps_,
                ElementsAre("write 1", "write 2", "await 1", "await 2", "write 3", "write 4", "await 3", "await 4"));
    steps_.clear();
    command(5, queue(7));
    command(6, {queue(7).port, std::nullopt});
    command(7, {queue(7).port, Priority{4}});
    run();
    EXPECT_THAT(steps_, ElementsAre("write 5", "await 5", "write 6", "await 6", "write 7", "await 7"))
        << "a port has all its queues";
}

TEST_F(DeviceCallsTest, ARefusedCommandIsNotWrittenWithTheOthers)
{
    act_later();
    command(1);
    full_ = true;
    command(2);
    full_ = false;
    command(3);
    run();
    EXPECT_THAT(steps_, ElementsAre("write 1", "write 3", "await 1", "await 3"));
    EXPECT_THAT(outcomes_, UnorderedElementsAre(1U, 2U, 3U));
}

}  // namespace
}  // namespace petrel::runner
