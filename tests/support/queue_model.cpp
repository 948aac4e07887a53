#include "support/queue_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.hpp"

namespace petrel::device {

using watchdog::Field;
using watchdog::PauseState;
using watchdog::Treatment;

namespace {

constexpr std::int64_t kNoEdge = std::numeric_limits<std::int64_t>::max();

// One XOFF frame of full quanta holds 65535 x 512 bit times.
constexpr std::uint64_t kHoldBits = 65'535ULL * 512;

}  // namespace

QueueModel::QueueModel(const Shape& shape, Instant start)
    : shape_(shape), at_us_(whole_us(start)), line_(bits_per_us(shape.speed)), state_read_us_(at_us_)
{}

void QueueModel::Track::add(const Stretches& stretches, std::int64_t now_us)
{
    for (const auto& stretch : stretches) {
        const auto from = whole_us(stretch.from);
        const auto to = whole_us(stretch.to);
        const auto earliest = stretches_us.empty() ? now_us : std::max(now_us, stretches_us.back().second);
        PETREL_ASSERT(earliest <= from && from < to, "a stretch from {} to {} us, after {} us", from, to, earliest);
        stretches_us.emplace_back(from, to);
    }
}

std::int64_t QueueModel::Track::edge_us() const
{
    if (next == stretches_us.size()) {
        return kNoEdge;
    }
    return inside ? stretches_us[next].second : stretches_us[next].first;
}

void QueueModel::add_pause(const Stretches& stretches) { pause_.add(stretches, at_us_); }

void QueueModel::add_receive_stall(const Stretches& stretches) { stall_.add(stretches, at_us_); }

void QueueModel::add_link(const LinkChange& change)
{
    const auto at = whole_us(change.at);
    const auto earliest = links_.empty() ? at_us_ : std::max(at_us_, links_.back().first);
    PETREL_ASSERT(earliest <= at, "a link change at {} us, after {} us", at, earliest);
    links_.emplace_back(at, bits_per_us(change.speed));
}

std::int64_t QueueModel::next_edge_us() const
{
    const auto link = next_link_ == links_.size() ? kNoEdge : links_[next_link_].first;
    return std::min({link, pause_.edge_us(), stall_.edge_us()});
}

void QueueModel::advance(Instant to)
{
    const auto to_us = whole_us(to);
    PETREL_ASSERT(to_us >= at_us_, "the model is at {1} us and cannot go back to {0} us", to_us, at_us_);
    for (auto edge = next_edge_us(); edge <= to_us; edge = next_edge_us()) {
        count_up_to(edge);
        cross(edge);
    }
    count_up_to(to_us);
}

// Between two edges everything is constant or grows by a formula.
void QueueModel::count_up_to(std::int64_t us)
{
    const auto passed = static_cast<std::uint64_t>(us - at_us_);
    if (paused_) {
        const auto frames = static_cast<std::uint64_t>(new_frames(*paused_, pause_, us));
        add(Field::rx_xoff, frames);
        add(Field::rx_pfc, frames);
        add(Field::pause_us, passed);
    }
    if (pausing_) {
        const auto frames = static_cast<std::uint64_t>(new_frames(*pausing_, stall_, us));
        if (treatment_ != Treatment::mute_pause && !discards_received()) {
            add(Field::pause_tx, frames);
            add(Field::pause_tx_us, passed);
        }
    }
    if (passed != 0) {
        move_data(passed);
    }
    at_us_ = us;
}

// New frames up to and including this time; at the end of the pause an XON is sent instead.
std::int64_t QueueModel::new_frames(Run& run, const Track& track, std::int64_t us) const
{
    const auto hold_us = static_cast<std::int64_t>(std::max<std::uint64_t>(kHoldBits / line_, 1));
    const auto last = std::min(us, track.end_us() - 1);
    const auto frames = (last - run.from_us) / hold_us + 1;
    return frames - std::exchange(run.frames, frames);
}

void QueueModel::move_data(std::uint64_t us)
{
    const auto arriving = demand_ * us;
    if (discards()) {
        add(Field::tx_drops, arriving);
    } else {
        const bool held = paused_ && treatment_ != Treatment::ignore_pause;
        const auto sent = held ? 0 : std::min(line_ * us, occupied_bits_ + arriving);
        const auto room = shape_.buffer_bytes * 8 - occupied_bits_ + sent;
        occupied_bits_ = occupied_bits_ + std::min(arriving, room) - sent;
        add(Field::tx_bytes, sent);
        add(Field::tx_packets, sent);
    }
    if (line_ != 0 && !stall_.inside) {
        add(discards_received() ? Field::rx_drops : Field::rx_packets, receive_ * us);
    }
}

void QueueModel::cross(std::int64_t us)
{
    if (next_link_ < links_.size() && links_[next_link_].first == us) {
        change_link(us);
    } else if (pause_.edge_us() == us) {
        turn_pause(us);
    } else {
        turn_stall(us);
    }
}

void QueueModel::change_link(std::int64_t us)
{
    if (paused_) {
        add(Field::on2off, 1);
    }
    line_ = links_[next_link_++].second;
    ++epoch_;
    paused_ = line_ != 0 && pause_.inside ? std::optional{Run{us}} : std::nullopt;
    pausing_ = line_ != 0 && stall_.inside ? std::optional{Run{us}} : std::nullopt;
    if (discards()) {
        add(Field::tx_drops, std::exchange(occupied_bits_, 0));
    }
}

void QueueModel::turn_pause(std::int64_t us)
{
    if (paused_) {
        add(Field::on2off, 1);
        add(Field::rx_xon, 1);
        add(Field::rx_pfc, 1);
    }
    pause_.next += pause_.inside ? 1 : 0;
    pause_.inside = !pause_.inside;
    paused_ = line_ != 0 && pause_.inside ? std::optional{Run{us}} : std::nullopt;
}

void QueueModel::turn_stall(std::int64_t us)
{
    stall_.next += stall_.inside ? 1 : 0;
    stall_.inside = !stall_.inside;
    pausing_ = line_ != 0 && stall_.inside ? std::optional{Run{us}} : std::nullopt;
}

void QueueModel::treat(Treatment treatment)
{
    if (treatment_ == Treatment::none) {
        held_ = levels();
    }
    treatment_ = treatment;
    if (discards()) {
        add(Field::tx_drops, std::exchange(occupied_bits_, 0));
    }
}

bool QueueModel::discards() const
{
    switch (treatment_) {
    case Treatment::drop_egress:
    case Treatment::drop:
    case Treatment::lossless_off:
    case Treatment::squeeze:
    case Treatment::port_down: return true;
    default: return line_ == 0;
    }
}

bool QueueModel::discards_received() const
{
    return treatment_ == Treatment::drop || treatment_ == Treatment::lossless_off || treatment_ == Treatment::port_down;
}

bool QueueModel::frozen(Field field) const { return treatment_ != Treatment::none && has(shape_.freezes, field); }

void QueueModel::add(Field field, std::uint64_t amount)
{
    counted_[static_cast<std::size_t>(field)] += frozen(field) ? 0 : amount;
}

QueueModel::Levels QueueModel::levels() const
{
    return {paused_.has_value(), paused_ ? at_us_ - paused_->from_us : 0, occupied_bits_};
}

bool QueueModel::paused() const { return frozen(Field::paused_now) ? held_.paused : paused_.has_value(); }

Duration QueueModel::paused_for() const
{
    return std::chrono::microseconds{(frozen(Field::pause_timeout) ? held_ : levels()).paused_us};
}

PauseState QueueModel::read_pause_state()
{
    const auto since_us = std::exchange(state_read_us_, at_us_);
    if (frozen(Field::pause_state)) {
        return held_.paused ? PauseState::paused : PauseState::not_paused;
    }
    if (!paused_) {
        return PauseState::not_paused;
    }
    return paused_->from_us <= since_us ? PauseState::paused : PauseState::not_continuous;
}

std::uint64_t QueueModel::read(Field field) const
{
    const auto counted = counted_[static_cast<std::size_t>(field)];
    switch (field) {
    case Field::tx_bytes: return counted / 8;
    case Field::tx_packets:
    case Field::tx_drops:
    case Field::rx_packets:
    case Field::rx_drops: return counted / 8 / shape_.packet_bytes;
    case Field::occupancy: return (frozen(field) ? held_.occupied_bits : occupied_bits_) / 8;
    default: return counted;
    }
}

}  // namespace petrel::device
