// Times, counts and tables as text.
#include "words/words.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "cli/policy_choice.hpp"
#include "terminal/table.hpp"
#include "terminal/wrap.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;

TEST(Words, Times)
{
    EXPECT_EQ(seconds_text(Instant{1'300'000us}), "1.300000");
    EXPECT_EQ(seconds_text(Instant{-1'500us}), "-0.001500");
    EXPECT_EQ(seconds_text(Duration{3'900ms}), "3.900 s");
    EXPECT_EQ(ms_text(400'001us), "400.001 ms");
    EXPECT_EQ(limit_text(400ms), "400 ms");
    EXPECT_EQ(limit_text(400'500us), "400.500 ms");
    EXPECT_EQ(count_text(1, "storm"), "1 storm");
    EXPECT_EQ(count_text(0, "storm"), "0 storms");
}

RC_GTEST_PROP(Words, SecondsLoseNothing, ())
{
    const auto us = *rc::gen::inRange<std::int64_t>(-5'000'000'000, 5'000'000'000);
    const auto text = seconds_text(instant_from_us(us));
    const auto dot = text.find('.');
    RC_ASSERT(text.size() - dot == 7);
    RC_ASSERT(std::stoll(text.substr(0, dot) + text.substr(dot + 1)) == us);
}

watchdog::Event event_of(watchdog::EventKind kind, watchdog::Reason reason, watchdog::Criterion criterion)
{
    watchdog::Event event;
    event.kind = kind;
    event.reason = reason;
    event.evidence.rule.criterion = criterion;
    event.evidence.proven = 400ms;
    event.evidence.limit = 400ms;
    event.evidence.looks = 4;
    return event;
}

TEST(Words, EveryReasonAndCriterionHasAText)
{
    using watchdog::Criterion;
    for (auto reason = 0; reason < static_cast<int>(watchdog::Reason::count_); ++reason) {
        for (const auto criterion : {Criterion::continuous, Criterion::stalled, Criterion::progress,
                                     Criterion::receive_stall, Criterion::pause_timeout, Criterion::device}) {
            const auto event =
                event_of(watchdog::EventKind::storm_detected, static_cast<watchdog::Reason>(reason), criterion);
            EXPECT_NE(evidence_text(event, {}), "") << name(event.reason) << ", " << name(criterion);
        }
    }
}

TEST(Words, EvidenceNamesTheLimitAndItsSource)
{
    auto event =
        event_of(watchdog::EventKind::storm_detected, watchdog::Reason::proven, watchdog::Criterion::continuous);
    EXPECT_EQ(evidence_text(event, {}), "paused 400.000 ms without a break (limit 400 ms; the last 4 looks on record)");
    event.reason = watchdog::Reason::refused;
    event.by = "no such profile";
    EXPECT_EQ(evidence_text(event, {}), "the device refused; no such profile");
}

TEST(Words, ALookAsText)
{
    watchdog::Interval look;
    look.dt_us = 100'000;
    look.pause = watchdog::kPausedBefore | watchdog::kPausedNow | watchdog::kThroughout;
    look.known = watchdog::bit(watchdog::Field::tx_bytes) | watchdog::bit(watchdog::Field::pause_state);
    EXPECT_EQ(interval_text(look), "100.000 ms: paused throughout, tx_bytes 0");
}

TEST(Table, GroupsStandAboveTheirColumns)
{
    Table table({{"queue", Align::left, {}},
                 {"n", Align::right, "a long group name"},
                 {"m", Align::right, {}},
                 {"k", Align::right, "b"}});
    table.add({"Ethernet0:3", "1", "22", "3"});
    table.add({"–", "10", "2", "3"});
    EXPECT_EQ(table.text(), "             a long group name  b\n"
                            "queue         n              m  k\n"
                            "-----------  --  -------------  -\n"
                            "Ethernet0:3   1             22  3\n"
                            "–            10              2  3\n");
}

RC_GTEST_PROP(Table, NoLineEndsInABlank, ())
{
    const auto cell =
        rc::gen::map(rc::gen::inRange(0, 9), [](int n) { return std::string(static_cast<std::size_t>(n), 'x'); });
    Table table({{"a", Align::left, {}}, {"b", Align::right, {}}, {"c", Align::left, {}}});
    const auto rows = *rc::gen::inRange(0, 6);
    for (int i = 0; i < rows; ++i) {
        table.add({*cell, *cell, *cell});
    }
    RC_ASSERT(table.text().find(" \n") == std::string::npos);
}

TEST(Table, LeavesOutTheLeastImportantColumnFirst)
{
    Table table({{"queue", Align::left, {}},
                 {"configured", Align::left, "action", 1},
                 {"effective", Align::left, {}, 2},
                 {"observed", Align::left, {}}});
    table.add({"Ethernet0:3", "a", "b", "c"});
    table.fit(33);
    EXPECT_EQ(table.text(), "             action\n"
                            "queue        configured  observed\n"
                            "-----------  ----------  --------\n"
                            "Ethernet0:3  a           c\n");
    EXPECT_EQ(table.left_out(), std::vector<std::string>{"action effective"});
    table.fit(20);
    EXPECT_EQ(table.text(), "             action\n"
                            "queue        observed\n"
                            "-----------  --------\n"
                            "Ethernet0:3  c\n")
        << "the heading stays above what is left, and columns that matter stay even where they do not fit";
}

TEST(Table, TextInTheLastColumnWraps)
{
    Table table({{"agent", Align::left, {}}, {"n", Align::right, {}, 1}, {"problem", Align::left, {}}});
    table.add({"leaf0", "1", "the device does not answer, for 12 s"});
    table.add({"leaf1", "22", "-"});
    table.fit(32);
    EXPECT_EQ(table.text(), "agent   n  problem\n"
                            "-----  --  ---------------------\n"
                            "leaf0   1  the device does not\n"
                            "           answer, for 12 s\n"
                            "leaf1  22  -\n");
    table.fit(30);
    EXPECT_EQ(table.text(), "agent  problem\n"
                            "-----  -----------------------\n"
                            "leaf0  the device does not\n"
                            "       answer, for 12 s\n"
                            "leaf1  -\n")
        << "other columns go where there are less than twenty columns for it";
}

TEST(Wrap, BreaksLongLinesBetweenWordsOnly)
{
    EXPECT_EQ(wrapped("one two three\n", 13), "one two three\n");
    EXPECT_EQ(wrapped("one two three\n", 12), "one two\n    three\n");
    EXPECT_EQ(wrapped("  one  two three\nnext", 10), "  one  two\n     three\nnext") << "indented by half at most";
    EXPECT_EQ(wrapped("one averylongword two", 8, 2), "one\n  averylongword\n  two");
    EXPECT_EQ(wrapped("\x1b[31mone\x1b[0m two", 7), "\x1b[31mone\x1b[0m two") << "colours take no room";
    EXPECT_EQ(wrapped("", 7), "");
}

TEST(Wrap, RowsContinueBelowTheirLastColumn)
{
    EXPECT_EQ(wrapped("  --queue Q  only this one or that one\n", 26), "  --queue Q  only this one\n"
                                                                       "             or that one\n");
    EXPECT_EQ(wrapped("a  b                    one two three", 30), "a  b                    one\n    two three")
        << "a column in the right half has too little room";
    EXPECT_EQ(wrapped(std::string(14, ' ') + "one two three", 24),
              std::string(14, ' ') + "one two\n" + std::string(12, ' ') + "three")
        << "a line that begins far in is the rest of a row; half of the width is the most";
}

RC_GTEST_PROP(Wrap, KeepsAllWordsInTheirOrder, ())
{
    const auto word = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab-"})));
    const auto all = *rc::gen::container<std::vector<std::string>>(word);
    const auto width = *rc::gen::inRange<std::size_t>(1, 30);
    std::istringstream lines{wrapped(fmt::format("{}", fmt::join(all, " ")), width)};
    std::vector<std::string> found;
    for (std::string each; lines >> each;) {
        found.push_back(each);
    }
    RC_ASSERT(found == all);
}

TEST(PolicyChoice, OwnSettingsWinOverGeneralOnesAndBothOverScaling)
{
    const auto choice = parse_policy_choice("sonic:detect-ms=300,priorities=3,5,action=alert");
    ASSERT_TRUE(choice.has_value());
    const std::vector<Setting> general{{"--detect-ms", "detect_ms", "900"}, {"--restore-ms", "restore_ms", "700"}};
    const auto policy = make_policy(*choice, general, 16);
    ASSERT_TRUE(policy.has_value()) << policy.error().front().allowed;
    EXPECT_EQ(policy->name, "sonic:detect-ms=300,priorities=3,5,action=alert");
    EXPECT_EQ(policy->detect, 300ms);
    EXPECT_EQ(policy->restore, 700ms);
    EXPECT_EQ(policy->poll, 200ms) << "the interval of start_default for 16 ports";
    EXPECT_EQ(policy->priorities, 0b0010'1000);
    EXPECT_EQ(policy->action, watchdog::Treatment::none);
}

}  // namespace
}  // namespace petrel::cli
