// A detector's decisions about a trace, by poll index: their notation, and whether they are right. They are judged only
// by what the timers promise and by what happened in the trace, not by the decisions of another detector.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "traces.hpp"

namespace petrel::peers {

struct Reported {
    std::size_t poll{};
    bool storm{};  // else restored
};

using Answer = std::vector<Reported>;

// "5-16": storm at poll 5, restored at 16. "4-": never restored. "4,7-12": detected twice before. "none": no decision.
inline std::string text(const Answer& answer)
{
    std::string line;
    bool open = false;
    for (const auto& reported : answer) {
        if (reported.storm) {
            line += fmt::format("{}{}", open ? "," : (line.empty() ? "" : " "), reported.poll);
        } else {
            line += fmt::format("-{}", reported.poll);
        }
        open = reported.storm;
    }
    return line.empty() ? "none" : line + (open ? "-" : "");
}

// All faults of the answer, in the order of appearance; empty if it is right.
//   never before D of pause, at most a poll later, once per storm; restored after R of quiet, at most a poll later
inline std::vector<std::string_view> faults(const Trace& trace, const Answer& answer)
{
    std::vector<std::string_view> found;
    const auto fault_if = [&](bool wrong, std::string_view what) {
        if (wrong && std::find(found.begin(), found.end(), what) == found.end()) {
            found.push_back(what);
        }
    };
    const auto& storm = trace.storm;
    const auto act_at = storm.from_us + trace.timers.detect_us;
    const bool ends = storm.to_us != kNoEnd;
    const auto quiet_at = ends ? storm.to_us + trace.timers.restore_us : kNoEnd;
    bool open = false;
    bool seen = false;
    bool real = false;  // the last reported storm is that of the trace
    for (const auto& reported : answer) {
        const auto at_us = reported.poll * trace.period_us;
        if (reported.storm) {
            real = storm.kind != Storm::Kind::none && at_us <= storm.to_us;
            fault_if(!real, storm.kind == Storm::Kind::none ? "false storm" : "phantom storm");
            fault_if(real && at_us < act_at, "too early");
            fault_if(real && !seen && at_us > act_at + trace.period_us, "late");
            fault_if(real && open, "reported again");
            fault_if(real && seen && !open, "flaps");
            seen = seen || real;
        } else if (real) {
            fault_if(at_us < quiet_at, ends ? "restored too early" : "false restore");
            fault_if(ends && at_us > quiet_at + trace.period_us, "restored late");
        }
        open = reported.storm;
    }
    fault_if(storm.kind == Storm::Kind::continuous && !seen, "missed");
    fault_if(open && ends, "never restored");
    return found;
}

inline Answer ask(const Peer& peer, const Trace& trace)
{
    Answer answer;
    PeerDetector detector{peer, trace.timers};
    std::size_t poll = 0;
    for (const auto& reading : readings(trace)) {
        const auto decision = detector.poll(reading);
        if (decision.storm || decision.restore) {
            answer.push_back({poll, decision.storm});
        }
        ++poll;
    }
    return answer;
}

}  // namespace petrel::peers
