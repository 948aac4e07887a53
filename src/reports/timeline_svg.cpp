#include "reports/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/html_text.hpp"
#include "reports/time_svg.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

constexpr double kSignalLabelHeight = 16;
constexpr double kSignalHeight = 44;
constexpr double kLaneLabelHeight = 22;  // marks are on the lane and need space below its label
constexpr double kLaneGap = 6;
constexpr std::size_t kColumns = 500;  // of the curve: two pixels each

// The mean of each column: a curve of a million reads has no more detail than its pixels.
std::string curve(const std::vector<PauseInterval>& signal, const TimeScale& scale)
{
    std::array<double, kColumns> paused{};
    std::array<double, kColumns> known{};
    for (const auto& interval : signal) {
        const double from = std::max(0.0, scale.x(interval.from) * kColumns / kDrawingWidth);
        const double to = scale.x(interval.to) * kColumns / kDrawingWidth;
        for (auto column = static_cast<std::size_t>(from); column < kColumns && static_cast<double>(column) < to;
             ++column) {
            const double part =
                std::min(to, static_cast<double>(column + 1)) - std::max(from, static_cast<double>(column));
            paused[column] += part * interval.share;
            known[column] += part;
        }
    }
    constexpr double kBase = kSignalLabelHeight + kSignalHeight;
    std::string path = fmt::format("M0 {}", kBase);
    double last = -1;
    for (std::size_t column = 0; column < kColumns; ++column) {
        const double share = known[column] > 0 ? paused[column] / known[column] : 0;
        if (share != last) {  // equal values continue the line
            const double y = kBase - share * kSignalHeight;
            path += fmt::format("H{:.4g}V{:.4g}", static_cast<double>(column) * kDrawingWidth / kColumns, y);
            last = share;
        }
    }
    path += fmt::format("H{}V{}Z", kDrawingWidth, kBase);
    return fmt::format(R"(<text class="label" x="0" y="11">pause signal of the trace (share of time paused)</text>)"
                       R"(<path class="signal" d="{}"/><line class="base" x1="0" x2="{}" y1="{}" y2="{}"/>)",
                       path, kDrawingWidth, kBase, kBase);
}

std::string bands(const runtime::Replayed& replayed, Slot slot, const TimeScale& scale, Instant end, double y)
{
    std::string svg;
    const runtime::PhaseChange* current = nullptr;
    for (const auto& change : replayed.phases) {
        if (change.slot != slot) {
            continue;
        }
        if (current != nullptr) {
            svg += band_svg(current->phase, current->at, change.at, scale, y);
        }
        current = &change;
    }
    return current == nullptr ? svg : svg + band_svg(current->phase, current->at, end, scale, y);
}

std::vector<const watchdog::Event*> plain(const std::vector<EventRef>& events)
{
    std::vector<const watchdog::Event*> all;
    for (const auto& [device, event] : events) {
        all.push_back(event);
    }
    return all;
}

std::string lane(const PolicyRun& run, QueueRef queue, const TimeScale& scale, Instant end, double y)
{
    const double top = y + kLaneLabelHeight;
    return fmt::format(R"(<text class="label" x="0" y="{}">{}</text>)", y + 11, html(run.label)) +
           fmt::format(R"(<rect class="lane" x="0" y="{}" width="{}" height="{}"/>)", top, kDrawingWidth, kLaneHeight) +
           bands(run.devices[queue.device], queue.slot, scale, end, top) +
           marks_svg(plain(events_of(run, queue)), scale, top - 1);
}

}  // namespace

std::string timeline_svg(const ReplayReport& report, QueueRef queue, const std::vector<PauseInterval>& signal,
                         const Period& shown)
{
    const TimeScale scale{shown.from, shown.to};
    const double first_lane = kSignalLabelHeight + kSignalHeight + kLaneGap;
    const double per_lane = kLaneLabelHeight + kLaneHeight + kLaneGap;
    const double height = first_lane + per_lane * static_cast<double>(report.runs.size()) + kAxisHeight;
    const auto name = html(queue_text(report, queue));
    auto svg = fmt::format(
        R"(<svg class="timeline" viewBox="0 0 {} {}" role="img"><title>Timeline of {}</title>)"
        R"(<desc>The pause signal of the trace, and for each policy the phases of the queue and its events; )"
        R"(the events are listed below.</desc>)",
        kDrawingWidth, height, name);
    svg += axis_svg(scale, kSignalLabelHeight, height) + curve(signal, scale);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        svg += lane(report.runs[i], queue, scale, shown.to, first_lane + per_lane * static_cast<double>(i));
    }
    return svg + "</svg>\n";
}

}  // namespace petrel::reports
