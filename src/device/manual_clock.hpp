// A clock that moves only when set() or advance() is called, for simulated runs and tests. Wall time starts at `wall`
// and advances with the monotonic time.
#pragma once

#include "base/assert.hpp"
#include "device/device.hpp"

namespace petrel::device {

class ManualClock final : public TimeSource {
public:
    explicit ManualClock(Instant start = Instant{}, WallTime wall = WallTime{}) : now_{start, wall} {}

    Now now() const override { return now_; }

    void set(Instant to)
    {
        PETREL_ASSERT(to >= now_.mono, "time runs backwards by {} ns", (now_.mono - to).count());
        now_.wall += std::chrono::floor<std::chrono::microseconds>(to - now_.mono);
        now_.mono = to;
    }
    void advance(Duration by) { set(now_.mono + by); }
    void step_wall(std::chrono::microseconds by) { now_.wall += by; }  // the wall clock was set

private:
    Now now_;
};

}  // namespace petrel::device
