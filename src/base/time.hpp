// Time. Instant is monotonic and used for measuring. WallTime is used for display only. There is no now() here: callers
// pass the time as an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace petrel {

struct Mono {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<Mono>;
    static constexpr bool is_steady = true;
};

using Instant = Mono::time_point;
using Duration = Mono::duration;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

struct Now {
    Instant mono;
    WallTime wall;
};

// No deadline.
inline constexpr Instant kNever = Instant::max();

constexpr std::int64_t whole_us(Duration d) { return std::chrono::floor<std::chrono::microseconds>(d).count(); }
constexpr std::int64_t whole_us(Instant t) { return whole_us(t.time_since_epoch()); }
constexpr std::int64_t whole_ms(Duration d) { return std::chrono::floor<std::chrono::milliseconds>(d).count(); }
constexpr Instant instant_from_us(std::int64_t us) { return Instant{std::chrono::microseconds{us}}; }

}  // namespace petrel
