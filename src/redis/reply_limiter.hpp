// What a Redis server sends, on its way to the parser. A text that is longer than any legal one is cut while it
// arrives: the process never holds it whole. Everything else passes as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::redis {

// SONiC's longest values are lists of counters of a few KiB.
inline constexpr std::size_t kLongestText = 64UL * 1024;
// A list of all queues of a large switch has 20,000 elements.
inline constexpr std::size_t kMostElements = 1UL << 20U;

class ReplyLimiter {
public:
    // Appends to `passed` what the parser gets of `bytes`, the next ones of the stream. A text that is too long passes
    // as its beginning with the mark of shortened(): "abc… and 104857536 more bytes". An error (in words, without the
    // server's name) says what is neither a reply nor small enough to be one; the stream ends there.
    Result<void> pass(std::string_view bytes, std::string& passed);

private:
    enum class State : std::uint8_t { line, text, long_text };

    Result<void> pass_line(std::string& passed);

    State state_{};
    std::string line_;     // so far
    std::size_t left_{};   // bytes of the text that have not come yet
    std::size_t whole_{};  // length of a text that is too long
    std::string begin_;    // of it
};

}  // namespace petrel::redis
