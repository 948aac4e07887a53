#include "redis/reply_limiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/complaint_text.hpp"

namespace petrel::redis {

namespace {

constexpr std::size_t kKept = 64;  // of a string that is too long: enough to recognise it
constexpr std::string_view kLineEnd = "\r\n";

Error refused(std::string words) { return {ErrorKind::corrupt, std::move(words)}; }

}  // namespace

Result<void> ReplyLimiter::pass(std::string_view bytes, std::string& passed)
{
    while (!bytes.empty()) {
        if (state_ == State::line && line_.empty()) {
            const auto line = bytes.substr(0, bytes.find('\n') + 1);  // empty if it has not arrived as a whole
            if (line.ends_with(kLineEnd) && line.size() <= kLongestText) {
                if (auto done = pass_line(line, passed); !done) {
                    return done;
                }
                bytes.remove_prefix(line.size());
                continue;
            }
        }
        if (state_ == State::line) {
            const auto taken = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
            line_ += bytes.substr(0, taken);
            bytes.remove_prefix(taken);
            if (line_.size() > kLongestText) {
                return tl::unexpected(refused(fmt::format("a line of more than {} bytes", kLongestText)));
            }
            if (line_.ends_with(kLineEnd)) {
                if (auto done = pass_line(line_, passed); !done) {
                    return done;
                }
                line_.clear();
            }
            continue;
        }
        const auto taken = bytes.substr(0, left_);
        bytes.remove_prefix(taken.size());
        left_ -= taken.size();
        if (state_ == State::text) {
            passed += taken;
            state_ = left_ == 0 ? State::line : State::text;
            continue;
        }
        begin_ += taken.substr(0, kKept - begin_.size());
        if (left_ == 0) {
            const auto text = cut_text(begin_, whole_);
            fmt::format_to(std::back_inserter(passed), "${}{}{}", text.size(), kLineEnd, text);
            state_ = State::text;
            left_ = kLineEnd.size();
        }
    }
    return {};
}

// The first line of a string or a list contains its length; other lines are complete replies.
Result<void> ReplyLimiter::pass_line(std::string_view line, std::string& passed)
{
    const char kind = line.front();
    if (kind != '$' && kind != '*') {
        passed += line;
        return {};
    }
    const auto* begin = line.data() + 1;
    const auto* end = line.data() + line.size() - kLineEnd.size();
    std::int64_t size{};
    if (const auto read = std::from_chars(begin, end, size); read.ec != std::errc{} || read.ptr != end || size < -1) {
        return tl::unexpected(refused(fmt::format("an invalid length '{}'", excerpt({begin, end}))));
    }
    const auto length = static_cast<std::size_t>(std::max<std::int64_t>(size, 0));
    if (kind == '*' && length > kMostElements) {
        return tl::unexpected(refused(fmt::format("a list of {} elements: at most {}", length, kMostElements)));
    }
    if (kind == '$' && length > kLongestText) {
        state_ = State::long_text;
        whole_ = left_ = length;
        begin_.clear();
        return {};
    }
    if (kind == '$' && size >= 0) {
        state_ = State::text;
        left_ = length + kLineEnd.size();
    }
    passed += line;
    return {};
}

}  // namespace petrel::redis
