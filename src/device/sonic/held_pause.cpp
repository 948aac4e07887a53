#include "device/sonic/held_pause.hpp"

#include <algorithm>
#include <utility>

namespace petrel::device::sonic {

namespace {

using watchdog::Field;
using watchdog::has;
using watchdog::PauseState;

constexpr std::uint64_t kLeaks = 1;  // packets in an interval

bool is_usual(Duration interval, Duration usual) { return interval < usual + usual / 2; }

}  // namespace

bool HeldPause::fits(watchdog::Fields fields)
{
    return has(fields, Field::paused_now) && has(fields, Field::tx_packets) && !has(fields, Field::pause_us) &&
           !has(fields, Field::on2off);
}

std::optional<PauseState> HeldPause::see(const watchdog::Sample& sample, Duration configured)
{
    const bool comparable = sample.epoch != 0 && sample.epoch == before_.epoch;
    if (comparable && sample.read_at == before_.read_at) {
        return state_;
    }
    const bool paused = has(sample.known, Field::paused_now) && sample.paused_now;
    const std::optional<std::uint64_t> tx =
        has(sample.known, Field::tx_packets) ? std::optional{sample[Field::tx_packets]} : std::nullopt;
    const auto before = std::exchange(before_, {sample.read_at, sample.epoch, tx, paused});
    bool continuous = false;
    if (comparable) {
        const auto interval = sample.read_at - before.read_at;
        const bool stuck = tx && before.tx_packets && *tx >= *before.tx_packets && *tx - *before.tx_packets <= kLeaks;
        continuous = before.paused && stuck && is_usual(interval, std::max(configured, usual_));
        usual_ = std::max(interval, usual_ - usual_ / 8);
    }
    state_ = !paused ? PauseState::not_paused : continuous ? PauseState::paused : PauseState::not_continuous;
    if (!has(sample.known, Field::paused_now)) {
        state_.reset();
    }
    return state_;
}

}  // namespace petrel::device::sonic
