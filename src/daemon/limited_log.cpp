#include "daemon/limited_log.hpp"

namespace petrel::daemon {

LimitedLog::~LimitedLog()
{
    if (timer_) {
        loop_.cancel(*timer_);
    }
}

void LimitedLog::write(const Log::Line& line)
{
    const auto now = loop_.now();
    count_suppressed(now.mono);
    if (limiter_.admit(line, now.mono)) {
        log_->write(line, now);
    } else if (!timer_) {
        plan_count();
    }
}

void LimitedLog::count_suppressed(Instant until)
{
    for (const auto& line : limiter_.due(until)) {
        log_->write(line, loop_.now());
    }
}

void LimitedLog::plan_count()
{
    if (const auto next = limiter_.next_due(); next != kNever) {
        timer_ = loop_.at(next, [this] {
            timer_.reset();
            count_suppressed(loop_.now().mono);
            plan_count();
        });
    }
}

}  // namespace petrel::daemon
