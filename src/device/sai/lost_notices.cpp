#include "device/sai/lost_notices.hpp"

#include <utility>

namespace petrel::device::sai {

using watchdog::PauseState;

void LostNotices::expect(Slot row, Duration detect, Duration recover, watchdog::Treatment action)
{
    rows_[row.value].detect = detect;
    rows_[row.value].recover = recover;
    rows_[row.value].action = action;
}

watchdog::Notice LostNotices::notice(Slot slot, Kind kind, const Target& target, Instant at) const
{
    const auto& row = rows_[slot.value];
    return {kind, target, at, row.action, kind == Kind::detected ? row.detect : row.recover, row.recover};
}

bool LostNotices::receive(Slot row, Kind kind)
{
    auto& known = rows_[row.value];
    const bool was_reported = std::exchange(known.reported, kind == Kind::detected);
    known.paused_since.reset();  // restart the measurement
    known.quiet_since.reset();
    return kind == Kind::detected || was_reported;
}

std::optional<LostNotices::Kind> LostNotices::missed(const watchdog::Sample& sample)
{
    if (!expects(sample.slot)) {
        return std::nullopt;
    }
    auto& row = rows_[sample.slot.value];
    const bool known = has(sample.known, watchdog::Field::pause_state);
    const bool quiet = known && sample.pause_state == PauseState::not_paused;
    const bool unbroken = known && sample.pause_state == PauseState::paused;
    if (!known || quiet) {
        row.paused_since.reset();
    } else if (!unbroken || !row.paused_since) {
        row.paused_since = sample.read_at;
    }
    if (!quiet) {
        row.quiet_since.reset();
    } else if (!row.quiet_since) {
        row.quiet_since = sample.read_at;
    }
    if (!row.reported && row.paused_since && sample.read_at - *row.paused_since > 2 * row.detect) {
        row.reported = true;
        return Kind::detected;
    }
    if (row.reported && row.quiet_since && sample.read_at - *row.quiet_since > row.recover + row.detect) {
        row.reported = false;
        return Kind::recovered;
    }
    return std::nullopt;
}

}  // namespace petrel::device::sai
