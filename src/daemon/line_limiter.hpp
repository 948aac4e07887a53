// How many lines of one kind the log takes: a queue that flaps, or a database that somebody rewrites all the time, does
// not fill the disk. The first lines of a kind are written at once; those above the limit are counted, and one line
// says at the end of the period how many there were. Only the log is limited: events and metrics are complete.
//
// Pure: time is an argument, and never runs backwards.
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
    // Of each kind (event, device, queue), so many lines in a period. It begins with the first of them.
    static constexpr unsigned kMostLines = 30;
    static constexpr std::chrono::seconds kPeriod{10};

    // Whether the line is to be written; if not, it is counted. Call due() first.
    bool admit(const Log::Line&, Instant now);

    // For each period that is over and had lines that were not written: the line that says how many.
    std::vector<Log::Line> due(Instant now);
    // When there is something to be asked for with due(); kNever: there is nothing.
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
        Log::Level level{};  // of the last line that was suppressed
    };
    using Periods = std::map<Kind, Period>;

    Periods periods_;
    std::deque<Periods::iterator> by_end_;  // all of them
};

}  // namespace petrel::daemon
