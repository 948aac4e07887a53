#include "reports/pause_signal.hpp"

#include <algorithm>
#include <optional>

#include "watchdog/intake.hpp"

namespace petrel::reports {
namespace {

std::optional<double> share_paused(const watchdog::Observations& seen, Slot row)
{
    using watchdog::Field;
    const auto known = [&](Field f) { return watchdog::has(seen.known[row], f) && !seen.column(f).empty(); };
    const auto bits = seen.pause[row];
    if (known(Field::pause_us)) {
        return std::min(1.0, static_cast<double>(seen.column(Field::pause_us)[row]) / seen.dt_us[row]);
    }
    if ((bits & watchdog::kThroughout) != 0) {
        return 1.0;
    }
    if ((bits & watchdog::kQuiet) != 0) {
        return 0.0;
    }
    if ((bits & (watchdog::kPausedBefore | watchdog::kPausedNow)) != 0) {
        return 0.5;
    }
    for (const auto frames : {Field::rx_xoff, Field::rx_pfc}) {
        if (known(frames)) {
            return seen.column(frames)[row] == 0 ? 0.0 : 0.5;
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::vector<PauseInterval>> pause_signal(const device::DeviceTrace& trace)
{
    std::vector<std::vector<PauseInterval>> signal(trace.inventory.rows.size());
    watchdog::Intake intake(trace.inventory, trace.capabilities);
    for (std::size_t i = 0; i < trace.samples.size();) {
        const auto time_us = trace.time_us[i];
        intake.begin();
        for (; i < trace.samples.size() && trace.time_us[i] == time_us; ++i) {
            intake.put(trace.samples[i]);
        }
        const auto& seen = intake.view();
        for (const auto row : seen.touched) {
            if (const auto share = share_paused(seen, row)) {
                const auto to = instant_from_us(time_us);
                signal[row.value].push_back({to - std::chrono::microseconds{seen.dt_us[row]}, to, *share});
            }
        }
    }
    return signal;
}

double mean_share(const std::vector<PauseInterval>& signal)
{
    double paused = 0;
    double known = 0;
    for (const auto& interval : signal) {
        const auto length = static_cast<double>((interval.to - interval.from).count());
        paused += length * interval.share;
        known += length;
    }
    return known > 0 ? paused / known : 0;
}

}  // namespace petrel::reports
