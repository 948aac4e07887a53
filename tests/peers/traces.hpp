// Eleven short traces of one queue's counters, each of which some detector judges wrong: what happened in every poll
// interval, and the truth, by which an answer is judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "peer_detectors.hpp"

namespace petrel::peers {

// What one interval adds to the counters, and the levels at its end.
struct Step {
    std::uint64_t rx{};
    std::uint64_t on2off{};
    bool paused{};
    std::uint32_t occ{};
    std::uint64_t tx{};
    std::uint64_t dur_us{};
};

inline constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

struct Storm {
    enum class Kind : std::uint8_t {
        none,        // no detector may act
        broken,      // mostly paused: a detector of continuous pause may stay silent, an integrating one may not
        continuous,  // every detector has to act
    } kind{};
    std::uint64_t from_us{};
    std::uint64_t to_us{kNoEnd};
};

struct Trace {
    char id{};
    std::string_view about;
    Timers timers;
    std::uint64_t period_us{};  // the real poll period
    Storm storm;
    std::vector<Step> steps;  // steps[i] is interval i + 1; poll 0 comes before all of them
};

inline constexpr std::uint64_t kPollUs = 200'000;
inline constexpr std::size_t kIntervals = 20;
inline constexpr Step kQuiet{};
inline constexpr Step kFull{.rx = 100, .paused = true, .occ = 4096, .dur_us = kPollUs};

// Two quiet intervals, the given ones, then `after` to the end.
inline std::vector<Step> steps(const std::vector<Step>& storm, Step after = kQuiet)
{
    std::vector<Step> all{kQuiet, kQuiet};
    all.insert(all.end(), storm.begin(), storm.end());
    all.resize(kIntervals, after);
    return all;
}

inline std::vector<Step> times(std::size_t count, Step step) { return std::vector<Step>(count, step); }

// The peer stops in the middle of interval 3: during the first half the queue still sends.
inline std::vector<Step> half_then_full(std::size_t full)
{
    std::vector<Step> all{{.rx = 50, .paused = true, .occ = 4096, .tx = 100'000, .dur_us = kPollUs / 2}};
    all.resize(1 + full, kFull);
    return all;
}

inline Step but(Step step, void (*change)(Step&))
{
    change(step);
    return step;
}

inline std::vector<Trace> traces()
{
    using enum Storm::Kind;
    constexpr Timers kUsual{2 * kPollUs, 2 * kPollUs, kPollUs, false};
    constexpr Timers kShort{kPollUs, kPollUs, kPollUs, false};
    constexpr Timers kAlert{2 * kPollUs, 2 * kPollUs, kPollUs, true};
    constexpr std::uint64_t kSlow = 3 * kPollUs;
    constexpr auto poll = [](std::uint64_t index) { return index * kPollUs; };

    const Step empty = but(kFull, [](Step& s) { s.occ = 0; });
    const Step choppy = but(kFull, [](Step& s) { s.on2off = 1, s.dur_us = kPollUs * 95 / 100; });
    const Step gaps = but(kFull, [](Step& s) { s.dur_us = kPollUs * 85 / 100; });
    const Step one_frame{.rx = 1, .on2off = 1, .occ = 4096, .dur_us = kPollUs / 100};
    const Step xon_only{.rx = 100};
    const Step draining{.occ = 4096, .tx = 100'000};  // an alert drops nothing: the backlog is sent
    const Step slow = but(kFull, [](Step& s) { s.dur_us = kSlow; });
    const Step frozen = but(kFull, [](Step& s) { s.rx = 0; });
    const Step leaking = but(kFull, [](Step& s) { s.tx = 1; });

    return {
        {'A',
         "full storm, first interval 50 %",
         kUsual,
         kPollUs,
         {continuous, poll(2) + kPollUs / 2, poll(14)},
         steps(half_then_full(11))},
        {'B',
         "the same, D = R = P",
         kShort,
         kPollUs,
         {continuous, poll(2) + kPollUs / 2, poll(14)},
         steps(half_then_full(11))},
        {'C', "storm on an empty queue", kUsual, kPollUs, {continuous, poll(2), poll(14)}, steps(times(12, empty))},
        {'D',
         "choppy: a pause ends in each poll, 95 % paused",
         kUsual,
         kPollUs,
         {broken, poll(2), poll(14)},
         steps(times(12, choppy))},
        {'E', "85 % paused, nothing sent", kUsual, kPollUs, {broken, poll(2), poll(14)}, steps(times(12, gaps))},
        {'F',
         "one pause frame a poll, 1 % paused, nothing sent",
         kUsual,
         kPollUs,
         {none, poll(2), poll(14)},
         steps(times(12, one_frame))},
        {'G',
         "XOFF storm turns into XON storm",
         kUsual,
         kPollUs,
         {continuous, poll(2), poll(10)},
         steps(times(8, kFull), xon_only)},
        {'H', "action alert", kAlert, kPollUs, {continuous, poll(2), poll(10)}, steps(times(8, kFull), draining)},
        {'I',
         "real period 600 ms, configured 200",
         kUsual,
         kSlow,
         {continuous, 2 * kSlow, 10 * kSlow},
         steps(times(8, slow))},
        {'J',
         "frame counter freezes, still paused",
         kUsual,
         kPollUs,
         {continuous, poll(2)},
         steps(times(3, kFull), frozen)},
        {'K', "paused, one packet an interval leaks", kUsual, kPollUs, {continuous, poll(2)}, steps({}, leaking)},
    };
}

inline std::vector<Reading> readings(const Trace& trace)
{
    std::vector<Reading> all(1);
    for (const auto& step : trace.steps) {
        Reading next = all.back();
        next.at_us += trace.period_us;
        next.rx += step.rx;
        next.on2off += step.on2off;
        next.tx += step.tx;
        next.dur_us += step.dur_us;
        next.occ = step.occ;
        next.paused = step.paused;
        all.push_back(next);
    }
    return all;
}

}  // namespace petrel::peers
