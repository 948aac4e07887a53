// When and for how long a queue was paused, as SONiC's pfc_stat_history shows it in the counters of a port
// (EST_PORT_STAT_PFC_<priority>_...): how long in all, when the last pause began and how long it was, or is by now.
//
// It is told by looks. Pause time that the device counts is taken as it is, and then the device's own total is the one
// to show. Otherwise an interval counts as paused if it ends paused: what is too much at the beginning of a pause is
// too little at its end.
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
    std::chrono::microseconds interval{};  // since the look before; zero: there is none to compare with
    std::optional<bool> paused_now;
    std::optional<std::uint64_t> pause_us;  // counted since ever
};

class PauseHistory {
public:
    // Goes on with the total that these counters of its port show, if they do.
    PauseHistory(Priority, const Hash& shown);

    // Whether there was pause in the interval: then fields() are others than before.
    bool see(const PauseLook&);

    Hash fields() const;  // none before the first pause

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
