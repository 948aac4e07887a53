#include "device/replay/pace.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "watchdog/intake.hpp"

namespace petrel::device {

using watchdog::Field;

namespace {

// The time between two samples of a row, and the pause that was counted in it. In microseconds.
struct Step {
    std::int64_t us{};
    std::optional<std::int64_t> paused_us;
};

struct History {
    std::vector<Step> steps;  // with a new stamp, in one epoch
    // Intervals in which pause was counted: with a new stamp, and with the stamp of the sample before.
    std::size_t paused{};
    std::size_t paused_in_one_tick{};
};

std::optional<std::int64_t> counted_pause(const watchdog::Sample& from, const watchdog::Sample& to)
{
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
    for (const auto field : {Field::pause_us, Field::pause_tx_us}) {
        if (has(from.known & to.known, field) && to[field] >= from[field]) {
            return static_cast<std::int64_t>(std::min(to[field] - from[field], kMost));
        }
    }
    return std::nullopt;
}

std::vector<History> histories_of(const DeviceTrace& trace)
{
    std::vector<History> histories(trace.inventory.rows.size());
    std::vector<const watchdog::Sample*> last(trace.inventory.rows.size());
    for (const auto& sample : trace.samples) {
        if (sample.known == 0) {
            continue;  // could not be read
        }
        const auto* before = std::exchange(last[sample.slot.value], &sample);
        if (before == nullptr || before->epoch != sample.epoch) {
            continue;
        }
        auto& history = histories[sample.slot.value];
        const auto us = whole_us(sample.read_at) - whole_us(before->read_at);
        const auto paused_us = counted_pause(*before, sample);
        const bool paused = paused_us.value_or(0) > 0;
        if (us > 0) {
            history.steps.push_back({us, paused_us});
            history.paused += paused ? 1U : 0U;
        } else if (us == 0) {
            history.paused_in_one_tick += paused ? 1U : 0U;
            last[sample.slot.value] = before;  // the watchdog does not use it
        }
    }
    return histories;
}

// The value that `part` of `whole` do not exceed; zero if there is none.
std::int64_t quantile(std::vector<std::int64_t> values, std::size_t part, std::size_t whole)
{
    if (values.empty()) {
        return 0;
    }
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() * part + whole - 1) / whole - 1);
    std::ranges::nth_element(values, at);
    return *at;
}

std::int64_t median(const std::vector<Step>& steps)
{
    std::vector<std::int64_t> values;
    values.reserve(steps.size());
    std::ranges::transform(steps, std::back_inserter(values), &Step::us);
    const auto count = values.size();
    return quantile(std::move(values), count / 2 + 1, std::max<std::size_t>(count, 1));
}

// The steps of a row as multiples of one step. A multiple above one: looks between the two samples were missed.
class Grid {
public:
    explicit Grid(const std::vector<Step>& steps) : step_us_(median(steps))
    {
        double sum_us = 0;
        std::int64_t looks = 0;
        std::size_t close = 0;
        std::size_t missed = 0;
        const auto median_us = step_us_;
        for (const auto& step : steps) {
            const auto count = looks_in(step.us);
            tick_us_ = std::gcd(tick_us_, step.us);
            missed += count > 1 ? 1U : 0U;
            if (std::abs(step.us - count * median_us) * 4 <= median_us) {
                ++close;
                sum_us += static_cast<double>(step.us);
                looks += count;
            }
        }
        followed_ = close * 10 >= steps.size() * 9;
        step_us_ = followed_ ? static_cast<std::int64_t>(sum_us / static_cast<double>(looks)) : median_us;
        // A tick as long as the step shows nothing: a grid without jitter has it too. But if many steps are multiples
        // of it, the clock may be coarser than the looks are apart.
        coarse_ = tick_us_ < step_us_ || missed * 4 >= steps.size();
        for (const auto& step : steps) {
            deviations_.push_back(std::abs(step.us - looks_in(step.us) * step_us_));
        }
    }

    std::int64_t step_us() const { return step_us_; }

    // By how much a stamp may be wrong, as the stamps show it. Beyond twice what 99 of a hundred do not exceed, a stamp
    // is an exception: stray() counts these.
    std::int64_t jitter_us() const
    {
        const auto stray = std::min(quantile(deviations_, 1, 1), 2 * quantile(deviations_, 99, 100));
        return std::max({followed_ ? stray : step_us_, coarse_ ? tick_us_ : 0});
    }

    bool followed() const { return followed_; }

