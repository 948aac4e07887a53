// When and for how long a queue was paused, as SONiC's pfc_stat_history shows it in the counters of a port
// (EST_PORT_STAT_PFC_<priority>_...): the total, when the last pause began, and how long it was or has been so far.
//
// It is computed from looks. If the device counts pause time, that is used, and the total to show is the device's own.
// Otherwise an interval counts as paused if the queue is paused at its end: the excess at the start of a pause and the
// loss at its end cancel on average.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "sonic/store.hpp"

namespace petrel::sonic {

struct PauseLook {
    WallTime at;
    std::chrono::microseconds interval{};  // since the previous look; zero: there is none
    std::optional<bool> paused_now;
    std::optional<std::uint64_t> pause_us;  // the device's counter
};

class PauseHistory {
public:
    // Continues the total in the present counters of the port, if there is one.
    PauseHistory(Priority, const Hash& shown);

    // Returns whether there was pause in the interval: then fields() have changed.
    bool see(const PauseLook&);

    Hash fields() const;  // empty before the first pause

private:
    std::chrono::microseconds paused_in(const PauseLook&) const;

    Priority priority_;
    std::uint64_t total_us_{};
    std::chrono::microseconds length_{};
    std::optional<WallTime> began_;
    std::optional<std::uint64_t> pause_us_;
    bool goes_on_{};
};

}  // namespace petrel::sonic
