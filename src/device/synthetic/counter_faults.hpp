// Makes counters stand still or restart from zero, whatever the real device counts. A filter for samples on their way
// to the intake.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "watchdog/intake.hpp"

namespace petrel::device {

class CounterFaults final : public watchdog::SampleFilter {
public:
    // From now on every read of a row shows the first sample read after this call, with the time of the actual read.
    void freeze();
    void thaw() { frozen_ = false; }

    // Counters restart from zero at the first read after this call. If `reported`, the epoch changes, as after a
    // proper reset.
    void restart(bool reported);

    bool any() const { return frozen_ || restarts_ != 0; }
    void pass(watchdog::Sample&) override;

    // For a read between two looks, which gives the faults their starting values. A device forgets a break in the pause
    // when its pause state is read, so the next look reports a break that this read has found.
    void start_from(watchdog::Sample);

private:
    struct Row {
        std::optional<watchdog::Sample> shown;  // while frozen
        std::array<std::uint64_t, watchdog::kFields> base{};
        std::uint32_t restarts{};
        bool break_found{};  // by start_from(), for the next look
    };

    std::vector<Row> rows_;
    bool frozen_{};
    std::uint32_t restarts_{};
    std::uint32_t reported_{};  // how many of restarts_ changed the epoch
};

}  // namespace petrel::device
