// What the agent sends to the NOS, and how often: the real runners on a large synthetic switch, with a NOS that records
// everything it receives.
#include "daemon/nos_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>

#include "runtime/worker_thread.hpp"
#include "support/loop_thread.hpp"
#include "support/simulated_time.hpp"
#include "support/synthetic_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint16_t kSyntheticPorts = 400;
constexpr std::size_t kRows = kSyntheticPorts * std::size_t{kPriorities};
constexpr std::size_t kAtOnce = 2048;

class SyntheticDriver final : public Driver {
public:
    std::string_view kind() const override { return "synthetic"; }
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry& entry) override
    {
        return std::vector{entry};
    }
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId id,
                                                 const device::TimeSource& clock, NoteSink) override
    {
        device::SyntheticSwitch::Options options{
            .device = id, .ports = kSyntheticPorts, .priorities = {}, .port_rows = false};
        for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
            options.priorities.push_back(Priority{priority});
        }
        return std::make_unique<device::SyntheticSwitch>(options, clock);
    }
};

// Records the exchanges with the NOS; a test can wait for them.
class Diary {
public:
    void write(Nos::Report report)
    {
        std::unique_lock lock{mutex_};
        reports_.push_back(std::move(report));
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
    }
    Nos::Reply answer()
    {
        const std::lock_guard lock{mutex_};
        return answer_;
    }
    void answer(const Nos::Reply& answer)
    {
        const std::lock_guard lock{mutex_};
        answer_ = answer;
    }
    // Blocks every later exchange after it is recorded, and discards the earlier records.
    void hold()
    {
        const std::lock_guard lock{mutex_};
        reports_.clear();
        open_ = false;
    }
    void release()
    {
        const std::lock_guard lock{mutex_};
        open_ = true;
        changed_.notify_all();
    }

