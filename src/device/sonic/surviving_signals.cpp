#include "device/sonic/surviving_signals.hpp"

#include <algorithm>
#include <utility>

namespace petrel::device::sonic {

namespace {

using watchdog::bit;
using watchdog::Field;
using watchdog::Fields;
using watchdog::has;

// Hardware may follow orchagent's treatment late. Signals of pause that still show it after this time survive.
constexpr Duration kHardwareFollows = std::chrono::seconds{1};

// After the longest detection time of SONiC, 5 s, the watchdog has decided whether the mitigation has an effect, for
// which it needs the packets and the backlog of each poll.
constexpr Duration kEffectDecided = std::chrono::seconds{6};

constexpr Fields kPauseSignals =
    bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::on2off);

}  // namespace

bool SurvivingSignals::mark(watchdog::Sample& sample, Instant seen_at, bool of_one_poll)
{
    if (!since_) {
        polled_ = kept_ = settled_ = renewed_ = false;
        return true;
    }
    // A counter that is less than before was reset.
    const auto moved = [&](Field field, std::uint64_t& last) {
        const auto before = std::exchange(last, sample[field]);
        return has(sample.known, field) && last > before ? last - before : 0;
    };
    const auto counted = moved(Field::pause_us, pause_us_);
    const bool renewed = moved(Field::rx_pfc, rx_pfc_) != 0 || !has(sample.known, Field::rx_pfc);
    const bool stopped = std::exchange(renewed_, renewed) && !renewed;
    const bool sends = moved(Field::tx_packets, tx_packets_) != 0;
    const auto interval = whole_us(sample.read_at) - whole_us(std::exchange(polled_at_, sample.read_at));
    if (!polled_) {
        polled_ = seen_at > *since_;
        return false;
    }
    if (stopped && !of_one_poll) {
        return false;
    }
    const bool shows_paused = has(sample.known, Field::paused_now) && sample.paused_now;
    const bool counts = 2 * counted > static_cast<std::uint64_t>(std::max<std::int64_t>(interval, 0));
    const bool follows = seen_at - *since_ >= kHardwareFollows;
    kept_ = kept_ || (follows && ((shows_paused && renewed) || counts));
    settled_ = kept_ && renewed && !sends && seen_at - *since_ >= kEffectDecided;
    if (!kept_ && has(sample.known, Field::rx_pfc)) {
        sample.survives = ~kPauseSignals;
    }
    if (!renewed && shows_paused) {
        sample.known &= ~(bit(Field::pause_state) | bit(Field::paused_now));
        sample.survives &= ~bit(Field::rx_pfc);
    }
    return true;
}

}  // namespace petrel::device::sonic
