// The fabric that the benches watch: so many queues of one device, most of them not paused or only briefly, a few
// paused at the moment, very few paused for longer; and no storm, so that every pass does the same work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "watchdog/intake.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::bench {

// What the device can tell, which decides how pause is proven.
enum class Tells : std::uint8_t {
    state,   // pause_state alone
    counter  // pause_us, rx_xoff, paused_now
};

std::string_view name(Tells);

struct Mix {
    std::uint32_t paused_now_of_1000{10};
    std::uint32_t running_of_1000{1};  // of those, paused all the time: their clocks run
    std::uint32_t near_limit{};        // so many rows paused for so long that they want another look before the poll
};

// What one row says of the time since it was last read.
struct Told {
    watchdog::PauseState state{};
    std::uint64_t pause_us{};
    std::uint64_t xoff{};
};
Told told(std::uint32_t row, std::uint32_t rows, const Mix&, unsigned phase, std::uint64_t dt_us);

watchdog::Inventory inventory(std::uint32_t rows);
watchdog::Capabilities capabilities(Tells);
watchdog::Watchlist watchlist(std::uint32_t rows, Tells);  // policy `sonic` on every queue

// One look at every row. Rows that are paused in a look of even phase are not in one of odd phase, and the other way
// round: a clock that one look sets going, the next one ends.
void look_at_all(watchdog::Intake&, std::uint32_t rows, Tells, const Mix&, unsigned phase);

}  // namespace petrel::bench
