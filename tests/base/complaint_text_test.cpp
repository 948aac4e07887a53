#include "base/complaint_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace petrel {
namespace {

constexpr std::array<std::string_view, 4> kWords{"detect_ms", "restore_ms", "port", "ports"};

TEST(ComplaintText, LeavesOutWhatIsNotKnown)
{
    EXPECT_EQ(to_text({"t.csv", 3, 12, "9", "0..7"}), "t.csv:3:12: value '9': allowed 0..7");
    EXPECT_EQ(to_text({"t.csv", 3, 0, "9", "0..7"}), "t.csv:3: value '9': allowed 0..7");
    EXPECT_EQ(to_text({"--detect-ms", 0, 0, "9", "100..5000"}), "--detect-ms: value '9': allowed 100..5000");
    EXPECT_EQ(to_text({"t.csv", 3, 12, "", "a port name"}), "t.csv:3:12: allowed a port name");
    EXPECT_EQ(to_text({"t.csv", 0, 0, "and 7 more problems", ""}), "t.csv: and 7 more problems");
    EXPECT_EQ(to_text({"", 0, 0, "x", "y"}), "value 'x': allowed y");
}

TEST(ComplaintText, ControlCharactersDoNotReachTheTerminal)
{
    EXPECT_EQ(to_text({"f", 1, 1, "\x1b[31m\n", "a"}), "f:1:1: value '\\x1b[31m\\x0a': allowed a");
}

TEST(ComplaintText, NearestIsATypingErrorAway)
{
    EXPECT_EQ(nearest("detekt_ms", kWords), "detect_ms");
    EXPECT_EQ(nearest("detect", kWords), "detect_ms");
    EXPECT_EQ(nearest("prot", kWords), "port");
    EXPECT_EQ(nearest("colour", kWords), "");
    EXPECT_EQ(nearest("", kWords), "");
    EXPECT_EQ(nearest("x", kWords), "");
    EXPECT_EQ(nearest(std::string(100'000, 'p'), kWords), "");
}

TEST(ComplaintText, InsteadOfAnUnknownWord)
{
    EXPECT_EQ(instead_of("prot", kWords), "the nearest is 'port'");
    EXPECT_EQ(instead_of("colour", kWords), "one of detect_ms, restore_ms, port, ports");
    EXPECT_EQ(instead_of("colour", {}), "none");
    EXPECT_EQ(instead_of("colour", std::vector<std::string_view>(40, "a")).size(),
              std::string{"one of , ..."}.size() + 32 * 3 - 2);
}

RC_GTEST_PROP(ComplaintTextLaw, ALetterDroppedOrDoubledIsForgiven, ())
{
    const std::string_view word = *rc::gen::elementOf(std::vector<std::string_view>{"detect_ms", "restore_ms"});
    const auto at = *rc::gen::inRange<std::size_t>(0, word.size());
    auto typed = std::string{word};
    if (*rc::gen::arbitrary<bool>()) {
        typed.erase(at, 1);
    } else {
        typed.insert(at, 1, word[at]);
    }
    RC_ASSERT(nearest(typed, kWords) == word);
}

}  // namespace
}  // namespace petrel
