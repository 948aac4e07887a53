#include "base/complaint_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace petrel {
namespace {

constexpr std::array<std::string_view, 4> kWords{"detect_ms", "restore_ms", "port", "ports"};

TEST(ComplaintText, OmitsUnknownParts)
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

TEST(ComplaintText, EscapesControlSequences)
{
    EXPECT_EQ(escaped("Ethernet4:3 µs … 漢字 🐦"), "Ethernet4:3 µs … 漢字 🐦");
    EXPECT_EQ(escaped("\x1b]0;t\x07\r\n\x7f"), R"(\x1b]0;t\x07\x0d\x0a\x7f)");
    EXPECT_EQ(escaped("\xc2\x9b"
                      "2J"),
              R"(\xc2\x9b2J)")
        << "C1 controls as UTF-8";
    EXPECT_EQ(escaped("\xef\xbb\xbfx\xf3\xa0\x81\x81"), R"(\xef\xbb\xbfx\xf3\xa0\x81\x81)") << "invisible ones";
    EXPECT_EQ(json_escaped("\xef\xbb\xbfx\xf3\xa0\x81\x81"), R"(\ufeffx\udb40\udc41)");
    EXPECT_EQ(escaped("\x9b\xff\xc3"), R"(\x9b\xff\xc3)") << "bytes that are no UTF-8";
    EXPECT_EQ(escaped("\xc0\x8a \xe0\x80\x8a \xed\xa0\x80"), R"(\xc0\x8a \xe0\x80\x8a \xed\xa0\x80)")
        << "overlong forms and surrogates";
    EXPECT_EQ(escaped("a\xe2\x80\xaelive\xe2\x80\xa8z"), R"(a\xe2\x80\xaelive\xe2\x80\xa8z)")
        << "right-to-left override, line separator";
}

TEST(ComplaintText, ALongValueIsCutWithAMark)
{
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdefg", 6), "abcdef… and 1 more bytes");
    EXPECT_EQ(shortened("abµµ", 3), "ab… and 4 more bytes") << "no character is cut in two";
    EXPECT_EQ(shortened("abµµ", 4), "abµ… and 2 more bytes");
    EXPECT_EQ(shortened(std::string(100, '\x80'), 10).size(), std::string_view{"… and 94 more bytes"}.size() + 6)
        << "bytes that are no UTF-8 are cut all the same";
    const std::string huge(104'857'600, '9');
    EXPECT_EQ(to_text({"f", 1, 1, huge, "0..7"}),
              "f:1:1: value '" + std::string(256, '9') + "… and 104857344 more bytes': allowed 0..7");
}

RC_GTEST_PROP(ComplaintTextLaw, EscapedTextIsPrintable, (const std::string& text))
{
    RC_ASSERT(printable(escaped(text)));
    RC_ASSERT(printable(text) == (escaped(text) == text));
    RC_ASSERT(printable(excerpt(text + text + text)));
}

RC_GTEST_PROP(ComplaintTextLaw, AnExcerptIsShort, ())
{
    const auto text = std::string(*rc::gen::inRange<std::size_t>(0, 5000), *rc::gen::arbitrary<char>());
    RC_ASSERT(excerpt(text).size() <= 4 * (kLongestExcerpt + 32));
    RC_ASSERT(text.size() > kLongestExcerpt || excerpt(text) == escaped(text));
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

TEST(ComplaintText, SuggestsAllowedWords)
{
    EXPECT_EQ(instead_of("prot", kWords), "the nearest is 'port'");
    EXPECT_EQ(instead_of("colour", kWords), "one of detect_ms, restore_ms, port, ports");
    EXPECT_EQ(instead_of("colour", {}), "none");
    EXPECT_EQ(instead_of("colour", std::vector<std::string_view>(40, "a")).size(),
              std::string{"one of , ..."}.size() + 32 * 3 - 2);
}

RC_GTEST_PROP(ComplaintTextLaw, FindsTheWordWithOneLetterDroppedOrDoubled, ())
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
