#include "wire/log_frames.hpp"

#include <algorithm>
#include <charconv>

namespace petrel::wire {
namespace {

constexpr std::size_t kMostDigits = 7;  // of a length

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

std::string without_end(std::string_view line)
{
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == '\0')) {
        line.remove_suffix(1);
    }
    return std::string{line};
}

}  // namespace

std::vector<std::string> LogFrames::feed(std::string_view bytes)
{
    bytes_ += bytes;
    std::vector<std::string> lines;
    while (next(lines)) {
    }
    return lines;
}

bool LogFrames::next(std::vector<std::string>& lines)
{
    if (skip_ != 0) {
        const auto gone = std::min(skip_, bytes_.size());
        bytes_.erase(0, gone);
        skip_ -= gone;
    }
    if (skip_ != 0 || bytes_.empty()) {
        return false;
    }
    const auto digits = skip_to_end_ ? 0 : count_digits(bytes_);
    if (digits == 0 || digits > kMostDigits) {
        return next_ended(lines);
    }
    if (digits == bytes_.size()) {
        return false;  // more digits may follow
    }
    return bytes_[digits] == ' ' ? next_counted(digits, lines) : next_ended(lines);
}

bool LogFrames::next_counted(std::size_t digits, std::vector<std::string>& lines)
{
    std::size_t length = 0;
    std::from_chars(bytes_.data(), bytes_.data() + digits, length);
    const auto begin = digits + 1;
    if (length > kLongestLogLine) {
        ++skipped_;
        bytes_.erase(0, begin);
        skip_ = length;
        return true;
    }
    if (bytes_.size() < begin + length) {
        return false;
    }
    if (auto line = without_end(std::string_view{bytes_}.substr(begin, length)); !line.empty()) {
        lines.push_back(std::move(line));
    }
    bytes_.erase(0, begin + length);
    return true;
}

bool LogFrames::next_ended(std::vector<std::string>& lines)
{
    const auto end = bytes_.find('\n');
    const bool ended = end != std::string::npos;
    if (skip_to_end_ || (ended ? end : bytes_.size()) > kLongestLogLine) {
        skipped_ += skip_to_end_ ? 0U : 1U;
        bytes_.erase(0, ended ? end + 1 : bytes_.size());
        skip_to_end_ = !ended;
        return ended;
    }
    if (!ended) {
        return false;
    }
    if (auto line = without_end(std::string_view{bytes_}.substr(0, end)); !line.empty()) {
        lines.push_back(std::move(line));
    }
    bytes_.erase(0, end + 1);
    return true;
}

}  // namespace petrel::wire
