// The log behind its limiter. Lines above the limit are counted, and a timer of the loop writes the count when the
// period is over.
//
// Contract: all calls are made in the loop's thread, except dropped(), which any thread may call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "daemon/line_limiter.hpp"
#include "daemon/log.hpp"
#include "runner/loop.hpp"

namespace petrel::daemon {

class LimitedLog {
public:
    LimitedLog(runner::Loop& loop, std::unique_ptr<Log> log) : loop_(loop), log_(std::move(log)) {}
    ~LimitedLog();
    LimitedLog(const LimitedLog&) = delete;
    LimitedLog& operator=(const LimitedLog&) = delete;

    void write(const Log::Line&);
    // Writes the counts of all periods that end by `until`; kNever: of all periods.
    void count_suppressed(Instant until);
    void replace(std::unique_ptr<Log> log) { log_ = std::move(log); }
    std::uint64_t dropped() const { return log_->dropped(); }

private:
    void plan_count();

    runner::Loop& loop_;
    std::unique_ptr<Log> log_;
    LineLimiter limiter_;
    std::optional<runner::Loop::TimerId> timer_;
};

}  // namespace petrel::daemon
