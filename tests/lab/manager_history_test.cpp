// What a manager's history lacks and has too often, compared with what an agent has written.
#include "lab/manager_history.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petrel::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string line(std::uint64_t seq, std::string_view what = "storm_detected")
{
    return fmt::format(R"({{"seq":{},"event":"{}","device":"s0"}})", seq, what);
}

std::vector<WrittenEvent> written(std::uint64_t count)
{
    std::vector<WrittenEvent> events;
    for (std::uint64_t seq = 1; seq <= count; ++seq) {
        events.push_back({seq, line(seq)});
    }
    return events;
}

std::vector<manager::StoredEvent> history(const std::vector<std::string>& lines)
{
    std::vector<manager::StoredEvent> events;
    for (const auto& text : lines) {
        events.push_back({static_cast<std::int64_t>(events.size() + 1), "s0", "", text});
    }
    return events;
}

TEST(ManagerHistory, WithEachEventOnceAndInOrderIsComplete)
{
    const auto found = compare_history(written(3), history({line(1), line(2), line(3)}));
    EXPECT_EQ(found.events, 3U);
    EXPECT_EQ(found.forgotten, 0U);
    EXPECT_THAT(found.missing, IsEmpty());
    EXPECT_THAT(found.doubled, IsEmpty());
    EXPECT_THAT(found.disordered, IsEmpty());
    EXPECT_THAT(found.foreign, IsEmpty());
}

TEST(ManagerHistory, ShowsEachKindOfFault)
{
    const auto found = compare_history(written(4), history({line(1), line(4), line(2), line(2), line(2), line(9)}));
    EXPECT_THAT(found.missing, ElementsAre(line(3)));
    EXPECT_THAT(found.doubled, ElementsAre(line(2)));
    EXPECT_THAT(found.disordered, ElementsAre(line(2), line(2), line(2)));
    EXPECT_THAT(found.foreign, ElementsAre(line(9)));
}

TEST(ManagerHistory, NeedsNoEventThatTheAgentHasLostOrForgotten)
{
    auto events = written(5);
    events[4].lost = true;
    constexpr auto kGap = R"({"seq":3,"event":"events_forgotten","device":"s0","first":2})";
    const auto found = compare_history(events, history({line(1), kGap, line(4)}));
    EXPECT_EQ(found.events, 2U);
    EXPECT_EQ(found.forgotten, 2U);
    EXPECT_THAT(found.missing, IsEmpty());
    EXPECT_THAT(found.foreign, IsEmpty());
    EXPECT_THAT(compare_history(events, history({line(5)})).doubled, IsEmpty()) << "it may have arrived before";
}

// The network may have the event when the agent's memory does not have it any more.
TEST(ManagerHistory, MayHaveAForgottenEventBehindItsGap)
{
    constexpr auto kGap = R"({"seq":3,"event":"events_forgotten","device":"s0","first":2})";
    const auto late = compare_history(written(5), history({line(1), line(4), kGap, line(2), line(5)}));
    EXPECT_THAT(late.disordered, IsEmpty());
    EXPECT_THAT(late.missing, IsEmpty());
    EXPECT_EQ(late.events, 4U);
    EXPECT_EQ(late.forgotten, 2U);

    const auto twice = compare_history(written(4), history({line(1), kGap, line(4), line(2), line(2)}));
    EXPECT_THAT(twice.doubled, ElementsAre(line(2)));
    const auto before = compare_history(written(4), history({line(1), line(4), line(2), kGap}));
    EXPECT_THAT(before.disordered, ElementsAre(line(2))) << "the agent had not reported it as forgotten yet";
    const auto other = compare_history(written(5), history({line(1), kGap, line(5), line(4)}));
    EXPECT_THAT(other.disordered, ElementsAre(line(4))) << "it is not in the gap";
}

}  // namespace
}  // namespace petrel::lab
