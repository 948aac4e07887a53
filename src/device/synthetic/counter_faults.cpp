#include "device/synthetic/counter_faults.hpp"

#include <algorithm>
#include <utility>

namespace petrel::device {

void CounterFaults::freeze()
{
    frozen_ = true;
    for (auto& row : rows_) {
        row.shown.reset();
    }
}

void CounterFaults::restart(bool reported)
{
    ++restarts_;
    reported_ += reported ? 1U : 0U;
}

void CounterFaults::pass(watchdog::Sample& sample)
{
    rows_.resize(std::max<std::size_t>(rows_.size(), sample.slot.value + 1U));
    auto& row = rows_[sample.slot.value];
    if (row.restarts != restarts_) {
        row.restarts = restarts_;
        row.base = sample.raw;
    }
    if (std::exchange(row.break_found, false) && sample.pause_state == watchdog::PauseState::paused) {
        sample.pause_state = watchdog::PauseState::not_continuous;
    }
    for (std::size_t f = 0; f < watchdog::kFields; ++f) {
        if (!has(watchdog::kLevels, static_cast<watchdog::Field>(f))) {
            sample.raw[f] -= row.base[f];
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
}

void CounterFaults::start_from(watchdog::Sample sample)
{
    pass(sample);
    rows_[sample.slot.value].break_found = sample.pause_state != watchdog::PauseState::paused;
}

}  // namespace petrel::device