    // Waits until the exchanges since the last call satisfy `enough`, and returns them.
    template <class Enough>
    std::vector<Nos::Report> wait_until(Enough enough)
    {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return enough(reports_); });
        return std::exchange(reports_, {});
    }
    std::vector<Nos::Report> next(std::size_t exchanges)
    {
        return wait_until([&](const auto& report) { return report.size() >= exchanges; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Nos::Report> reports_;
    Nos::Reply answer_;
    bool open_{true};
};

class Listener final : public Nos {
public:
    explicit Listener(Diary& diary) : diary_(diary) {}
    std::string_view name() const override { return "the listener"; }
    Reply exchange(Report report) override
    {
        diary_.write(std::move(report));
        return diary_.answer();
    }
    Result<void> leave() override { return {}; }

private:
    Diary& diary_;
};

Nos::Reply wants_counts(Duration every)
{
    Nos::Reply reply;
    reply.counts_every = every;
    return reply;
}
Nos::Reply in_trouble(std::string what)
{
    Nos::Reply reply;
    reply.trouble = std::move(what);
    return reply;
}

std::size_t queues_in(const std::vector<Nos::Report>& all)
{
    std::size_t sum = 0;
    for (const auto& report : all) {
        sum += report.queues.size();
    }
    return sum;
}
std::size_t counts_in(const std::vector<Nos::Report>& all)
{
    std::size_t sum = 0;
    for (const auto& report : all) {
        sum += report.counts.size();
    }
    return sum;
}

class NosConversation : public testing::Test, protected RunnerHost {
protected:
    void begin(const Nos::Reply& answer)
    {
        diary.answer(answer);
        loop.in_loop([&] {
            RunnerSetup setup;
            setup.entry.name = "sw";
            setup.entry.driver = "synthetic:";
            setup.id = DeviceId{1};
            setup.driver = &driver;
            setup.clock = &clock;
            setup.worker = std::make_unique<runtime::WorkerThread>(runner::kMostJobs);
            setup.state_dir = folder.path();
            setup.history_events = 100;
            setup.hang_after = 1h;
            runners.push_back(make_runner(loop.loop(), *this, std::move(setup), policies).value());
            runners.front()->start({});
            nos = std::make_unique<NosRunner>(
                loop.loop(), std::make_unique<runtime::WorkerThread>(NosRunner::kMostJobs),
                std::make_unique<Listener>(diary), runners,
                NosRunner::Calls{[](const config::PolicyFile&) {},
                                 [this](const Log::Line& line) { lines.push_back(line.event); }});
            nos->start();
        });
    }

    void TearDown() override
    {
        diary.release();
        loop.in_loop([&] {
            nos.reset();
            runners.clear();
        });
    }

    std::vector<std::string> logged()
    {
        return loop.in_loop([&] { return lines; });
    }
    std::vector<Nos::Report> all_queues()
    {
        return diary.wait_until([](const auto& report) { return queues_in(report) >= kRows; });
    }
    void add_event(const watchdog::Event& event)
    {
        loop.in_loop(
            [&] { nos->event_written(*runners.front(), runners.front()->agent()->watchdog().watchlist(), event); });
    }

    void log(const Log::Line&) override {}
    void event_written(const DeviceRunner&, const watchdog::Watchlist&, const watchdog::Event&,
                       const std::string&) override
    {}
    void settled(const DeviceRunner&) override {}
    void state_written(const DeviceRunner&, const Result<void>&) override {}
    void name_kept(const std::filesystem::path&, const Result<bool>&) override {}

    test::TemporaryFolder folder;
    SyntheticDriver driver;
    runtime::SystemClock clock;
    Diary diary;
    std::shared_ptr<const FilePolicies> policies = std::make_shared<FilePolicies>(config::PolicyFile{});
    std::vector<std::unique_ptr<DeviceRunner>> runners;
    std::vector<std::string> lines;
    test::LoopThread loop;
    std::unique_ptr<NosRunner> nos;
};

TEST_F(NosConversation, QueuesAreSentOnceAndInParts)
{
    begin({});
    for (const auto& report : all_queues()) {
        EXPECT_LE(report.queues.size(), kAtOnce);
        EXPECT_THAT(report.counts, IsEmpty()) << "the NOS has not requested them";
    }
    EXPECT_EQ(queues_in(diary.next(3)), 0U);
}

TEST_F(NosConversation, CountersAreSentInPartsAtTheirInterval)
{
    begin(wants_counts(1h));
    std::set<std::pair<std::string, unsigned>> seen;
    for (const auto& report : diary.wait_until([](const auto& all) { return counts_in(all) >= kRows; })) {
        EXPECT_LE(report.counts.size(), kAtOnce);
        for (const auto& row : report.counts) {
            seen.emplace(row.port, row.priority);
        }
    }
    EXPECT_EQ(seen.size(), kRows);
    EXPECT_EQ(counts_in(diary.next(3)), 0U);
}

TEST_F(NosConversation, CountsAreOfTheLastLook)
{
    begin(wants_counts({}));
    const auto known = [](const auto& all) {
        return std::ranges::any_of(all, [](const Nos::Report& report) {
            return std::ranges::any_of(report.counts,
                                       [](const NosCounts& row) { return row.counts.rx_frames.has_value(); });
        });
    };
    const auto all = diary.wait_until(known);
    // An exchange during a look has no counts.
    const auto report =
        std::find_if(all.rbegin(), all.rend(), [](const Nos::Report& one) { return !one.counts.empty(); });
    const auto& last = report->counts.back();
    const auto now = clock.now().wall;
    EXPECT_LE(last.at, now);
    EXPECT_GT(last.at, now - 1h);
    diary.wait_until([](const auto& later) { return counts_in(later) >= 3 * kRows; });  // they are sent repeatedly
}

// Compiling the same policies again would block the loop and start an extra poll with every reload request.
TEST_F(NosConversation, TheSamePoliciesAgainAreNotBoundAgain)
{
    begin({});
    all_queues();
    const auto again = std::make_shared<FilePolicies>(*policies);
    EXPECT_TRUE(loop.in_loop([&] {
        const auto before = runners.front()->watchlist_generation();
        runners.front()->change(again);
        return runners.front()->watchlist_generation() == before;
    }));
}

TEST_F(NosConversation, NewPoliciesSendAllQueuesAgain)
{
    begin({});
    all_queues();
    auto file = policies->file();
    file.max_mitigated = 1;
    const auto others = std::make_shared<FilePolicies>(file);
    loop.in_loop([&] { runners.front()->change(others); });
    all_queues();
}

TEST_F(NosConversation, AnEventMarksTheQueuesOfItsTarget)
{
    begin({});
    all_queues();
    const auto report = [&] { return diary.wait_until([](const auto& all) { return queues_in(all) != 0; }); };
    watchdog::Event event;
    event.target = {{DeviceId{1}, 7}, Priority{3}};
    add_event(event);
    EXPECT_EQ(queues_in(report()), 1U);
    event.target.priority.reset();
    add_event(event);
    EXPECT_EQ(queues_in(report()), std::size_t{kPriorities}) << "all of its port";
    event.whole_device = true;
    add_event(event);
    EXPECT_EQ(queues_in(report()), kRows);
}

TEST_F(NosConversation, TroubleIsLoggedOnce)
{
    begin(in_trouble("away"));
    diary.next(4);
    EXPECT_THAT(logged(), ElementsAre("nos_trouble"));
    diary.answer(in_trouble("still away, otherwise"));
    diary.next(4);
    EXPECT_THAT(logged(), ElementsAre("nos_trouble", "nos_trouble"));
    diary.answer({});
    diary.next(4);
    EXPECT_THAT(logged(), ElementsAre("nos_trouble", "nos_trouble", "nos_good"));
}

TEST_F(NosConversation, TableRequestsAreBounded)
{
    begin({});
    diary.next(1);
    diary.hold();
    const auto answers = std::make_shared<std::vector<std::string>>();
    const auto at_once = loop.in_loop([&] {
        for (int i = 0; i != 65; ++i) {
            nos->tables(
                {}, [answers](const Result<control::TableReport>& answer) { answers->push_back(answer.error().what); });
        }
        return *answers;
    });
    EXPECT_THAT(at_once, ElementsAre("too many requests for tables at once: try again"));
}

// An exchange is under way when the stop begins. Events that arrive after it has begun go out in one more exchange.
TEST_F(NosConversation, TheStopSendsTheLastChangesAfterAnExchangeUnderWay)
{
    begin({});
    all_queues();
    diary.hold();
    diary.next(1);
    watchdog::Event event;
    event.kind = watchdog::EventKind::storm_released;
    event.target.priority = Priority{3};
    add_event(event);
    std::promise<void> left;
    loop.in_loop([&] { nos->stop([&] { left.set_value(); }); });
    diary.release();
    left.get_future().wait();
    const auto report = diary.next(0);
    ASSERT_THAT(report, testing::SizeIs(1));
    EXPECT_THAT(report.front().events, testing::SizeIs(1));
}

// The times of the exchanges, in simulated time and without devices.
class NosPace : public testing::Test {
protected:
    class Asked final : public Nos {
    public:
        explicit Asked(NosPace& test) : test_(test) {}
        std::string_view name() const override { return "asked"; }
        Reply exchange(Report) override
        {
            ++test_.asked_;
            Reply reply;
            reply.changes_fd = test_.changes_fd_;
            return reply;
        }
        Result<void> leave() override { return {}; }

    private:
        NosPace& test_;
    };

    void begin()
    {
        auto worker = std::make_unique<test::SimulatedWorker>(loop_, call_at_, NosRunner::kMostJobs);
        worker_ = worker.get();
        nos_ = std::make_unique<NosRunner>(loop_, std::move(worker), std::make_unique<Asked>(*this), runners_,
                                           NosRunner::Calls{[](const config::PolicyFile&) {}, [](const Log::Line&) {}});
        nos_->start();
        time_.run_for(10ms);
        asked_ = 0;
    }
    int asked_in(Duration duration)
    {
        loop_.turn();
        time_.run_for(duration);
        return std::exchange(asked_, 0);
    }

    test::SimulatedTime time_;
    lab::CallAt call_at_{[this](Instant when, std::function<void()> call) { time_.call_at(when, std::move(call)); }};
    lab::TwinLoop loop_{time_.clock(), call_at_};
    std::vector<std::unique_ptr<DeviceRunner>> runners_;
    int changes_fd_{-1};
    int asked_{};
    test::SimulatedWorker* worker_{};
    std::unique_ptr<NosRunner> nos_;
};

TEST_F(NosPace, ANosThatDoesNotShowItsChangesIsAskedTenTimesASecond)
{
    begin();
    EXPECT_THAT(asked_in(10s), testing::AllOf(testing::Ge(98), testing::Le(100)));
}

TEST_F(NosPace, ANosThatShowsItsChangesIsAskedOnceASecondAndWithThem)
{
    changes_fd_ = 7;
    begin();
    EXPECT_EQ(asked_in(10500ms), 10);
    for (int i = 0; i != 3; ++i) {
        ASSERT_TRUE(worker_->becomes_readable(changes_fd_));
        EXPECT_EQ(asked_in(110ms), 1) << i;
        EXPECT_EQ(asked_in(800ms), 0) << i;
    }
    nos_->set_overrides({{"Ethernet0", "rdma-switch"}});
    EXPECT_EQ(asked_in(110ms), 1) << "the agent has a change";
}

TEST_F(NosPace, ManyChangesAreExchangedTenTimesASecond)
{
    changes_fd_ = 7;
    begin();
    int asked = 0;
    for (int i = 0; i != 1000; ++i) {
        worker_->becomes_readable(changes_fd_);
        asked += asked_in(1ms);
    }
    EXPECT_THAT(asked, testing::AllOf(testing::Ge(9), testing::Le(10)));
}

}  // namespace
}  // namespace petrel::daemon
