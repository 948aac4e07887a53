#include "wire/rfc5424.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace petrel::wire {
namespace {

using namespace std::chrono;

std::string_view or_nil(const std::string& field) { return field.empty() ? std::string_view{"-"} : field; }

// Parses a text from its beginning, field by field. After the first error good() stays false.
class Front {
public:
    explicit Front(std::string_view text) : rest_(text) {}

    bool good() const { return good_; }
    std::string_view rest() const { return rest_; }

    bool skip(char expected)
    {
        const bool there = !rest_.empty() && rest_.front() == expected;
        good_ = good_ && there;
        rest_.remove_prefix(there ? 1 : 0);
        return there;
    }

    // Exactly `count` digits; 0 = one to three digits without a leading zero.
    int digits(std::size_t count)
    {
        const auto found = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        const bool fits =
            count == 0 ? found >= 1 && found <= 3 && (found == 1 || rest_.front() != '0') : found >= count;
        const auto text = rest_.substr(0, count == 0 ? found : count);
        int number = 0;
        good_ = good_ && fits && std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
        rest_.remove_prefix(good_ ? text.size() : 0);
        return number;
    }

    // The text up to the next blank; "-" gives an empty field.
    std::string field(std::size_t most)
    {
        const auto word = rest_.substr(0, rest_.find(' '));
        good_ = good_ && !word.empty() && word.size() <= most &&
                std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < '\x7f'; });
        rest_.remove_prefix(word.size());
        return word == "-" ? std::string{} : std::string{word};
    }

    // "-", or elements in brackets. Within quotes a backslash escapes the next character.
    std::string structured_data()
    {
        if (rest_.starts_with('-')) {
            rest_.remove_prefix(1);
            return {};
        }
        std::size_t end = 0;
        while (end < rest_.size() && rest_[end] == '[') {
            end = end_of_element(end);
        }
        good_ = good_ && end > 0 && end <= rest_.size();
        const auto text = rest_.substr(0, good_ ? end : 0);
        rest_.remove_prefix(text.size());
        return std::string{text};
    }

    microseconds fraction()
    {
        if (!rest_.starts_with('.')) {
            return microseconds::zero();
        }
        rest_.remove_prefix(1);
        const auto found = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        good_ = good_ && found >= 1 && found <= 6;
        std::int64_t us = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            us = us * 10 + (good_ && i < found ? rest_[i] - '0' : 0);
        }
        rest_.remove_prefix(found);
        return microseconds{us};
    }

    minutes offset()
    {
        if (rest_.starts_with('Z')) {
            rest_.remove_prefix(1);
            return minutes::zero();
        }
        const bool west = rest_.starts_with('-');
        skip(west ? '-' : '+');
        const hours h{digits(2)};
        skip(':');
        const minutes m{digits(2)};
        good_ = good_ && h < hours{24} && m < minutes{60};
        return west ? -(h + m) : h + m;
    }

    std::optional<WallTime> time()
    {
        if (rest_.starts_with("- ")) {
            rest_.remove_prefix(1);
            return std::nullopt;
        }
        const year y{digits(4)};
        skip('-');
        const auto m = static_cast<unsigned>(digits(2));
        skip('-');
        const auto d = static_cast<unsigned>(digits(2));
        skip('T');
        const year_month_day date{y, month{m}, day{d}};
        const hours h{digits(2)};
        skip(':');
        const minutes min{digits(2)};
        skip(':');
        const seconds s{digits(2)};
        const auto us = fraction();
        const auto east = offset();
        good_ = good_ && date.ok() && h < hours{24} && min < minutes{60} && s < seconds{60};
        if (!good_) {
            return std::nullopt;
        }
        const WallTime at{sys_days{date} + h + min + s + us - east};
        const auto utc = year_month_day{floor<days>(at)}.year();
        good_ = utc >= year{0} && utc <= year{9999};  // with its offset, a time may leave the range of four-digit years
        return at;
    }

