#include "watchdog/intake.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/assert.hpp"

namespace petrel::watchdog {

namespace {

constexpr std::uint32_t saturated(std::uint64_t v)
{
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(v, std::numeric_limits<std::uint32_t>::max()));
}

template <class Do>
void for_each_field(Fields set, Do what)
{
    for (; set != 0; set &= set - 1) {
        what(static_cast<Field>(std::countr_zero(set)));
    }
}

// A pause counter that grew by far more than the time that may have elapsed did not count microseconds of this interval
// (it jumped after a reset, or has another unit). A small excess only means that a stamp came late.
constexpr bool plausible(std::uint64_t pause_us, std::uint64_t most_us) { return pause_us <= 4 * most_us + 10'000; }

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t share(std::int64_t us, std::int64_t ppm) { return us * ppm / kMillion; }

}  // namespace

// 65535 x 512 bit times.
std::uint32_t hold_us(BitRate speed)
{
    constexpr std::uint64_t kBitsTimesMillion = 65'535ULL * 512 * 1'000'000;
    return speed.bps == 0 ? 0 : saturated(kBitsTimesMillion / speed.bps);
}

StampDrift StampDrift::remembered(std::int32_t ppm)
{
    PETREL_ASSERT(std::abs(ppm) <= kMostPpm, "{} ppm", ppm);
    StampDrift drift;
    if (ppm != 0) {
        drift.learn(kMillion, static_cast<std::uint32_t>(kMillion - ppm));
    }
    return drift;
}

// Beyond one minute both sums are halved, so that old intervals lose weight. ppm() needs one second, so that the errors
// of single stamps stay small.
void StampDrift::learn(std::uint32_t stamped_us, std::uint32_t paused_us)
{
    constexpr std::uint64_t kMost = 60 * kMillion;
    stamped_us_ += stamped_us;
    paused_us_ += paused_us;
    if (stamped_us_ > kMost) {
        stamped_us_ /= 2;
        paused_us_ /= 2;
    }
}

std::optional<std::int32_t> StampDrift::ppm() const
{
    if (stamped_us_ < kMillion) {
        return std::nullopt;
    }
    const auto behind = static_cast<std::int64_t>(stamped_us_) - static_cast<std::int64_t>(paused_us_);
    const auto ppm = behind * kMillion / static_cast<std::int64_t>(stamped_us_);
    return std::abs(ppm) <= kMostPpm ? std::optional{static_cast<std::int32_t>(ppm)} : std::nullopt;
}

Intake::Intake(const Inventory& inventory, const Capabilities& capabilities, const StampDrift& learned)
    : capabilities_(capabilities),
      rows_(static_cast<std::uint32_t>(inventory.rows.size())),
      baselines_(rows_),
      raw_column_{},
      hold_us_(rows_),
      blind_(rows_),
      uncertainty_us_(static_cast<std::uint32_t>(whole_us(capabilities.stamp_uncertainty))),
      drift_(learned)
{
    const auto columns = static_cast<std::size_t>(std::popcount(capabilities.fields));
    storage_ = AlignedColumns{(2 + columns) * AlignedColumns::bytes_for<std::uint32_t>(rows_) +
                              AlignedColumns::bytes_for<std::uint8_t>(rows_)};
    view_.dt_us = storage_.take<std::uint32_t>(rows_);
    view_.known = storage_.take<Fields>(rows_);
    view_.pause = storage_.take<std::uint8_t>(rows_);
    for_each_field(capabilities.fields, [&](Field f) {
        view_.value[static_cast<std::size_t>(f)] = storage_.take<std::uint32_t>(rows_);
        if (!has(kLevels, f)) {
            raw_column_[static_cast<std::size_t>(f)] = raw_width_++;
        }
    });
    raw_.resize(std::size_t{rows_} * raw_width_);
    touched_.reserve(rows_);
    learn_speeds(inventory);
}

void Intake::learn_speeds(const Inventory& inventory)
{
    std::transform(inventory.rows.begin(), inventory.rows.end(), hold_us_.begin(),
                   [](const RowInfo& row) { return hold_us(row.speed); });
}

void Intake::begin()
{
    for (const auto row : touched_) {
        view_.dt_us[row] = 0;
    }
    touched_.clear();
    view_.touched = {};
    view_.all = false;
}

void Intake::put(const Sample& sample)
{
    if (filter_ == nullptr) {
        return take(sample);
    }
    auto changed = sample;
    filter_->pass(changed);
    take(changed);
}

void Intake::take(const Sample& sample)
{
    const auto row = sample.slot.value;
    PETREL_ASSERT(row < rows_, "slot {} of {}", row, rows_);
    const Fields fields = sample.known & capabilities_.fields;
    if (fields == 0) {
        return;  // the row could not be read: the next sample covers the longer interval
    }
    Baseline& base = baselines_[row];
    const bool first = base.known == 0;
    const bool same_epoch = !first && sample.epoch == base.epoch;
    // Truncate each stamp to microseconds, not the difference: then differences add up without loss.
    const auto dt_us = whole_us(sample.read_at) - whole_us(base.read_at);
    if (same_epoch && dt_us == 0) {
        return;  // same stamp: the device has not updated its counters
    }
    const Baseline before = base;
    base = {};
    base.read_at = sample.read_at;
    base.known = fields;
    base.epoch = sample.epoch;
    if (has(fields, Field::pause_state)) {
        base.pause_seen = true;
        base.paused = sample.pause_state != PauseState::not_paused;
    } else if (has(fields, Field::paused_now)) {
        base.pause_seen = true;
        base.paused = sample.paused_now;
    } else if (has(fields, Field::pause_timeout)) {
        base.pause_seen = true;
        base.paused = sample[Field::pause_timeout] != 0;
    }

    base.backlog = has(fields, Field::occupancy) && sample[Field::occupancy] > 0;

    // A first read and a read across a link flap prove nothing about the interval. They still set dt_us, which resets
    // the row's clock.
    const bool comparable = same_epoch && dt_us > 0 && sample.epoch != 0;
    const bool untouched = view_.dt_us[row] == 0;
    view_.dt_us[row] = first ? 1 : saturated(static_cast<std::uint64_t>(std::max<std::int64_t>(dt_us, 1)));
    view_.known[row] = 0;
    const bool backwards = put_counters(row, sample, comparable ? fields & before.known : 0);
    const bool other_epoch = !first && !same_epoch && sample.epoch != 0 && before.epoch != 0;
    const bool earlier_stamp = same_epoch && dt_us < 0;
    blind_.looked(Slot{row},
                  backwards || other_epoch || earlier_stamp || (comparable && stands_still(row, sample, before)));
    if (comparable) {
        view_.known[row] |= judge_counters(row, before);
        match_pause_time(row, before);
        view_.pause[row] = judge_pause(row, sample, before);
        view_.known[row] |= shows_pause(row, view_.pause[row]) ? kPauseSeen : 0;
    } else {
        view_.pause[row] = sample.epoch == 0 ? kLinkDown : 0;
    }
    if (untouched) {
        touched_.push_back(Slot{row});
        view_.touched = touched_;
        view_.all = touched_.size() == rows_;
    }
}

std::optional<std::uint64_t> Intake::counter(std::uint32_t row, Field f) const
{
    return has(baselines_[row].known, f)
               ? std::optional{raw_[std::size_t{row} * raw_width_ + raw_column_[static_cast<std::size_t>(f)]]}
               : std::nullopt;
}

PfcCounts Intake::pfc_counts(Slot slot) const
{
    const auto row = slot.value;
    PETREL_ASSERT(row < rows_, "slot {} of {}", row, rows_);
    const auto& last = baselines_[row];
    PfcCounts counts;
    counts.read_at = last.read_at;
    if (last.pause_seen) {
        counts.paused = last.paused;
    }
    counts.rx_frames = counter(row, Field::rx_pfc);
    const auto xoff = counter(row, Field::rx_xoff);
    const auto xon = counter(row, Field::rx_xon);
    if (!counts.rx_frames && xoff && xon) {
        counts.rx_frames = *xoff + *xon;
    }
    counts.tx_frames = counter(row, Field::pause_tx);
    counts.pauses_ended = counter(row, Field::on2off);
    counts.pause_us = counter(row, Field::pause_us);
    counts.tx_packets = counter(row, Field::tx_packets);
    return counts;
}

bool Intake::put_counters(std::uint32_t row, const Sample& sample, Fields comparable)
{
    const auto column = [&](Field f) -> std::uint32_t& { return view_.column(f)[row]; };
    const Fields fields = baselines_[row].known;
    Fields known = comparable;
    bool backwards = false;
    for_each_field(fields & ~kLevels, [&](Field f) {
        const auto at = std::size_t{row} * raw_width_ + raw_column_[static_cast<std::size_t>(f)];
        const auto old = std::exchange(raw_[at], sample[f]);
        backwards = backwards || (has(comparable, f) && sample[f] < old);
        column(f) = saturated(sample[f] - old);
    });
    for_each_field(fields & kLevels, [&](Field f) { column(f) = saturated(sample[f]); });
    if (has(fields, Field::pause_state)) {
        column(Field::pause_state) = static_cast<std::uint32_t>(sample.pause_state);
    }
    if (has(fields, Field::paused_now)) {
        column(Field::paused_now) = sample.paused_now ? 1 : 0;
    }
    if (backwards) {
        known &= kLevels;  // a counter wrapped or was cleared: trust no counter of the row for this interval
    }
    for (const auto f : {Field::pause_us, Field::pause_tx_us}) {
        if (has(known, f) && !plausible(column(f), std::uint64_t{view_.dt_us[row]} + uncertainty_us_)) {
            known &= ~bit(f);
        }
    }
    view_.known[row] = known;
    return backwards;
}

// A queue that is paused at both reads has new pause time, unless its counter was cleared in between. A counter may
// have a unit of milliseconds, so short intervals do not count.
bool Intake::stands_still(std::uint32_t row, const Sample& sample, const Baseline& before) const
{
    constexpr std::uint32_t kLongEnoughUs = 10'000;
    const Fields known = view_.known[row] & capabilities_.survive & sample.survives;
    const auto& now = baselines_[row];
    return view_.dt_us[row] >= kLongEnoughUs && before.pause_seen && before.paused && now.pause_seen && now.paused &&
           has(known, Field::pause_us) && value(row, Field::pause_us) == 0;
}

Fields Intake::judge_counters(std::uint32_t row, const Baseline& before)
{
    const Fields known = view_.known[row];
    const auto moved = [&](Field f) { return has(known, f) && value(row, f) > 0; };
    Fields bits = moved(Field::on2off) || moved(Field::rx_xon) ? kBroken : 0;
    // With uncertain stamps, pause time cannot show a short break. Packets sent can.
    bits |= uncertainty_us_ != 0 && sent_several(row) ? kBroken : 0;
    // A pause frame proves that pause was sent, but not for how long. If the speed is known, require enough frames to
    // hold the peer for 90 % of the interval.
    const bool holds = hold_us_[row] == 0 || std::uint64_t{hold_us_[row]} * value_or_zero(row, Field::pause_tx) >=
                                                 view_.dt_us[row] - view_.dt_us[row] / 10;
    baselines_[row].sent_pause = moved(Field::pause_tx) && holds;
    if (before.sent_pause && baselines_[row].sent_pause) {
        bits |= kKeepsPausing;
    }
    return bits;
}

// Pause time covers an interval exactly only if both stamps are exact. With uncertain stamps a pause without a break
// seems to lack a little time in one interval and to have too much in the next. Over the whole run the difference stays
// within the uncertainty, and breaks add up. So compare the whole run, not the interval: while the pause time keeps up
// with the stamps, the interval counts as paused throughout. The first interval of a run counts for the pause time that
// it has, since the pause may have begun in it.
//
// If other signals prove that the queue was held, pause time and stamps may also drift apart (StampDrift::kMostPpm).
void Intake::match_pause_time(std::uint32_t row, const Baseline& before)
{
    auto& base = baselines_[row];
    const auto counted = value_or_zero(row, Field::pause_us);
    auto& dt = view_.dt_us[row];
    const bool ended = base.pause_seen && !base.paused;
    if (counted == 0 || ended || (view_.known[row] & kBroken) != 0 || sent_several(row)) {
        return;
    }
    const bool held = cannot_have_sent(row, before);
    const auto run = std::int64_t{before.run_us} + dt;
    const auto lag = before.run_lag_us + dt - share(dt, drift_.ppm().value_or(0)) - counted;
    const auto most = uncertainty_us_ + (held ? share(run, StampDrift::kMostPpm) : 0);
    if (lag > most || lag < -most) {
        return;
    }
    base.in_run = true;
    if (!before.in_run) {
        dt = std::min(dt, counted);
    } else {
        base.run_us = saturated(static_cast<std::uint64_t>(run));
        base.run_lag_us = lag;
        if (held) {
            drift_.learn(dt, counted);
        }
    }
    view_.column(Field::pause_us)[row] = dt;
}

// Whether signals other than pause time prove that the queue was held for the whole interval.
bool Intake::cannot_have_sent(std::uint32_t row, const Baseline& before) const
{
    const Fields known = view_.known[row];
    const auto zero = [&](Field f) { return has(known, f) && value(row, f) == 0; };
    const auto& now = baselines_[row];
    const bool paused_at_both_ends = before.pause_seen && before.paused && now.pause_seen && now.paused;
    return (paused_at_both_ends && zero(Field::on2off)) ||
           (before.backlog && now.backlog && (zero(Field::tx_packets) || zero(Field::tx_bytes)));
}

// Whether the queue sent more than the one packet that may have been in transmission when the pause began.
bool Intake::sent_several(std::uint32_t row) const
{
    const auto above = [&](Field f, std::uint32_t most) { return has(view_.known[row], f) && value(row, f) > most; };
    return above(Field::tx_packets, 1) || above(Field::tx_bytes, kLongestFrame);
}

// A pause counter that grows proves pause, also while the queue is mitigated: a mitigation can stop a counter but
// cannot make it grow. A mitigation may freeze a state at `paused`, so a state counts only if it survives the
// mitigation.
bool Intake::shows_pause(std::uint32_t row, std::uint8_t bits) const
{
    const Fields known = view_.known[row];
    const auto moved = [&](Field f) { return has(known, f) && value(row, f) != 0; };
    const bool state = (known & capabilities_.survive & (bit(Field::pause_state) | bit(Field::paused_now))) != 0;
    if ((state && (bits & kPausedNow) != 0) || moved(Field::rx_xoff) || moved(Field::pause_us)) {
        return true;
    }
    // If pause time is known, it decides: a pause that ended right after the previous read adds no pause time.
    return !has(known, Field::pause_us) && ((state && (bits & kPausedBefore) != 0) || moved(Field::on2off));
}

std::uint8_t Intake::judge_pause(std::uint32_t row, const Sample& sample, const Baseline& before) const
{
    const auto& now = baselines_[row];
    const Fields known = view_.known[row];
    const auto zero = [&](Field f) { return has(known, f) && value(row, f) == 0; };
    std::uint8_t bits = 0;
    if (before.pause_seen && before.paused) {
        bits |= kPausedBefore;
    }
    if (now.pause_seen) {
        bits |= now.paused ? kPausedNow : kNotPausedNow;
    }

    // Enough XOFF frames to hold the queue all the time, and no XON.
    const bool held = hold_us_[row] != 0 && has(known, Field::rx_xoff) && zero(Field::rx_xon) &&
                      std::uint64_t{value(row, Field::rx_xoff)} * hold_us_[row] >= view_.dt_us[row];
    const bool both_ends = (bits & kPausedBefore) != 0 && (bits & kPausedNow) != 0;
    bool throughout = false;
    if (has(known, Field::pause_state)) {
        throughout = sample.pause_state == PauseState::paused;
    } else if (has(known, Field::on2off)) {
        throughout = both_ends && zero(Field::on2off);
    } else if (now.pause_seen) {
        throughout = both_ends && held;
    } else {
        throughout = held && (zero(Field::tx_packets) || zero(Field::tx_bytes));
    }
    if (throughout && !contradicts_pause(row)) {
        bits |= kThroughout;
    } else if ((bits & (kPausedBefore | kNotPausedNow)) == 0 && zero(Field::on2off) &&
               began_and_goes_on(row, bits, before)) {
        bits |= kTrailing;
    }
    if (quiet(row, known, before.pause_seen, bits)) {
        bits |= kQuiet;
    }
    if (!shows_pause(row, bits) &&
        quiet(row, known & capabilities_.survive & sample.survives, before.pause_seen, bits)) {
        bits |= kQuietStill;
    }
    return bits;
}

// If no pause ended in an interval that is paused in part, a pause began in it and still goes on.
bool Intake::began_and_goes_on(std::uint32_t row, std::uint8_t bits, const Baseline& before) const
{
    const auto paused = value_or_zero(row, Field::pause_us);
    return has(view_.known[row], Field::pause_us) && (before.pause_seen || paused < view_.dt_us[row]) &&
           ((bits & kPausedNow) != 0 || paused > 0);
}

// Whether another signal contradicts a pause without a break: a transition, pause time for less than half of the
// interval, or more packets sent than the one that may have been in transmission when the pause began.
bool Intake::contradicts_pause(std::uint32_t row) const
{
    const Fields known = view_.known[row];
    const auto dt = view_.dt_us[row];
    const auto paused = value_or_zero(row, Field::pause_us);
    const bool hardly_paused = has(known, Field::pause_us) && paused < dt / 2 && dt - paused > uncertainty_us_;
    return (known & kBroken) != 0 || hardly_paused || sent_several(row);
}

// Whether the given signals prove quiet for the whole interval: one of them proves it and none contradicts it.
bool Intake::quiet(std::uint32_t row, Fields by, bool was_known, std::uint8_t bits) const
{
    const auto moved = [&](Field f) { return has(by, f) && value(row, f) != 0; };
    const auto still = [&](Field f) { return has(by, f) && value(row, f) == 0; };
    const bool state = (by & (bit(Field::pause_state) | bit(Field::paused_now))) != 0;
    if ((state && (bits & kPausedNow) != 0) || moved(Field::rx_xoff) || moved(Field::pause_us)) {
        return false;
    }
    if (still(Field::pause_us)) {
        return true;
    }
    // A pause outlasts the frame that set it: an interval that began paused is not quiet, even if no frame arrived in
    // it.
    if (state && (bits & kPausedBefore) != 0) {
        return false;
    }
    // rx_pfc counts XOFF and XON together: if it stands still, the queue is quiet. If it moves, the frames may all be
    // XON, and the state decides.
    if (still(Field::rx_xoff) || still(Field::rx_pfc)) {
        return true;
    }
    return state && was_known && !moved(Field::on2off);
}

}  // namespace petrel::watchdog
