// Counters that stand still or begin anew, whatever the device behind them counts. Samples pass through here on their
// way to the intake.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "watchdog/intake.hpp"

namespace petrel::device {

class CounterFaults final : public watchdog::SampleFilter {
public:
    // What is read first from now on is what every read shows, with the time of the read.
    void freeze();
    void thaw() { frozen_ = false; }

    // Counters count from what is read first from now on. Told: the epoch changes, as it does with a proper reset.
    void restart(bool told);

    bool any() const { return frozen_ || restarts_ != 0; }
    void pass(watchdog::Sample&) override;

private:
    struct Row {
        std::optional<watchdog::Sample> shown;  // while frozen
        std::array<std::uint64_t, watchdog::kFields> base{};
        std::uint32_t restarts{};
    };

    std::vector<Row> rows_;
    bool frozen_{};
    std::uint32_t restarts_{};
    std::uint32_t told_{};  // of those
};

}  // namespace petrel::device
