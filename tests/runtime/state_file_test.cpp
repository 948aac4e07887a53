// The state file: what it keeps, that it stays small, that a full disk delays writes but loses nothing, and that only
// one process can open it.
#include "runtime/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include "state_fixture.hpp"
#include "support/full_disk.hpp"

namespace petrel::runtime {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using test::FullDisk;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class StateFileTest : public testing::Test {
protected:
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        for (const auto& file : std::filesystem::directory_iterator{folder.path()}) {
            names.push_back(file.path().filename().string());
        }
        return names;
    }

    TemporaryFolder folder;
    std::filesystem::path path{folder / "leaf-1.state"};
};

TEST_F(StateFileTest, BeginsWithNothing)
{
    const auto state = must_open_state(path);
    EXPECT_FALSE(state->remembered());
    EXPECT_THAT(state->events(), IsEmpty());
    EXPECT_EQ(state->last_seq(), 0U);
    EXPECT_EQ(state->damage(), "");
}

TEST_F(StateFileTest, TheNextProcessReadsTheWholeState)
{
    Remembered last;
    {
        const auto state = must_open_state(path);
        ASSERT_TRUE(state->append(stored(1, 3), memory_of(3), now_of(1'000)));
        ASSERT_TRUE(state->append({}, memory_of(4), now_of(2'000)));
        ASSERT_TRUE(state->append(stored(4, 4), memory_of(5), now_of(3'000)));
        EXPECT_EQ(events_of(*state), stored(1, 4));
        last = *state->remembered();
    }
    const auto state = must_open_state(path);
    EXPECT_EQ(events_of(*state), stored(1, 4));
    EXPECT_EQ(state->last_seq(), 4U);
    EXPECT_EQ(state->remembered(), last);
    EXPECT_EQ(last.checkpoint, memory_of(5));
    EXPECT_EQ(last.saved_at, WallTime{microseconds{3'000}});
    EXPECT_EQ(last.boot_id, this_boot().id);
    EXPECT_GT(last.boot_age, Duration{});
    EXPECT_LE(last.boot_age, this_boot().age);
    EXPECT_EQ(state->damage(), "");
    EXPECT_EQ(state->tail_dropped(), 0U);
}

TEST_F(StateFileTest, KeepsTheNewestEventsOnly)
{
    {
        const auto state = must_open_state(path, 5);
        ASSERT_TRUE(state->append(stored(1, 7), memory_of(7), now_of(1)));
        EXPECT_EQ(events_of(*state), stored(3, 7));
    }
    const auto state = must_open_state(path, 2);
    EXPECT_EQ(events_of(*state), stored(6, 7));
    EXPECT_EQ(state->last_seq(), 7U);
}

StoredEvent queue_event(std::uint64_t seq, std::string_view what, std::string_view port)
{
    return {seq, fmt::format(R"({{"seq":{},"event":"{}","device":"d","port":"{}","queue":3,"reason":"proven"}})", seq,
                             what, port)};
}

std::vector<std::uint64_t> numbers_of(const StateFile& state)
{
    std::vector<std::uint64_t> numbers;
    for (const auto& event : state.events()) {
        numbers.push_back(event.seq);
    }
    return numbers;
}

TEST_F(StateFileTest, EventsOfStormsThatAreOverGoFirst)
{
    for (const bool reads_again : {false, true}) {
        test::TemporaryFolder own;
        const auto open = [&] { return StateFile::open(own / "d.state", kStateDevice, 4).value(); };
        auto state = open();
        const std::vector<StoredEvent> all{queue_event(1, "storm_detected", "A"),
                                           queue_event(2, "storm_detected", "B"),
                                           queue_event(3, "storm_restored", "B"),
                                           queue_event(4, "link_down", "C"),
                                           stored(5),
                                           stored(6)};
        ASSERT_TRUE(state->append(all, "x", now_of(1)));
        if (reads_again) {
            state.reset();
            state = open();
        }
        EXPECT_THAT(numbers_of(*state), testing::ElementsAre(1, 4, 5, 6));
        ASSERT_TRUE(state->append(std::vector{queue_event(7, "storm_restored", "A"), stored(8)}, "x", now_of(2)));
        EXPECT_THAT(numbers_of(*state), testing::ElementsAre(4, 6, 7, 8)) << "the storm of A is over";
    }
}

TEST_F(StateFileTest, OpenStormsFillHalfOfTheHistory)
{
    auto state = StateFile::open(folder / "d.state", kStateDevice, 4).value();
    for (std::uint64_t seq = 1; seq <= 9; ++seq) {
        ASSERT_TRUE(
            state->append(std::vector{queue_event(seq, "storm_detected", fmt::format("p{}", seq))}, "x", now_of(1)));
    }
    EXPECT_THAT(numbers_of(*state), testing::ElementsAre(6, 7, 8, 9)) << "the newest events are shown in any case";
}

TEST_F(StateFileTest, StoresEachEventOnce)
{
    const auto state = must_open_state(path);
    ASSERT_TRUE(state->append(stored(1, 3), memory_of(3), now_of(1)));
    const auto before = text_of(path);
    EXPECT_EQ(state->append(stored(3, 4), memory_of(4), now_of(2)).error().kind, ErrorKind::invalid);
    EXPECT_EQ(state->append(std::vector{stored(5), stored(4)}, memory_of(5), now_of(2)).error().kind,
              ErrorKind::invalid);
    EXPECT_EQ(events_of(*state), stored(1, 3));
    EXPECT_EQ(text_of(path), before);
}

TEST_F(StateFileTest, RefusesASecondProcess)
{
    const auto first = must_open_state(path);
    const auto second = StateFile::open(path, kStateDevice, 10);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::unreachable);
}

TEST_F(StateFileTest, DoesNotGrowForEver)
{
    const auto state = must_open_state(path, 10);
    const std::string checkpoint(10'000, 'c');
    std::uintmax_t largest = 0;
    std::size_t shrunk = 0;
    for (std::uint64_t seq = 1, before = 0; seq <= 1'000; ++seq) {
        ASSERT_TRUE(state->append(stored(seq, seq), checkpoint, now_of(1)));
        const auto size = std::filesystem::file_size(path);
        largest = std::max(largest, size);
        shrunk += size < before ? 1U : 0U;
        before = size;
    }
    EXPECT_LT(largest, (1U << 20U) + 30'000U);
    EXPECT_GT(shrunk, 5U);
    EXPECT_EQ(events_of(*must_open_copy(path, 10)), stored(991, 1'000));
    EXPECT_THAT(files(), UnorderedElementsAre("leaf-1.state", "leaf-1.state.lock", "copy", "copy.lock"));
}

TEST_F(StateFileTest, AcceptsLargeCheckpoints)
{
    const auto state = must_open_state(path);
    const std::string checkpoint(1U << 20U, 'c');
    std::uintmax_t largest = 0;
    std::size_t shrunk = 0;
    for (std::uint64_t seq = 1, before = 0; seq <= 20; ++seq) {
        ASSERT_TRUE(state->append(stored(seq, seq), checkpoint, now_of(1)));
        const auto size = std::filesystem::file_size(path);
        largest = std::max(largest, size);
        shrunk += size < before ? 1U : 0U;
        before = size;
    }
    EXPECT_LT(largest, 6U << 20U);
    EXPECT_LT(shrunk, 7U) << "not rewritten with every append";
    EXPECT_GT(shrunk, 3U);
}

TEST_F(StateFileTest, ARestartDoesNotRewriteTheFile)
{
    const std::string checkpoint(1U << 20U, 'c');
    ASSERT_TRUE(must_open_state(path)->append(stored(1, 1), checkpoint, now_of(1)));
    const auto before = std::filesystem::file_size(path);
    ASSERT_TRUE(must_open_state(path)->append(stored(2, 2), checkpoint, now_of(1)));
    EXPECT_GT(std::filesystem::file_size(path), 2 * before - 1'000);
}

TEST_F(StateFileTest, AFullDiskKeepsTheOldContentAndTheWriteIsRetried)
{
    const auto state = must_open_state(path);
    ASSERT_TRUE(state->append(stored(1, 2), memory_of(2), now_of(1)));
    const auto before = text_of(path);
    const auto record = state_record(kStateDevice, *state->remembered(), stored(3, 3));
    std::uint64_t seq = 2;
    for (std::size_t room = 0; room < record.size(); ++room) {
        ++seq;
        const FullDisk full{before.size() + room};
        const auto appended = state->append(stored(seq, seq), memory_of(seq), now_of(2));
        ASSERT_FALSE(appended) << room;
        EXPECT_EQ(appended.error().kind, ErrorKind::exhausted);
        EXPECT_EQ(text_of(path), before);
        EXPECT_EQ(events_of(*state), stored(1, seq)) << "no event is lost meanwhile";
    }
    ASSERT_TRUE(state->append({}, memory_of(99), now_of(3)));
    const auto again = must_open_copy(path);
    EXPECT_EQ(events_of(*again), stored(1, seq));
    EXPECT_EQ(again->remembered()->checkpoint, memory_of(99));
    EXPECT_EQ(again->damage(), "");
    EXPECT_EQ(again->tail_dropped(), 0U);
}

TEST_F(StateFileTest, AFullDiskAtTheFirstStartIsRetried)
{
    auto state = must_open_state(path);
    {
        const FullDisk full{5};
        EXPECT_EQ(state->append(stored(1, 2), memory_of(2), now_of(1)).error().kind, ErrorKind::exhausted);
        EXPECT_FALSE(std::filesystem::exists(path));
    }
    ASSERT_TRUE(state->append(stored(3, 3), memory_of(3), now_of(2)));
    state.reset();
    EXPECT_EQ(events_of(*must_open_state(path)), stored(1, 3));
    EXPECT_THAT(files(), UnorderedElementsAre("leaf-1.state", "leaf-1.state.lock"));
}

TEST_F(StateFileTest, ARewriteThatFailsLosesNothing)
{
    auto state = must_open_state(path, 10);
    ASSERT_TRUE(state->append(stored(1, 1), memory_of(1), now_of(1)));
    // A folder has the name of the draft, so that every rewrite fails.
    std::filesystem::create_directory(path.string() + "." + std::to_string(::getpid()) + ".tmp");
    const std::string checkpoint(100'000, 'c');
    for (std::uint64_t seq = 2; seq <= 30; ++seq) {
        ASSERT_TRUE(state->append(stored(seq, seq), checkpoint, now_of(1)));
    }
    EXPECT_GT(std::filesystem::file_size(path), 2'000'000U);
    state.reset();
    EXPECT_EQ(events_of(*must_open_state(path, 10)), stored(21, 30));
}

TEST_F(StateFileTest, AMissingFolderIsReported)
{
    const auto state = StateFile::open(folder / "nowhere" / "x.state", kStateDevice, 10);
    ASSERT_FALSE(state);
    EXPECT_THAT(state.error().what, HasSubstr("nowhere"));
    EXPECT_EQ(StateFile::open(path, std::string(300, 'x'), 10).error().kind, ErrorKind::invalid);
}

// After any sequence of restarts, failures and appends, the StateFile holds all events that append() received, up to
// its limit.
RC_GTEST_PROP(StateFileLaw, ContainsEverythingThatWasAppended, ())
{
    constexpr std::uint32_t kMost = 20;
    const TemporaryFolder folder;
    const auto path = folder / "x.state";
    auto state = must_open_state(path, kMost);
    std::vector<StoredEvent> handed_over;
    std::string memory;
    bool missing = false;
    const auto steps = *rc::gen::inRange(0, 40);
    for (int i = 0; i < steps; ++i) {
        if (*rc::gen::inRange(0, 4) == 0 && !missing) {
            state.reset();
            state = must_open_state(path, kMost);
        } else {
            const auto first = state->last_seq() + 1;
            const auto events = stored(first, first + *rc::gen::inRange<std::uint64_t>(0, 6) - 1);
            handed_over.insert(handed_over.end(), events.begin(), events.end());
            memory = memory_of(static_cast<std::uint64_t>(i));
            const auto full = *rc::gen::inRange(0, 3) == 0 ? std::make_unique<FullDisk>(*rc::gen::inRange(0U, 4'000U))
                                                           : std::unique_ptr<FullDisk>{};
            missing = !state->append(events, memory, now_of(i));
        }
        const auto kept = std::min<std::size_t>(handed_over.size(), kMost);
        RC_ASSERT(events_of(*state) ==
                  (std::vector<StoredEvent>{handed_over.end() - static_cast<std::ptrdiff_t>(kept), handed_over.end()}));
        RC_ASSERT((state->remembered() ? state->remembered()->checkpoint : "") == memory);
        RC_ASSERT(state->damage().empty());
    }
}

// --- the age of a checkpoint

TEST(StateTime, PrefersTheMonotonicClockOverTheTimeOfDay)
{
    const Remembered then{"", WallTime{hours{100}}, "boot-1", hours{2}};
    EXPECT_EQ(time_since(then, WallTime{hours{500}}, {"boot-1", hours{5}}), hours{3});
    EXPECT_EQ(time_since(then, WallTime{hours{1}}, {"boot-1", hours{5}}), hours{3});
    EXPECT_EQ(time_since(then, WallTime{hours{500}}, {"boot-1", hours{1}}), hours{0});
}

TEST(StateTime, UsesTheTimeOfDayAfterABoot)
{
    const Remembered then{"", WallTime{hours{100}}, "boot-1", hours{2}};
    EXPECT_EQ(time_since(then, WallTime{hours{107}}, {"boot-2", hours{5}}), hours{7});
    EXPECT_EQ(time_since(then, WallTime{hours{99}}, {"boot-2", hours{5}}), hours{0}) << "the wall clock was set back";
    const Remembered unknown{"", WallTime{hours{100}}, "", hours{2}};
    EXPECT_EQ(time_since(unknown, WallTime{hours{107}}, {"", hours{5}}), hours{7}) << "two unknowns are not the same";
}

TEST(StateTime, NoNumberInAFileIsTooLarge)
{
    const Remembered wild{"", WallTime::min(), "boot-1", Duration::min()};
    EXPECT_EQ(time_since(wild, WallTime::max(), {"boot-1", Duration::max()}), Duration{});
    EXPECT_EQ(time_since(wild, WallTime::max(), {"boot-2", Duration::max()}), hours{24 * 36'525});
}

}  // namespace
}  // namespace petrel::runtime
