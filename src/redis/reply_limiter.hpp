// A filter between a Redis server and the parser. A string longer than any legal one is truncated while it arrives, so
// that the process never holds it completely. Everything else passes unchanged.
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
    // Takes the next bytes of the stream and appends what the parser gets to `passed`. A string that is too long
    // becomes its beginning with the mark of shortened(): "abc… and 104857536 more bytes". Fails if the bytes are no
    // reply, or the reply is too large; the error does not contain the server's name. The stream ends there.
    Result<void> pass(std::string_view bytes, std::string& passed);

private:
    enum class State : std::uint8_t { line, text, long_text };

    Result<void> pass_line(std::string_view line, std::string& passed);

    State state_{};
    std::string line_;     // the incomplete line
    std::size_t left_{};   // bytes of the string still to come
    std::size_t whole_{};  // length of a text that is too long
    std::string begin_;    // beginning of a text that is too long
};

}  // namespace petrel::redis
