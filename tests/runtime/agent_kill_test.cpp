// kill -9 at every point between prepare, journal, apply, read-back and close, during mitigation and during
// restoration, with a state file that survives and with one that is lost. The next process leaves no queue mitigated
// without a reason and releases no queue that is still in a storm. The processes and their files are real; the switch
// is synthetic, and its registers outlive the processes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "codec/checkpoint_json.hpp"
#include "journal_fixture.hpp"
#include "runtime/file_memory.hpp"
#include "support/simulated_runner.hpp"
#include "support/synthetic_switch.hpp"
#include "support/world.hpp"

namespace petrel::runtime {
namespace {

using namespace std::chrono_literals;
using device::FaultPoint;
using watchdog::EventKind;
using watchdog::Phase;
using watchdog::Treatment;

constexpr Duration kDetect = 400ms;
constexpr Duration kRestore = 2s;
constexpr Duration kPoll = 100ms;
constexpr Instant kStormFrom{1s};

constexpr std::uint32_t kConfigured = 0x1234;  // value of the queue's register before the first mitigation

// The state that outlives a process, besides its files: the registers of the switch and the current time.
struct Outside {
    std::uint32_t configuration{kConfigured};
    Treatment in_force{};
    Duration now{};
    std::uint64_t released_in_storm{};
};

class SharedMemory {
public:
    SharedMemory()
        : memory_(::mmap(nullptr, sizeof(Outside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    {
        *get() = {};
    }
    ~SharedMemory() { ::munmap(memory_, sizeof(Outside)); }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    Outside* get() const { return static_cast<Outside*>(memory_); }

private:
    void* memory_;
};

// The synthetic switch; it also stores its treatment in Outside.
class DurableSwitch final : public device::Device {
public:
    DurableSwitch(device::SyntheticSwitch& sw, const Target& queue, Outside& outside, std::function<bool()> in_storm)
        : switch_(sw), queue_(queue), outside_(outside), in_storm_(std::move(in_storm))
    {
        switch_.configure(queue_, outside_.configuration);
    }

    const watchdog::Inventory& inventory() const override { return switch_.inventory(); }
    const watchdog::Capabilities& capabilities() const override { return switch_.capabilities(); }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override { return switch_.look(rows, into); }
    Result<device::Undo> prepare(const watchdog::Command& c) override { return switch_.prepare(c); }
    Result<void> await_effect(const watchdog::Command& c) override { return switch_.await_effect(c); }
    Result<Treatment> read_back(const Target& target) override { return switch_.read_back(target); }
    bool treated_by_others() const override { return switch_.treated_by_others(); }
    void listen(device::NoticeSink& sink) override { switch_.listen(sink); }
    int receive_notices() override { return switch_.receive_notices(); }
    Result<std::vector<device::Delegated>> delegate_detection(std::span<const device::DelegatedRow> rows) override
    {
        return switch_.delegate_detection(rows);
    }
    void set_watched_rows(std::span<const Slot> rows) override { switch_.set_watched_rows(rows); }
    device::Buffers buffers() override { return switch_.buffers(); }
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override
    {
        return switch_.set_dynamic_threshold(profile, exponent);
    }
    std::vector<device::UnseenQueue> unseen_queues() const override { return switch_.unseen_queues(); }
    void set_waker(const device::Waker& waker) override { switch_.set_waker(waker); }
    bool wants_reopening() const override { return switch_.wants_reopening(); }
    Result<std::vector<link::LinkSample>> read_links() override { return switch_.read_links(); }
    Result<void> close() override { return switch_.close(); }
    Result<void> apply(const watchdog::Command& c, const device::Undo& undo) override
    {
        auto applied = switch_.apply(c, undo);
        if (c.target == queue_) {
            outside_.configuration = switch_.configuration(queue_);
            const auto before = std::exchange(outside_.in_force, switch_.in_force(queue_));
            const bool released = before != Treatment::none && outside_.in_force == Treatment::none;
            outside_.released_in_storm += released && in_storm_() ? 1U : 0U;
        }
        return applied;
    }

private:
    device::SyntheticSwitch& switch_;
    Target queue_;
    Outside& outside_;
    std::function<bool()> in_storm_;
};

struct Death {
    FaultPoint point{};
    Treatment during{};  // drop: while mitigating; none: while restoring
    bool state_kept{};   // false: the state file is lost with the process
};

class AgentKill : public testing::TestWithParam<Death> {
protected:
    // Runs one agent process from the current time until `end` or until it kills itself.
    void live(Instant storm_to, Instant end, const Death* death)
    {
        device::ManualClock clock{Instant{outside_.get()->now}};
        device::SyntheticSwitch::Options options;
        options.ports = 2;
        device::SyntheticSwitch sw{options, clock};
        const auto queue = sw.queue(1, Priority{3});
        // Each process has a new synthetic switch, so its storm begins after the current time.
        sw.pause(queue, device::storm(std::max(kStormFrom, clock.now().mono + 1us),
                                      std::max(storm_to, clock.now().mono + 2us)));
        sw.demand(queue, BitRate{10'000'000'000});
        DurableSwitch device{sw, queue, *outside_.get(), [&] { return clock.now().mono < storm_to; }};
        auto memory = FileMemory::open(folder_.path(), std::string{kDevice}, 100);
        ASSERT_TRUE(memory) << memory.error().what;
        auto& files = **memory;
        std::optional<test::SimulatedRunner> runner;
        const auto phase = [&] { return runner->agent().watchdog().phase(sw.slot(queue)); };
        const auto die = [&](FaultPoint point) {
            outside_.get()->now = clock.now().mono.time_since_epoch();
            const auto during = phase() == Phase::restoring ? Treatment::none : Treatment::drop;
            if (during != death->during) {
                return;
            }
            if (point == FaultPoint::before_prepare) {
                // The runner also stores its state at other times, so that it may have just done so.
                const auto text = codec::checkpoint_json(runner->agent().save(clock.now().mono), sw.inventory());
                ASSERT_TRUE(files.append({}, text, clock.now()));
            }
            if (point == death->point) {
                ::kill(::getpid(), SIGKILL);
            }
        };
        runner.emplace(clock,
                       test::SimulatedRunner::Setup{.open = [&] { return &device; },
                                                    .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                                    .memory = std::move(*memory),
                                                    .fault_hook = death != nullptr ? die : device::FaultHook{}});
        runner->run_until(end);
        outside_.get()->now = end.time_since_epoch();
        const bool mitigated = phase() == Phase::mitigated;
        // The watchdog's decision, the journal and the treatment in force must agree.
        EXPECT_EQ(sw.in_force(queue) == Treatment::drop, mitigated);
        EXPECT_EQ(runner->device_runner().memory().journaled(), mitigated ? 1U : 0U);
        // After a restore the register has its original value, from a journal that another process may have written.
        EXPECT_EQ(sw.configuration(queue) == kConfigured, !mitigated);
    }

    // True if the process was killed at the planned point.
    bool live_and_die(Instant storm_to, Instant end, const Death& death)
    {
        const auto child = ::fork();
        if (child == 0) {
            live(storm_to, end, &death);
            ::_exit(testing::Test::HasFailure() ? 1 : 0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << "the child failed before it died";
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }

    std::filesystem::path state_file() const { return folder_.path() / (std::string{kDevice} + ".state"); }

    SharedMemory outside_;
    TemporaryFolder folder_;
};

TEST_P(AgentKill, TheNextProcessRestoresEverything)
{
    const auto death = GetParam();
    const bool mitigating = death.during == Treatment::drop;
    const Instant storm_to = mitigating ? Instant{60s} : Instant{2s};
    const bool died = live_and_die(storm_to, Instant{10s}, death);
    const bool reachable =
        !(mitigating && death.point == FaultPoint::closed) && !(!mitigating && death.point == FaultPoint::journaled);
    ASSERT_EQ(died, reachable);
    ASSERT_TRUE(std::filesystem::exists(state_file())) << "a decision is stored before it is carried out";
    if (!death.state_kept) {
        std::filesystem::remove(state_file());
    }

    const Instant reborn{outside_.get()->now + 1s};
    outside_.get()->now = reborn.time_since_epoch();
    if (mitigating) {
        // The storm continues: the queue is mitigated again within T0 + 2 T2, and not released during the storm.
        live(storm_to, reborn + kDetect + 2 * kPoll, nullptr);
        EXPECT_EQ(outside_.get()->in_force, Treatment::drop);
        live(storm_to, reborn + 30s, nullptr);
        EXPECT_EQ(outside_.get()->in_force, Treatment::drop);
    }
    EXPECT_EQ(outside_.get()->released_in_storm, 0U);
    // The storm is over: the queue is released within T1 + 2 T2 (the first look after a start proves nothing yet).
    const Instant after = std::max(Instant{outside_.get()->now}, storm_to);
    outside_.get()->now = after.time_since_epoch();
    live(storm_to, after + kRestore + 2 * kPoll, nullptr);
    EXPECT_EQ(outside_.get()->in_force, Treatment::none);
}

std::vector<Death> all_deaths()
{
    std::vector<Death> all;
    for (unsigned point = 0; point < static_cast<unsigned>(FaultPoint::count_); ++point) {
        for (const auto during : {Treatment::drop, Treatment::none}) {
            for (const bool state_kept : {false, true}) {
                all.push_back({static_cast<FaultPoint>(point), during, state_kept});
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, AgentKill, testing::ValuesIn(all_deaths()));

}  // namespace
}  // namespace petrel::runtime
