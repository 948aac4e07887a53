// The dense half of the watchdog: per row, add the time that an observation proves. A Rule is a policy compiled for one
// device and one speed. A Run is a range of rows with the same rule, so that the kernel works with constants and
// without gathers.
//
// A clock runs up to its limit (T0 while watching, T1 while waiting for quiet). The sparse half (watchdog.hpp) decides
// what a full clock means. It sets limit and direction, so this half needs neither policy nor phase.
//
// advance_row() is the definition and is written for readers. advance() does the same for a whole run in a form that
// compilers vectorise. Both give the same result bit for bit.
#pragma once

#include <cstdint>
#include <span>

#include "watchdog/observation.hpp"
#include "watchdog/policy.hpp"

namespace petrel::watchdog {

// Where the proof of pause comes from, best first.
enum class Source : std::uint8_t {
    state,     // the pause bits: tri-state, or both ends paused and no transition, or frames that hold it all the time
    duration,  // pause time against measured time
    none
};

struct Rule {
    Criterion criterion{};
    Source source{};
    bool quiet_survives{};             // some signal of quiet survives the policy's action
    bool backlog{};                    // the queue must hold bytes
    bool in_bytes{};                   // progress is measured in bytes (else in packets)
    bool sends{};                      // progress is measured at all
    std::uint32_t slack_per_64k{};     // share of dt, in 65536ths
    std::uint32_t floor_per_64k_us{};  // bytes (or packets) in 65536 us that are still no progress
    std::uint32_t leak{};
    std::uint32_t near_us{};  // the sparse half visits a clock this close to its limit
    bool operator==(const Rule&) const = default;
};

struct Run {
    Slot first;
    std::uint32_t count{};
    Rule rule;
};

// The hot state: 13 bytes per row.
struct Clocks {
    IndexedSpan<Slot, std::uint32_t> proven_us;   // of pause while watching, of quiet while waiting for it
    IndexedSpan<Slot, std::uint32_t> limit_us;    // kNoLimit: never full
    IndexedSpan<Slot, std::uint8_t> wants_quiet;  // 0, or the bit that proves it: kQuiet or kQuietStill
    IndexedSpan<Slot, std::uint32_t> longest_us;  // longest pause proven without a break
};

inline constexpr std::uint32_t kNoLimit = 0xffffffffU;
inline constexpr std::uint32_t kAtOnce = 1;               // one look fills the clock
inline constexpr std::uint32_t kClockMost = 0x7fffffffU;  // a clock saturates here, below any limit that means "never"

// Whether the interval is paused from end to end, by the rule's own source.
bool paused_throughout(const Observations&, const Rule&, Slot row) noexcept;

// Both return the least time left among their rows: on clocks that run or may have started; kNoLimit if none does.
// advance() handles the rows first, first + 1, ... and stores the time left of each in `left`.
std::uint32_t advance_row(const Observations&, const Rule&, const Clocks&, Slot row) noexcept;
std::uint32_t advance(const Observations&, const Rule&, const Clocks&, Slot first,
                      std::span<std::uint32_t> left) noexcept;

}  // namespace petrel::watchdog
