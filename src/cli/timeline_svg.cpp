#include "cli/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/html_text.hpp"
#include "cli/words.hpp"

namespace petrel::cli {
namespace {

constexpr double kWidth = 1000;
constexpr double kLabelHeight = 16;
constexpr double kSignalHeight = 44;
constexpr double kLaneLabelHeight = 22;  // marks stand on the lane and need room below its label
constexpr double kLaneHeight = 22;
constexpr double kGap = 6;
constexpr double kAxisHeight = 20;
constexpr double kNarrowestBand = 1.5;  // else a short storm in a long trace would not be seen
constexpr double kWidthForAWord = 70;
constexpr double kWidthForANumber = 16;
constexpr std::size_t kColumns = 500;  // of the curve: two pixels each

class Scale {
public:
    explicit Scale(const Period& period)
        : period_(period), length_(std::max<Duration>(period.to - period.from, Duration{1}))
    {}

    double x(Instant at) const
    {
        return kWidth * static_cast<double>((at - period_.from).count()) / static_cast<double>(length_.count());
    }
    double length_s() const { return std::chrono::duration<double>(length_).count(); }
    double start_s() const { return std::chrono::duration<double>(period_.from.time_since_epoch()).count(); }

private:
    Period period_;
    Duration length_;
};

// 1, 2 or 5 times a power of ten, so that some six of them fit.
double tick_step_s(double length_s)
{
    const double rough = length_s / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double times : {1.0, 2.0, 5.0}) {
        if (power * times >= rough) {
            return power * times;
        }
    }
    return power * 10;
}

std::string axis(const Scale& scale, double height)
{
    std::string svg;
    const double step = tick_step_s(scale.length_s());
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 0, 6);
    for (double tick = std::ceil(scale.start_s() / step) * step; tick <= scale.start_s() + scale.length_s();
         tick += step) {
        const double x = kWidth * (tick - scale.start_s()) / scale.length_s();
        const auto* anchor = x < 20 ? "start" : (x > kWidth - 20 ? "end" : "middle");
        svg += fmt::format(R"(<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>)", x, kLabelHeight,
                           height - kAxisHeight + 4);
        svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{}" text-anchor="{}">{:.{}f} s</text>)", x, height - 4,
                           anchor, tick, decimals);
    }
    return svg;
}

// The mean of every column: a curve of a million reads is no better than its pixels.
std::string curve(const std::vector<PauseInterval>& signal, const Scale& scale)
{
    std::array<double, kColumns> paused{};
    std::array<double, kColumns> known{};
    for (const auto& interval : signal) {
        const double from = std::max(0.0, scale.x(interval.from) * kColumns / kWidth);
        const double to = scale.x(interval.to) * kColumns / kWidth;
        for (auto column = static_cast<std::size_t>(from); column < kColumns && static_cast<double>(column) < to;
             ++column) {
            const double part =
                std::min(to, static_cast<double>(column + 1)) - std::max(from, static_cast<double>(column));
            paused[column] += part * interval.share;
            known[column] += part;
        }
    }
    constexpr double kBase = kLabelHeight + kSignalHeight;
    std::string path = fmt::format("M0 {}", kBase);
    double last = -1;
    for (std::size_t column = 0; column < kColumns; ++column) {
        const double share = known[column] > 0 ? paused[column] / known[column] : 0;
        if (share != last) {  // equal neighbours are one line
            const double y = kBase - share * kSignalHeight;
            path += fmt::format("H{:.4g}V{:.4g}", static_cast<double>(column) * kWidth / kColumns, y);
            last = share;
        }
    }
    path += fmt::format("H{}V{}Z", kWidth, kBase);
    return fmt::format(R"(<text class="label" x="0" y="11">pause signal of the trace (share of time paused)</text>)"
                       R"(<path class="signal" d="{}"/><line class="base" x1="0" x2="{}" y1="{}" y2="{}"/>)",
                       path, kWidth, kBase, kBase);
}

std::string band(watchdog::Phase phase, Instant from, Instant to, const Scale& scale, double y)
{
    if (phase == watchdog::Phase::off) {
        return {};
    }
    const double x = scale.x(from);
    const double width = std::max(scale.x(to) - x, kNarrowestBand);
    auto svg = fmt::format(
        R"(<g class="band {}"><title>{} from {} s to {} s</title><rect x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>)",
        name(phase), name(phase), seconds_text(from), seconds_text(to), x, y, width, kLaneHeight);
    if (width >= kWidthForAWord) {
        svg +=
            fmt::format(R"(<text class="word" x="{:.1f}" y="{}">{}</text>)", x + 6, y + kLaneHeight - 7, name(phase));
    }
    return svg + "</g>";
}

