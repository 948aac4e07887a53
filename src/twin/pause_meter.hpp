// The pause that a port has received for one queue: the pause in force, and the totals that an ASIC counts. The end of
// a pause that ran out is accounted at the next access, with the time when it ran out. So a quiet port costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/sim_time.hpp"

namespace petrel::twin {

struct alignas(64) PauseMeter {
    Ps until{};  // end of the pause in force; 0 = none
    Ps since{};  // start of the pause in force
    Ps total{};  // duration of all ended pauses
    Ps longest{};
    std::uint64_t xoff{};  // frames received
    std::uint64_t xon{};
    std::uint64_t ended{};  // number of ended pauses
    Ps requested{};         // sum of the times of all frames, as if each had run out

    bool paused(Ps now) const { return until > now; }

    void settle(Ps now)
    {
        if (until != 0 && until <= now)
            close(until);
    }
    void pause(Ps now, Ps end)
    {
        ++xoff;
        requested += end - now;
        settle(now);
        if (until == 0)
            since = now;
        until = end;
    }
    void resume(Ps now)
    {
        ++xon;
        settle(now);
        if (until != 0)
            close(now);
    }
    void forget(Ps now)  // the link went down
    {
        settle(now);
        if (until != 0)
            close(now);
    }
    Ps paused_for(Ps now) const  // total
    {
        return total + (until == 0 ? 0 : std::min(until, now) - since);
    }

private:
    void close(Ps end)
    {
        total += end - since;
        longest = std::max(longest, end - since);
        ++ended;
        until = 0;
    }
};

}  // namespace petrel::twin
