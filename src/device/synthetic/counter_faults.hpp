// Makes counters stand still, restart, wrap at 32 bits or show wrong values, and time stamps wrong, whatever the real
// device counts. A filter for samples on their way to the intake.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "watchdog/intake.hpp"

namespace petrel::device {

class CounterFaults final : public watchdog::SampleFilter {
public:
    // From now on every read of a row shows the first sample read after this call, with the time of the actual read.
    void freeze();
    void thaw() { frozen_ = false; }

    // Counters restart at the first read after this call: from zero, or so many counts below 2^32, where they wrap. If
    // `reported`, the epoch changes, as after a proper reset. A wrap does not change it.
    void restart(bool reported, std::optional<std::uint32_t> wraps_after = {});

    // From now on about half of the counters of each read are wrong by any amount, up or down. Levels stay correct.
    void corrupt(std::uint64_t seed) { wrong_.emplace(seed); }
    void correct() { wrong_.reset(); }

    // From now on the time stamp of each read is wrong by up to `by`, early or late.
    void corrupt_stamps(Duration by, std::uint64_t seed)
    {
        wrong_stamps_.emplace(WrongStamps{by, std::mt19937_64{seed}});
    }
    void correct_stamps() { wrong_stamps_.reset(); }

    bool any() const { return frozen_ || restarts_ != 0 || wrong_ || wrong_stamps_; }
    void pass(watchdog::Sample&) override;

    // For a read between two looks, which gives the faults their starting values. A device forgets a break in the pause
    // when its pause state is read, so the next look reports a break that this read has found.
    void start_from(watchdog::Sample);

private:
    static constexpr auto kAllBits = ~std::uint64_t{0};

    struct Row {
        std::optional<watchdog::Sample> shown;  // while frozen
        std::array<std::uint64_t, watchdog::kFields> base{};
        std::uint64_t mask{kAllBits};
        std::uint32_t restarts{};
        bool break_found{};  // by start_from(), for the next look
    };

    struct WrongStamps {
        Duration by{};
        std::mt19937_64 random;
    };

    std::vector<Row> rows_;
    bool frozen_{};
    std::optional<std::mt19937_64> wrong_;      // while counters are wrong: by how much
    std::optional<WrongStamps> wrong_stamps_;   // while time stamps are wrong
    std::optional<std::uint32_t> wraps_after_;  // of the last restart
    std::uint32_t restarts_{};
    std::uint32_t reported_{};  // how many of restarts_ changed the epoch
};

}  // namespace petrel::device
