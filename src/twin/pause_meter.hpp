// The pause a port has received for one queue: what is in force, and the totals an ASIC counts. A pause that runs out
// is settled when somebody looks, at the time it ran out; so a quiet port costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/sim_time.hpp"

namespace petrel::twin {

struct alignas(64) PauseMeter {
    Ps until{};  // the pause in force ends then; 0 = none
    Ps since{};  // and began then
    Ps total{};  // of the pauses that are over
    Ps longest{};
    std::uint64_t xoff{};  // frames received
    std::uint64_t xon{};
    std::uint64_t ended{};  // pauses that are over
    Ps asked{};             // what all frames asked for, as if each had run out

    bool paused(Ps now) const { return until > now; }

    void settle(Ps now)
    {
        if (until != 0 && until <= now)
            close(until);
    }
    void pause(Ps now, Ps end)
    {
        ++xoff;
        asked += end - now;
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
    Ps paused_for(Ps now) const  // altogether
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
