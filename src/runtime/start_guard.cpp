#include "runtime/start_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>
#include <vector>

#include "runtime/atomic_file.hpp"
#include "runtime/file_lock.hpp"

namespace petrel::runtime {

namespace {

using namespace std::chrono_literals;

constexpr auto kWindow = 60s;
constexpr std::size_t kFree = 3;          // this many starts within the window do not wait
constexpr std::size_t kMostStarts = 100;  // kept in the file
constexpr Duration kLongest = 30s;

// The first line. Versions before it ignore it, as they ignore every line that is no number.
constexpr std::string_view kHeading = "petrel_starts 1\n";
constexpr std::string_view kHeadingOfAny = "petrel_starts ";

// The file of a later version: it is neither read nor replaced.
bool is_of_later_version(std::string_view text)
{
    return text.starts_with(kHeadingOfAny) && !text.starts_with(kHeading);
}

// Reads one time per line, in microseconds since 1970. Ignores lines without a number and times in the future.
std::vector<std::int64_t> recent(std::string_view text, std::int64_t now_us)
{
    std::vector<std::int64_t> times;
    const auto* at = text.data();
    const auto* const end = text.data() + text.size();
    while (at != end) {
        std::int64_t us{};
        const auto read = std::from_chars(at, end, us);
        if (read.ec == std::errc{} && us <= now_us && us > now_us - std::chrono::microseconds{kWindow}.count()) {
            times.push_back(us);
        }
        at = std::find(at, end, '\n');
        at += at != end ? 1 : 0;
    }
    return times;
}

}  // namespace

Duration note_start(const std::filesystem::path& file, WallTime now)
{
    const auto now_us = now.time_since_epoch().count();
    // Lock the file, because several agents may share the folder.
    const auto held = HeldFile::take(file);
    if (!held) {
        return {};
    }
    const auto text = held->folder().read(held->name());
    if (text && *text && is_of_later_version(**text)) {
        return {};
    }
    auto times = recent(text && *text ? **text : "", now_us);
    const auto before = times.size();
    times.push_back(now_us);
    const auto kept = times.size() > kMostStarts ? times.end() - kMostStarts : times.begin();
    const auto lines = fmt::format("{}{}\n", kHeading, fmt::join(kept, times.end(), "\n"));
    [[maybe_unused]] const auto written =
        held->folder().replace(held->name(), std::as_bytes(std::span{lines}), kOwnersFile);
    if (before < kFree) {
        return {};
    }
    return std::min<Duration>(1s * (1U << std::min<std::size_t>(before - kFree, 5)), kLongest);
}

void forget_starts(const std::filesystem::path& file)
{
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
}

}  // namespace petrel::runtime
