#include "device/status_check.hpp"

#include <utility>

#include "base/assert.hpp"

namespace petrel::device {

namespace {

using watchdog::Field;
using watchdog::has;

constexpr std::uint8_t kEnough = 3;

// Part of an interval (1/10) that may lack pause time: stamps are uncertain, and pause counters drift.
constexpr std::int64_t kMissingPart = 10;

}  // namespace

StatusCheck::Verdict StatusCheck::check(watchdog::Sample& sample)
{
    if (!has(sample.known, Field::paused_now)) {
        return Verdict::as_before;
    }
    if (sample.paused_now) {
        ever_paused_ = true;
        return std::exchange(ignored_, false) ? Verdict::counts : Verdict::as_before;
    }
    auto verdict = Verdict::as_before;
    if (!ever_paused_ && !ignored_ && has(sample.known, Field::pause_us)) {
        PETREL_ASSERT(sample.slot.value < rows_.size(), "slot {} of {}", sample.slot.value, rows_.size());
        auto& row = rows_[sample.slot.value];
        const auto interval = whole_us(sample.read_at) - whole_us(row.read_at);
        if (row.epoch == sample.epoch && interval == 0) {
            return verdict;  // the same read again
        }
        const auto counted = static_cast<std::int64_t>(sample[Field::pause_us] - row.pause_us);
        const bool paused = row.epoch == sample.epoch && sample.epoch != 0 && interval > 0 && counted >= 0 &&
                            counted >= interval - interval / kMissingPart;
        const auto in_a_row = static_cast<std::uint8_t>(paused ? row.paused_intervals + 1 : 0);
        row = {sample.read_at, sample.epoch, sample[Field::pause_us], in_a_row};
        if (in_a_row == kEnough) {
            ignored_ = true;
            verdict = Verdict::constant;
        }
    }
    if (ignored_) {
        sample.known &= ~bit(Field::paused_now);
    }
    return verdict;
}

}  // namespace petrel::device
