// The poll pass does not allocate after start: operator new is replaced in this program by one that counts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "support/world.hpp"
#include "watchdog/watchdog.hpp"

namespace {

thread_local std::uint64_t allocations = 0;

void* counted(std::size_t size, std::size_t alignment)
{
    ++allocations;
    const auto rounded = (size + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory == nullptr) {
        throw std::bad_alloc{};
    }
    return memory;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a)
{
    return counted(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace petrel {
namespace {

using namespace watchdog;

TEST(NoAllocation, TheCounterCounts)
{
    const auto before = allocations;
    std::vector<int> some(7);
    EXPECT_EQ(allocations, before + 1) << some.size();
}

// Storms begin and end on many queues, commands have all kinds of outcomes, and looks are partial or complete.
void run(PolicyBook book)
{
    constexpr std::uint32_t kQueues = 300;
    constexpr std::int64_t kPolls = 600;
    const auto inventory = test::small_inventory(kQueues);
    const auto can = test::able((1U << kFields) - 1);
    Watchdog dog{*compile(book, inventory, can), Instant{}};
    Intake intake{inventory, can};
    Outbox out{64};
    std::vector<Outcome> answers;
    answers.reserve(64);
    std::uint64_t events = 0;
    std::uint64_t commands = 0;
    std::uint64_t in_passes = 0;

    std::vector<Sample> samples(kQueues);
    for (std::uint32_t r = 0; r < kQueues; ++r) {
        samples[r].slot = Slot{r};
        samples[r].known = can.fields;
        samples[r].epoch = 1;
    }
    for (std::int64_t poll = 0; poll < kPolls; ++poll) {
        const auto now = instant_from_us(100'000 * poll);
        const auto before = allocations;
        intake.begin();
        for (std::uint32_t r = 0; r < kQueues; ++r) {
            if (poll % 5 == 4 && r % 20 != 0) {
                continue;  // a partial look
            }
            auto& s = samples[r];
            const bool storms = (poll / 40 + r) % 3 == 0;
            s.pause_state =
                storms ? (s.paused_now ? PauseState::paused : PauseState::not_continuous) : PauseState::not_paused;
            s[Field::pause_us] += storms ? 100'000U : 0U;
            s[Field::rx_xoff] += storms ? 400U : 0U;
            s[Field::on2off] += !storms && s.paused_now ? 1U : 0U;
            s[Field::tx_packets] += storms ? 0U : 1'000U;
            s.paused_now = storms;
            s.read_at = now;
            s.epoch = poll % 97 == 96 && r % 7 == 0 ? 0U : 1U;
            intake.put(s);
        }
        dog.look(intake.view(), now, out);
        dog.tick(now, out);
        in_passes += allocations - before;

        events += out.events.size();
        commands += out.commands.size();
        answers.clear();
        for (const auto& c : out.commands) {
            const auto verdict = c.id % 11 == 0 ? Verdict::failed : Verdict::confirmed;
            answers.push_back({c.id, verdict, c.want, now, {}});
        }
        out.clear();
        for (const auto& answer : answers) {
            const auto settling = allocations;
            dog.settle(answer, now, out);
            in_passes += allocations - settling;
        }
        events += out.events.size();
        commands += out.commands.size();
        out.clear();
    }
    EXPECT_GT(events, 1'000U) << "too few events for a test of storms";
    EXPECT_GT(commands, 500U);
    EXPECT_EQ(in_passes, 0U);
}

TEST(NoAllocation, WhileStormsBeginAndEnd) { run(test::book_of(find_preset("sonic")->policy)); }

TEST(NoAllocation, WithProbesBackOffLatchesAndABudget)
{
    auto policy = find_preset("sonic")->policy;
    policy.restore = std::chrono::milliseconds{500};
    policy.probe = std::chrono::milliseconds{100};
    policy.backoff_max = std::chrono::milliseconds{4'000};
    policy.latch_count = 8;
    policy.latch_window = std::chrono::milliseconds{60'000};
    auto book = test::book_of(policy);
    book.max_mitigated = 80;
    run(book);
}

}  // namespace
}  // namespace petrel
