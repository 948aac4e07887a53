// Finds rows whose counters restart so often that no storm can be proven: another process clears them, they stand still
// while the queue is paused, or their stamps go backwards. A row is blind if its counters restarted in half of its last
// eight looks, and sees again after eight looks without a restart.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace petrel::watchdog {

class BlindRows {
public:
    explicit BlindRows(std::size_t rows) : restarts_(rows), blind_(rows) {}

    void looked(Slot row, bool restarted)
    {
        auto& last = restarts_[row.value];
        last = static_cast<std::uint8_t>(2U * last + (restarted ? 1U : 0U));
        const bool blind = blind_[row.value] ? last != 0 : std::popcount(last) >= kTooMany;
        changes_ += blind != blind_[row.value] ? 1U : 0U;
        blind_[row.value] = blind;
    }

    bool contains(Slot row) const { return blind_[row.value]; }
    std::uint64_t changes() const { return changes_; }  // grows when a row becomes blind or sees again

private:
    static constexpr int kTooMany = 4;

    std::vector<std::uint8_t> restarts_;  // of the last eight looks, the newest in bit 0
    std::vector<bool> blind_;
    std::uint64_t changes_{};
};

}  // namespace petrel::watchdog
