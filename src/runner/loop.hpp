// The thread in which a runner makes its decisions, as an interface: the time, timers, and functions posted by other
// threads. In the service it is the event loop, in the lab the time of the twin.
//
// Contract: all but post() belong to the loop's thread. A callback never runs inside the call that planned or posted
// it. Callbacks run one at a time, in the order of their times; posted ones in the order in which they were posted.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/time.hpp"

namespace petrel::runner {

class Loop {
public:
    using TimerId = std::pair<Instant, std::uint64_t>;

    virtual ~Loop() = default;
    virtual Now now() const = 0;
    virtual TimerId at(Instant, std::function<void()>) = 0;  // once
    virtual void cancel(const TimerId&) = 0;                 // does nothing if the timer has fired
    virtual void post(std::function<void()>) = 0;            // from any thread
};

}  // namespace petrel::runner
