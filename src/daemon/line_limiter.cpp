#include "daemon/line_limiter.hpp"

#include <fmt/format.h>

namespace petrel::daemon {

bool LineLimiter::admit(const Log::Line& line, Instant now)
{
    const auto [at, first] = periods_.try_emplace({line.event, line.device, line.queue});
    auto& period = at->second;
    if (first) {
        period.end = now + kPeriod;
        by_end_.push_back(at);  // all periods have the same length, so this one ends last
    }
    if (period.written < kMostLines) {
        ++period.written;
        return true;
    }
    ++period.suppressed;
    period.level = line.level;
    return false;
}

std::vector<Log::Line> LineLimiter::due(Instant now)
{
    std::vector<Log::Line> lines;
    for (; !by_end_.empty() && by_end_.front()->second.end <= now; by_end_.pop_front()) {
        const auto& [kind, period] = *by_end_.front();
        if (period.suppressed != 0) {
            const auto count = fmt::format("{}", period.suppressed);
            lines.push_back({period.level,
                             "lines_suppressed",
                             kind.device,
                             kind.queue,
                             fmt::format("{}: and {} more within {} s, which are not in the log", kind.event, count,
                                         kPeriod.count()),
                             {{"of", kind.event}, {"count", count}}});
        }
        periods_.erase(by_end_.front());
    }
    return lines;
}

Instant LineLimiter::next_due() const { return by_end_.empty() ? kNever : by_end_.front()->second.end; }

}  // namespace petrel::daemon
