#include "device/sonic/steady_pause.hpp"

#include <algorithm>
#include <utility>

#include "base/time.hpp"

namespace petrel::device::sonic {

namespace {

using watchdog::Field;
using watchdog::has;

// Parts of an interval. The policies' own measure of a pause without a break is a hundredth.
constexpr std::int64_t kLendsWhereProven = 10;
constexpr std::int64_t kLendsElsewhere = 50;
constexpr std::int64_t kBreak = 50;

// A packet that was under way when the pause began is counted in it.
constexpr std::uint64_t kUnderWay = 1;

}  // namespace

bool SteadyPause::proven(const Poll& before, const Poll& now)
{
    const auto both = before.known & now.known;
    return has(both, Field::paused_now) && before.paused && now.paused && has(both, Field::on2off) &&
           before.on2off == now.on2off;
}

bool SteadyPause::has_sent(const Poll& before, const Poll& now)
{
    return has(before.known & now.known, Field::tx_packets) && now.tx_packets > before.tx_packets + kUnderWay;
}

std::uint64_t SteadyPause::see(const watchdog::Sample& sample)
{
    const Poll now{sample.read_at,         sample.epoch,          sample.known,
                   sample.paused_now,      sample[Field::on2off], sample[Field::tx_packets],
                   sample[Field::pause_us]};
    const auto before = std::exchange(last_, now);
    if (before.epoch != now.epoch || !has(before.known & now.known, Field::pause_us) ||
        now.pause_us < before.pause_us) {
        lent_us_ = 0;
        return told_us_ = now.pause_us;
    }
    const auto interval = std::max<std::int64_t>(whole_us(now.read_at) - whole_us(before.read_at), 0);
    const auto counted = now.pause_us - before.pause_us;
    if (has_sent(before, now)) {
        lent_us_ = 0;
        return told_us_ += std::min(counted, static_cast<std::uint64_t>(interval - interval / kBreak));
    }
    lent_us_ += interval - static_cast<std::int64_t>(counted);
    const bool over = has(now.known, Field::paused_now) && !now.paused;
    const auto most = interval / (proven(before, now) ? kLendsWhereProven : kLendsElsewhere);
    if (!over && lent_us_ <= most && lent_us_ >= -most) {
        return told_us_ += static_cast<std::uint64_t>(interval);
    }
    lent_us_ = 0;
    return told_us_ += counted;
}

}  // namespace petrel::device::sonic