    double stray(std::int64_t jitter_us) const
    {
        const auto beyond = std::ranges::count_if(deviations_, [&](std::int64_t us) { return us > jitter_us; });
        return static_cast<double>(beyond) / static_cast<double>(deviations_.size());
    }

private:
    std::int64_t looks_in(std::int64_t us) const { return std::max<std::int64_t>((us + step_us_ / 2) / step_us_, 1); }

    std::int64_t step_us_;
    std::int64_t tick_us_{};
    bool followed_{};
    bool coarse_{};
    std::vector<std::int64_t> deviations_;
};

constexpr std::int64_t kExactTo = 100;                   // a hundredth of the usual step
constexpr std::int64_t kMostUs = 9'000'000'000'000'000;  // the last stamp of a trace

// What pause times show about stamps.
struct Evidence {
    // The most by which the pause of a run of steps exceeds the time in which it was counted.
    std::int64_t excess_us{};
    std::int64_t longest_us{};  // the most by which the pause of one step exceeds it
    std::size_t exact{};        // steps that were paused from stamp to stamp

    void add(const std::vector<Step>& steps, std::int64_t usual_us)
    {
        const auto drift = drift_of(steps, usual_us);
        std::int64_t run = 0;
        for (const auto& step : steps) {
            if (!counts_microseconds(step, usual_us)) {
                run = 0;
                continue;
            }
            const auto over = *step.paused_us - step.us;
            exact += *step.paused_us > 0 && std::abs(over) <= usual_us / kExactTo ? 1U : 0U;
            longest_us = std::max(longest_us, over);
            const auto drifted = static_cast<std::int64_t>(static_cast<double>(step.us) * drift);
            run = std::clamp<std::int64_t>(run + over - drifted, 0, std::min(2 * usual_us, kMostUs));
            excess_us = std::max(excess_us, run);
        }
    }

private:
    // A counter that grew by much more has another unit, or it jumped.
    static bool counts_microseconds(const Step& step, std::int64_t usual_us)
    {
        return step.paused_us && *step.paused_us <= 4 * (step.us + usual_us);
    }

    // By how much the pause counter runs ahead of the stamps while the row is paused, as far as the watchdog accepts
    // that. It adds up over a long pause, and is no error of single stamps.
    static double drift_of(const std::vector<Step>& steps, std::int64_t usual_us)
    {
        double us = 0;
        double paused_us = 0;
        for (const auto& step : steps) {
            if (counts_microseconds(step, usual_us) && *step.paused_us * 2 >= step.us) {
                us += static_cast<double>(step.us);
                paused_us += static_cast<double>(*step.paused_us);
            }
        }
        return us == 0 ? 0 : std::clamp(paused_us / us - 1, 0.0, watchdog::StampDrift::kMostPpm / 1e6);
    }
};

// Without these, stamps only show how long a state lasts.
constexpr watchdog::Fields kComparedWithStamps =
    bit(Field::pause_us) | bit(Field::pause_tx_us) | bit(Field::rx_xoff) | bit(Field::pause_tx);

}  // namespace

Pace pace_of(const DeviceTrace& trace)
{
    constexpr std::size_t kEnough = 4;
    const bool compared = (trace.capabilities.fields & kComparedWithStamps) != 0;
    const auto histories = histories_of(trace);
    std::vector<std::optional<Grid>> grids(histories.size());
    std::vector<Step> all;
    Evidence evidence;
    std::int64_t jitter_us = 0;
    for (std::size_t row = 0; row != histories.size(); ++row) {
        const auto& [steps, paused, paused_in_one_tick] = histories[row];
        if (steps.empty()) {
            continue;
        }
        const auto& grid = grids[row].emplace(steps);
        const bool coarse = paused_in_one_tick > 1 && paused_in_one_tick * 4 > paused;
        if (grid.followed() || compared) {
            jitter_us = std::max(jitter_us, coarse ? grid.step_us() : grid.jitter_us());
        }
        evidence.add(steps, grid.step_us());
        all.insert(all.end(), steps.begin(), steps.end());
    }
    if (all.empty()) {
        return {};
    }
    const auto usual_us = Grid{all}.step_us();
    const bool irregular_looks =
        jitter_us * 10 > usual_us && evidence.exact >= kEnough && evidence.longest_us <= usual_us / kExactTo;
    jitter_us = irregular_looks ? usual_us / kExactTo : std::max(jitter_us, evidence.excess_us);
    Pace pace{std::chrono::microseconds{usual_us}, std::chrono::microseconds{jitter_us}, {}};
    for (const auto& grid : grids) {
        const bool counts = grid && !irregular_looks && (grid->followed() || compared);
        pace.rows.push_back(
            {std::chrono::microseconds{grid ? grid->step_us() : 0}, counts ? grid->stray(jitter_us) : 0});
    }
    return pace;
}

}  // namespace petrel::device
