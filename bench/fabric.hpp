// The fabric that the benches watch: queues of one device, most of them not paused or only briefly, a few paused now,
// very few paused for longer. There is no storm, so every pass does the same work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "watchdog/intake.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::bench {

// The signals of the device, which decide how pause is proven.
enum class PauseSignal : std::uint8_t {
    state,   // pause_state alone
    counter  // pause_us, rx_xoff, paused_now
};

std::string_view name(PauseSignal);

struct Mix {
    std::uint32_t paused_now_of_1000{10};
    std::uint32_t running_of_1000{1};  // of those, paused throughout: their clocks run
    std::uint32_t near_limit{};        // number of rows that need another look before the next poll
};

// One row's pause since it was last read.
struct PauseReading {
    watchdog::PauseState state{};
    std::uint64_t pause_us{};
    std::uint64_t xoff{};
};
PauseReading pause_reading(std::uint32_t row, std::uint32_t rows, const Mix&, unsigned phase, std::uint64_t dt_us);

watchdog::Inventory inventory(std::uint32_t rows);
watchdog::Capabilities capabilities(PauseSignal);
watchdog::Watchlist watchlist(std::uint32_t rows, PauseSignal);  // policy `sonic` on every queue

// One look at every row. Rows that are paused in looks of even phase are not paused in looks of odd phase, and vice
// versa: each look resets the clocks that the look before started.
void look_at_all(watchdog::Intake&, std::uint32_t rows, PauseSignal, const Mix&, unsigned phase);

}  // namespace petrel::bench