private:
    // The position after the closing bracket; beyond the end if there is none.
    std::size_t end_of_element(std::size_t at) const
    {
        bool quoted = false;
        for (++at; at < rest_.size() && (quoted || rest_[at] != ']'); ++at) {
            if (quoted && rest_[at] == '\\') {
                ++at;
            } else if (rest_[at] == '"') {
                quoted = !quoted;
            }
        }
        return at + 1;
    }

    std::string_view rest_;
    bool good_{true};
};

tl::unexpected<Error> refuse(std::string_view what, std::string_view allowed)
{
    return tl::unexpected{Error{ErrorKind::invalid, fmt::format("log line: {}, allowed: {}", what, allowed)}};
}

// The time in the only form that a log line may have.
std::string strict_time(std::string_view text)
{
    constexpr std::size_t kDate = 10;     // "2019-02-14"
    constexpr std::size_t kSeconds = 19;  // "2019-02-14T12:57:32"
    constexpr std::size_t kMicroseconds = 6;
    if (text.size() == kDate) {
        return std::string{text} + "T00:00:00Z";
    }
    if (text.size() < kSeconds || (text[kDate] != 'T' && text[kDate] != ' ')) {
        return {};
    }
    auto rest = text.substr(kSeconds);
    std::string strict{text.substr(0, kSeconds)};
    strict[kDate] = 'T';
    if (rest.starts_with('.')) {
        const auto digits = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
        strict += rest.substr(0, std::min(digits, 1 + kMicroseconds));
        rest.remove_prefix(digits);
    }
    const bool no_colon = rest.size() == 5 && (rest[0] == '+' || rest[0] == '-');  // "+0100"
    return strict + (rest.empty() ? "Z"
                     : no_colon   ? fmt::format("{}:{}", rest.substr(0, 3), rest.substr(3))
                                  : std::string{rest});
}

}  // namespace

std::optional<WallTime> time_from_text(std::string_view text)
{
    const auto strict = strict_time(text);
    Front front{strict};
    const auto at = front.time();
    return front.good() && front.rest().empty() ? at : std::nullopt;
}

std::string utc_text(WallTime at)
{
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{at - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}+00:00", int{date.year()}, unsigned{date.month()},
                       unsigned{date.day()}, time.hours().count(), time.minutes().count(), time.seconds().count(),
                       time.subseconds().count());
}

std::string build(const LogLine& line)
{
    return fmt::format("<{}>1 {} {} {} {} {} {}{}{}", line.facility * 8 + line.severity,
                       line.at ? utc_text(*line.at) : "-", or_nil(line.host), or_nil(line.application),
                       or_nil(line.process), or_nil(line.message_id), or_nil(line.structured_data),
                       line.message.empty() ? "" : " ", line.message);
}

Result<LogLine> parse_log_line(std::string_view text)
{
    LogLine line;
    Front front{text};
    front.skip('<');
    const auto priority = front.digits(0);
    if (!front.skip('>') || !front.good() || priority > 191) {
        return refuse("no priority", "<0> to <191>");
    }
    line.facility = static_cast<std::uint8_t>(priority / 8);
    line.severity = static_cast<std::uint8_t>(priority % 8);
    front.skip('1');
    front.skip(' ');
    if (!front.good()) {
        return refuse("another version", "1");
    }
    line.at = front.time();
    front.skip(' ');
    if (!front.good()) {
        return refuse("no time", "2019-02-14T12:57:32.927818+00:00 or -");
    }
    const std::pair<std::string*, std::size_t> fields[] = {
        {&line.host, 255}, {&line.application, 48}, {&line.process, 128}, {&line.message_id, 32}};
    for (const auto& [field, most] : fields) {
        *field = front.field(most);
        front.skip(' ');
    }
    if (!front.good()) {
        return refuse("no header", "host, application, process id and message id, or - for each");
    }
    line.structured_data = front.structured_data();
    if (!front.rest().empty()) {
        front.skip(' ');
    }
    if (!front.good()) {
        return refuse("no structured data", "- or [...]");
    }
    line.message = front.rest();
    return line;
}

}  // namespace petrel::wire
