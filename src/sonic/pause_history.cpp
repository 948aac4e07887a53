#include "sonic/pause_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace petrel::sonic {

namespace {

using std::chrono::microseconds;

std::string field_name(Priority priority, std::string_view what)
{
    return fmt::format("EST_PORT_STAT_PFC_{}_{}", priority.value, what);
}

std::string total_name(Priority priority) { return field_name(priority, "RX_PAUSE_DURATION_US"); }

// Invalid numbers count as zero.
std::uint64_t total_in(const Hash& shown, Priority priority)
{
    const auto at = shown.find(total_name(priority));
    const std::string_view text = at != shown.end() ? std::string_view{at->second} : std::string_view{};
    std::uint64_t us = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), us);
    return problem == std::errc{} && end == text.data() + text.size() ? us : 0;
}

}  // namespace

PauseHistory::PauseHistory(Priority priority, const Hash& shown)
    : priority_(priority), total_us_(total_in(shown, priority))
{}

bool PauseHistory::see(const PauseLook& look)
{
    const auto paused = paused_in(look);
    pause_us_ = look.pause_us;
    if (paused == microseconds{}) {
        goes_on_ = false;
        return false;
    }
    // A pause that has ended within the interval may have been anywhere in it: it is assumed at the start of the
    // interval.
    if (!goes_on_) {
        length_ = {};
        began_ = look.at - (look.paused_now.value_or(false) ? paused : look.interval);
    }
    goes_on_ = look.paused_now.value_or(true);
    total_us_ += static_cast<std::uint64_t>(paused.count());
    length_ += paused;
    began_ = std::min(*began_, look.at - length_);  // also if the wall clock was set back
    return true;
}

// A counter that was cleared proves nothing. The result is at most the interval.
microseconds PauseHistory::paused_in(const PauseLook& look) const
{
    if (look.interval <= microseconds{}) {
        return {};
    }
    if (look.pause_us) {
        const auto counted = pause_us_ && *look.pause_us >= *pause_us_ ? *look.pause_us - *pause_us_ : 0;
        const auto most = static_cast<std::uint64_t>(look.interval.count());
        return microseconds{static_cast<std::int64_t>(std::min(counted, most))};
    }
    return look.paused_now.value_or(false) ? look.interval : microseconds{};
}

Hash PauseHistory::fields() const
{
    if (!began_) {
        return {};
    }
    Hash fields{
        {field_name(priority_, "RECENT_PAUSE_TIME_US"), fmt::format("{}", length_.count())},
        {field_name(priority_, "RECENT_PAUSE_TIMESTAMP"), fmt::format("{}", began_->time_since_epoch().count())}};
    if (!pause_us_) {
        fields.emplace(total_name(priority_), fmt::format("{}", total_us_));
    }
    return fields;
}

}  // namespace petrel::sonic
