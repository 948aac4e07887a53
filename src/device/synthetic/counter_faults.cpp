#include "device/synthetic/counter_faults.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace petrel::device {

namespace {

// Zero for half of the counters; for the others small and large amounts are equally likely, up and down.
std::uint64_t error_of_counter(std::mt19937_64& random)
{
    constexpr std::uint64_t kBits = 64;
    const auto kind = random() % 4;
    const auto amount = random() >> random() % kBits;
    return kind < 2 ? 0 : kind == 2 ? amount : -amount;
}

}  // namespace

void CounterFaults::freeze()
{
    frozen_ = true;
    for (auto& row : rows_) {
        row.shown.reset();
    }
}

void CounterFaults::restart(bool reported, std::optional<std::uint32_t> wraps_after)
{
    ++restarts_;
    wraps_after_ = wraps_after;
    reported_ += reported ? 1U : 0U;
}

void CounterFaults::pass(watchdog::Sample& sample)
{
    rows_.resize(std::max<std::size_t>(rows_.size(), sample.slot.value + 1U));
    auto& row = rows_[sample.slot.value];
    if (row.restarts != restarts_) {
        row.restarts = restarts_;
        row.base = sample.raw;
        row.mask = wraps_after_ ? std::numeric_limits<std::uint32_t>::max() : kAllBits;
        for (auto& base : row.base) {
            base += wraps_after_.value_or(0);
        }
    }
    if (std::exchange(row.break_found, false) && sample.pause_state == watchdog::PauseState::paused) {
        sample.pause_state = watchdog::PauseState::not_continuous;
    }
    for (std::size_t f = 0; f < watchdog::kFields; ++f) {
        if (!has(watchdog::kLevels, static_cast<watchdog::Field>(f))) {
            sample.raw[f] = (sample.raw[f] - row.base[f]) & row.mask;
            sample.raw[f] += wrong_ ? error_of_counter(*wrong_) : 0;
        }
    }
    if (sample.epoch != 0) {  // 0 means link down
        sample.epoch += reported_;
    }
    if (frozen_) {
        row.shown = row.shown.value_or(sample);
        const auto read_at = sample.read_at;
        sample = *row.shown;
        sample.read_at = read_at;
    }
    if (wrong_stamps_) {
        auto& [by, random] = *wrong_stamps_;
        const auto width = 2 * static_cast<std::uint64_t>(by.count()) + 1;
        sample.read_at += Duration{static_cast<std::int64_t>(random() % width)} - by;
    }
}

void CounterFaults::start_from(watchdog::Sample sample)
{
    pass(sample);
    rows_[sample.slot.value].break_found = sample.pause_state != watchdog::PauseState::paused;
}

}  // namespace petrel::device
