#include "redis/reply_limiter.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace petrel::redis {
namespace {

using testing::HasSubstr;

std::string bulk(std::string_view text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }

// Passes the bytes in pieces of this size.
Result<std::string> limited(std::string_view bytes, std::size_t piece)
{
    ReplyLimiter limiter;
    std::string passed;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        if (auto done = limiter.pass(bytes.substr(0, piece), passed); !done) {
            return tl::unexpected(done.error());
        }
    }
    return passed;
}

TEST(ReplyLimiter, PassesOrdinaryRepliesAsTheyAre)
{
    const std::string replies = "+OK\r\n-ERR no\nsuch thing\r\n:7\r\n$-1\r\n$0\r\n\r\n*-1\r\n*2\r\n" +
                                bulk(std::string{"a\0\r\n$3\xff", 8}) + bulk(std::string(kLongestText, 'x')) +
                                "+PONG\r\n";
    for (const std::size_t piece : {1U, 2U, 3U, 1000U, 1'000'000U}) {
        EXPECT_EQ(limited(replies, piece).value(), replies) << piece;
    }
}

TEST(ReplyLimiter, CutsATextThatIsTooLong)
{
    const std::string value(kLongestText + 1, '9');
    const auto replies = "*2\r\n" + bulk("detection_time") + bulk(value) + ":1\r\n";
    const auto cut = std::string(64, '9') + "… and 65473 more bytes";
    for (const std::size_t piece : {1U, 2U, 63U, 64U, 65U, 16'384U}) {
        EXPECT_EQ(limited(replies, piece).value(), "*2\r\n" + bulk("detection_time") + bulk(cut) + ":1\r\n") << piece;
    }
}

TEST(ReplyLimiter, RefusesInvalidReplies)
{
    const auto refused = [](const std::string& bytes) { return limited(bytes, 4096).error().what; };
    EXPECT_THAT(refused("$12x\r\n"), HasSubstr("'12x'"));
    EXPECT_THAT(refused("$+5\r\n"), HasSubstr("'+5'"));
    EXPECT_THAT(refused("$\r\n"), HasSubstr("''"));
    EXPECT_THAT(refused("$-2\r\n"), HasSubstr("'-2'"));
    EXPECT_THAT(refused("$99999999999999999999\r\n"), HasSubstr("'99999999999999999999'"));
    EXPECT_THAT(refused("*1048577\r\n"), HasSubstr("1048577 elements: at most 1048576"));
    EXPECT_THAT(refused("+" + std::string(kLongestText, 'x')), HasSubstr("more than 65536 bytes"));
}

// However the bytes are split, the output is the same, and each reply adds only little to it.
RC_GTEST_PROP(ReplyLimiterLaw, PiecesDoNotMatter, ())
{
    std::string replies;
    std::string wanted;
    for (int i = *rc::gen::inRange(1, 6); i != 0; --i) {
        const auto size = *rc::gen::element<std::size_t>(0, 1, 70, kLongestText, kLongestText + 1, 200'000);
        const std::string text(size, *rc::gen::element('\r', '\n', 'a', '$', '\x80', '\xc3'));
        replies += bulk(text);
        wanted += size <= kLongestText ? bulk(text) : "";
    }
    const auto whole = limited(replies, replies.size());
    RC_ASSERT(whole.has_value());
    RC_ASSERT(whole->size() <= wanted.size() + 6 * 128);
    RC_ASSERT(limited(replies, *rc::gen::inRange<std::size_t>(1, 20'000)).value() == *whole);
}

}  // namespace
}  // namespace petrel::redis
