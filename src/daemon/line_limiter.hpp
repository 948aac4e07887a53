// Limits the lines of one kind in the log, so that a queue that flaps, or a database that changes all the time, does
// not fill the disk. The first lines of a kind are written at once. Lines above the limit are counted, and one line at
// the end of the period reports the count. Only the log is limited: events and metrics are complete.
//
// Pure: time is an argument, and must not run backwards.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "daemon/log.hpp"

namespace petrel::daemon {

class LineLimiter {
public:
    // At most kMostLines lines of each kind (event, device, queue) are written per period. A period begins with the
    // first line of the kind.
    static constexpr unsigned kMostLines = 30;
    static constexpr std::chrono::seconds kPeriod{10};

    // Whether to write the line. If not, the line is counted. Call due() first.
    bool admit(const Log::Line&, Instant now);

    // For each period that is over and has suppressed lines: the line that reports how many.
    std::vector<Log::Line> due(Instant now);
    // When to call due() next; kNever if no period is open.
    Instant next_due() const;

private:
    struct Kind {
        std::string event;
        std::string device;
        std::string queue;
        auto operator<=>(const Kind&) const = default;
    };
    struct Period {
        Instant end{};
        unsigned written{};
        std::uint64_t suppressed{};
        Log::Level level{};  // of the last suppressed line
    };
    using Periods = std::map<Kind, Period>;

    Periods periods_;
    std::deque<Periods::iterator> by_end_;  // all periods, in the order of their ends
};

}  // namespace petrel::daemon
