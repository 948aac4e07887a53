#include "device/replay/pace.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

namespace petrel::device {

namespace {

// The times between two consecutive samples of a row, in microseconds.
std::vector<std::int64_t> gaps_of(const DeviceTrace& trace)
{
    struct Last {
        std::int64_t stamp_us{};
        std::uint32_t epoch{};
    };
    std::vector<std::optional<Last>> last(trace.inventory.rows.size());
    std::vector<std::int64_t> gaps;
    for (const auto& sample : trace.samples) {
        auto& before = last[sample.slot.value];
        const auto stamp_us = whole_us(sample.read_at);
        const bool same = before && before->epoch == sample.epoch;
        if (same && stamp_us > before->stamp_us) {
            gaps.push_back(stamp_us - before->stamp_us);
        }
        before = Last{stamp_us, sample.epoch};
    }
    std::ranges::sort(gaps);
    return gaps;
}

struct Gap {
    std::int64_t us{};
    std::int64_t looks{};  // more than one: looks between the two samples were missed
};

// The deviation that 99 of a hundred do not exceed.
std::int64_t nearly_most(std::vector<std::int64_t> deviations)
{
    std::ranges::sort(deviations);
    return deviations[(deviations.size() * 99 + 99) / 100 - 1];
}

}  // namespace

Pace pace_of(const DeviceTrace& trace)
{
    const auto gaps = gaps_of(trace);
    if (gaps.empty()) {
        return {};
    }
    const auto median = gaps[gaps.size() / 2];
    std::vector<Gap> on_grid;
    Gap sum;
    for (const auto gap : gaps) {
        const auto looks = std::max<std::int64_t>((gap + median / 2) / median, 1);
        if (std::abs(gap - looks * median) * 4 <= median) {
            on_grid.push_back({gap, looks});
            sum = {sum.us + gap, sum.looks + looks};
        }
    }
    const auto step = sum.us / sum.looks;
    std::vector<std::int64_t> deviations;
    for (const auto& gap : on_grid) {
        deviations.push_back(std::abs(gap.us - gap.looks * step));
    }
    const bool follows_grid = on_grid.size() * 10 >= gaps.size() * 9;
    return {std::chrono::microseconds{follows_grid ? step : median},
            std::chrono::microseconds{follows_grid ? nearly_most(std::move(deviations)) : 0}};
}

}  // namespace petrel::device