std::string bands(const runtime::Replayed& replayed, Slot slot, const Scale& scale, Instant end, double y)
{
    std::string svg;
    const runtime::PhaseChange* current = nullptr;
    for (const auto& change : replayed.phases) {
        if (change.slot != slot) {
            continue;
        }
        if (current != nullptr) {
            svg += band(current->phase, current->at, change.at, scale, y);
        }
        current = &change;
    }
    return current == nullptr ? svg : svg + band(current->phase, current->at, end, scale, y);
}

// Down where a storm begins, up where it ends, a diamond for the rest.
std::string shape(watchdog::EventKind kind, double x, double y)
{
    if (begins_storm(kind)) {
        return fmt::format("{:.1f},{} {:.1f},{} {:.1f},{}", x - 6, y - 5, x + 6, y - 5, x, y + 5);
    }
    if (ends_storm(kind)) {
        return fmt::format("{:.1f},{} {:.1f},{} {:.1f},{}", x - 6, y + 5, x + 6, y + 5, x, y - 5);
    }
    return fmt::format("{:.1f},{} {:.1f},{} {:.1f},{} {:.1f},{}", x, y - 6, x + 6, y, x, y + 6, x - 6, y);
}

std::string mark_class(watchdog::EventKind kind)
{
    return begins_storm(kind) ? "begins" : (ends_storm(kind) ? "ends" : "other");
}

struct Mark {
    const watchdog::Event* event{};
    std::size_t number{};
    double x{};        // of the event
    double drawn_x{};  // of the mark, which makes room for another one of the same instant
    bool numbered{};
};

std::string mark_svg(const Mark& mark, double y)
{
    const auto kind = mark.event->kind;
    auto svg = fmt::format(
        R"(<g class="mark {}"><title>{}: {} at {} s</title><line x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>)",
        mark_class(kind), mark.number, name(kind), seconds_text(mark.event->at), mark.x, mark.x, y,
        y + kLaneHeight + 2);
    svg += fmt::format(R"(<polygon points="{}"/>)", shape(kind, mark.drawn_x, y));
    if (mark.numbered) {
        const bool at_the_edge = mark.drawn_x > kWidth - 2 * kWidthForANumber;
        svg += fmt::format(R"(<text class="number" x="{:.1f}" y="{}" text-anchor="{}">{}</text>)",
                           at_the_edge ? mark.drawn_x - 8 : mark.drawn_x + 8, y + 4, at_the_edge ? "end" : "start",
                           mark.number);
    }
    return svg + "</g>";
}

std::string marks(const std::vector<EventRef>& events, const Scale& scale, double y)
{
    std::string svg;
    Mark last{nullptr, 0, -kWidth, -kWidth, false};
    double last_number_x = -kWidth;
    for (const auto& [device, event] : events) {
        Mark mark{event, last.number + 1, scale.x(event->at), scale.x(event->at), false};
        if (last.event != nullptr && last.event->at == event->at) {
            mark.drawn_x = last.drawn_x + kWidthForANumber + 6;
        }
        mark.numbered = mark.drawn_x - last_number_x >= kWidthForANumber;
        last_number_x = mark.numbered ? mark.drawn_x : last_number_x;
        svg += mark_svg(mark, y);
        last = mark;
    }
    return svg;
}

std::string lane(const PolicyRun& run, QueueRef queue, const Scale& scale, Instant end, double y)
{
    const double top = y + kLaneLabelHeight;
    return fmt::format(R"(<text class="label" x="0" y="{}">{}</text>)", y + 11, html(run.label)) +
           fmt::format(R"(<rect class="lane" x="0" y="{}" width="{}" height="{}"/>)", top, kWidth, kLaneHeight) +
           bands(run.devices[queue.device], queue.slot, scale, end, top) + marks(events_of(run, queue), scale, top - 1);
}

}  // namespace

std::string timeline_svg(const ReplayReport& report, QueueRef queue, const std::vector<PauseInterval>& signal,
                         const Period& shown)
{
    const Scale scale(shown);
    const double first_lane = kLabelHeight + kSignalHeight + kGap;
    const double per_lane = kLaneLabelHeight + kLaneHeight + kGap;
    const double height = first_lane + per_lane * static_cast<double>(report.runs.size()) + kAxisHeight;
    const auto name = html(queue_text(report, queue));
    auto svg = fmt::format(
        R"(<svg class="timeline" viewBox="0 0 {} {}" role="img"><title>Timeline of {}</title>)"
        R"(<desc>The pause signal of the trace, and for each policy the phases of the queue and its events; )"
        R"(the events are listed below in words.</desc>)",
        kWidth, height, name);
    svg += axis(scale, height) + curve(signal, scale);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        svg += lane(report.runs[i], queue, scale, shown.to, first_lane + per_lane * static_cast<double>(i));
    }
    return svg + "</svg>\n";
}

}  // namespace petrel::cli
