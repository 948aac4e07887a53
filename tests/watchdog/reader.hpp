// Puts samples of one or more rows through a real Intake, one look at a time. A test then reads as the device's samples
// and the resulting observations.
#pragma once

#include <initializer_list>
#include <utility>

#include "support/world.hpp"
#include "watchdog/intake.hpp"

namespace petrel::test {

using watchdog::Field;
using watchdog::Fields;
using watchdog::PauseState;

// The values of Field::pause_state as numbers.
inline constexpr std::uint64_t kNot = static_cast<std::uint64_t>(PauseState::not_paused);
inline constexpr std::uint64_t kAll = static_cast<std::uint64_t>(PauseState::paused);
inline constexpr std::uint64_t kPartly = static_cast<std::uint64_t>(PauseState::not_continuous);

struct Reading {
    std::int64_t at_us{};
    std::initializer_list<std::pair<Field, std::uint64_t>> values;  // pause_state and paused_now as numbers
    std::uint32_t epoch{1};
};

inline watchdog::Sample sample(std::uint32_t row, const Reading& reading)
{
    watchdog::Sample s;
    s.slot = Slot{row};
    s.read_at = instant_from_us(reading.at_us);
    s.epoch = reading.epoch;
    for (const auto& [field, value] : reading.values) {
        s.known |= bit(field);
        if (field == Field::pause_state) {
            s.pause_state = static_cast<PauseState>(value);
        } else if (field == Field::paused_now) {
            s.paused_now = value != 0;
        } else {
            s[field] = value;
        }
    }
    return s;
}

class Reader {
public:
    explicit Reader(Fields fields, std::size_t rows = 1, std::uint64_t bps = 100'000'000'000)
        : Reader(able(fields), rows, bps)
    {}
    explicit Reader(const watchdog::Capabilities& can, std::size_t rows = 1, std::uint64_t bps = 100'000'000'000)
        : intake_(small_inventory(rows, bps), can)
    {}

    // One look with this sample of row 0.
    Reader& read(const Reading& reading)
    {
        intake_.begin();
        intake_.put(sample(0, reading));
        return *this;
    }

    watchdog::Intake& intake() { return intake_; }
    std::uint32_t dt_us(std::uint32_t row = 0) const { return intake_.view().dt_us[row]; }
    Fields known(std::uint32_t row = 0) const { return intake_.view().known[row] & ~watchdog::kPauseSeen; }
    bool shows_pause(std::uint32_t row = 0) const { return (intake_.view().known[row] & watchdog::kPauseSeen) != 0; }
    std::uint8_t pause(std::uint32_t row = 0) const { return intake_.view().pause[row]; }
    std::uint32_t value(Field f, std::uint32_t row = 0) const { return intake_.view().column(f)[row]; }

private:
    watchdog::Intake intake_;
};

}  // namespace petrel::test
