#include "device/replay/too_coarse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "watchdog/intake.hpp"
#include "watchdog/unjudged_rows.hpp"

namespace petrel::device {

using watchdog::Criterion;
using watchdog::Field;

namespace {

// The rows of one policy.
struct Worst {
    Duration interval{};
    double stray{};
    bool any{};
};

Worst worst_of(const Pace& pace, const watchdog::Watchlist& list, std::uint16_t policy)
{
    Worst worst;
    for (std::size_t row = 0; row != pace.rows.size(); ++row) {
        if (list.rows[row].policy == policy) {
            worst.any = true;
            worst.interval = std::max(worst.interval, pace.rows[row].interval);
            worst.stray = std::max(worst.stray, pace.rows[row].stray);
        }
    }
    return worst;
}

// The share of an interval by which its stamps may be wrong, for policies that compare pause time with each interval
// alone. The others compare it over a whole run, or need only its length.
std::optional<int> least_part(const watchdog::Policy& policy, watchdog::Fields fields)
{
    constexpr int kReceiveStall = 10;  // paused for 90 % of the interval
    constexpr int kNearlyAlways = 16;  // progress of a queue that is empty at each look
    constexpr int kMostly = 4;         // paused for half of it
    if (policy.criterion == Criterion::receive_stall && has(fields, Field::pause_tx_us)) {
        return kReceiveStall;
    }
    if (policy.criterion == Criterion::progress && has(fields, Field::pause_us)) {
        return policy.needs_backlog && has(fields, Field::occupancy) ? kNearlyAlways : kMostly;
    }
    return std::nullopt;
}

// Frames prove pause only if they hold for the whole interval. With wrong stamps there may be too few of them in one
// interval and too many in the next.
struct Frames {
    Field pause{};
    Field end{};  // moves when the pause has ended
};

std::optional<Frames> frames_of(const watchdog::Policy& policy, watchdog::Fields fields)
{
    if (policy.criterion == Criterion::receive_stall && !has(fields, Field::pause_tx_us)) {
        return Frames{Field::pause_tx, Field::rx_packets};
    }
    return needs_speed(policy, fields) ? std::optional{Frames{Field::rx_xoff, Field::rx_xon}} : std::nullopt;
}

// Whether a row of the policy has a run of at least T0 in which frames hold for 80 % of the time in total, and that is
// no storm interval by interval.
bool frames_hide_a_storm(const DeviceTrace& trace, const watchdog::Watchlist& list, std::size_t policy,
                         const Frames& frames, const std::vector<watchdog::QueueStats>& stats)
{
    struct Run {
        const watchdog::Sample* last{};
        std::int64_t us{};
        double held_us{};
    };
    std::vector<Run> runs(list.rows.size());
    return std::ranges::any_of(trace.samples, [&](const watchdog::Sample& sample) {
        const auto row = sample.slot.value;
        const std::int64_t hold = watchdog::hold_us(trace.inventory.rows[row].speed);
        if (list.rows[row].policy != policy || stats[row].detected != 0 || hold == 0) {
            return false;
        }
        auto& run = runs[row];
        const auto* before = std::exchange(run.last, &sample);
        const auto more = [&](Field field) {
            return before != nullptr && before->epoch == sample.epoch && has(before->known & sample.known, field)
                       ? sample[field] - (*before)[field]
                       : 0;
        };
        if (more(frames.pause) == 0 || more(frames.end) != 0 || sample[frames.pause] < (*before)[frames.pause]) {
            run = {&sample, 0, 0};
            return false;
        }
        run.us += whole_us(sample.read_at) - whole_us(before->read_at);
        run.held_us += static_cast<double>(more(frames.pause)) * static_cast<double>(hold);
        return run.us >= whole_us(list.policies[policy].detect) && run.held_us >= 0.8 * static_cast<double>(run.us);
    });
}

std::string text(Duration time) { return fmt::format("{:g} ms", static_cast<double>(whole_us(time)) / 1000); }

}  // namespace

std::vector<std::string> too_coarse(const DeviceTrace& trace, const Pace& pace, const watchdog::Watchlist& list,
                                    const std::vector<watchdog::QueueStats>& stats)
{
    std::vector<std::string> reasons;
    const auto uncertain = list.capabilities.stamp_uncertainty;
    for (std::size_t index = 0; index != list.policies.size(); ++index) {
        const auto& policy = list.policies[index];
        const auto [interval, stray, any] = worst_of(pace, list, static_cast<std::uint16_t>(index));
        if (!any || policy.detect == Duration::zero() || interval == Duration::zero()) {
            continue;
        }
        const auto part = least_part(policy, list.capabilities.fields);
        const auto frames = frames_of(policy, list.capabilities.fields);
        const auto rows = static_cast<double>(policy.detect.count()) / static_cast<double>(interval.count());
        std::string why;
        if (policy.detect < interval) {
            why = fmt::format("the rows of {} are {} apart, more than detect_ms = {}", trace.device, text(interval),
                              whole_ms(policy.detect));
        } else if (part && uncertain > interval / *part) {
            why = fmt::format("the stamps of {} are uncertain by {}, more than 1/{} of the {} between two rows",
                              trace.device, text(uncertain), *part, text(interval));
        } else if (stray * rows * 4 > 1) {
            why = fmt::format("{:.2g} % of the stamps of {} stray by more than {}, and a storm of detect_ms = {} has "
                              "{:.0f} rows",
                              100 * stray, trace.device, text(uncertain), whole_ms(policy.detect), rows);
        } else if (frames && frames_hide_a_storm(trace, list, index, *frames, stats)) {
            why = fmt::format("pause frames of {} hold for detect_ms = {} in total, but not from stamp to stamp",
                              trace.device, whole_ms(policy.detect));
        }
        if (!why.empty()) {
            reasons.push_back(fmt::format("{}: {}: too coarse to judge this policy", policy.name, why));
        }
    }
    return reasons;
}

}  // namespace petrel::device
