#include "reports/time_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "words/words.hpp"

namespace petrel::reports {
namespace {

constexpr double kNarrowestBand = 1.5;  // keeps a short storm visible in a long run
constexpr double kWidthForText = 70;
constexpr double kWidthForANumber = 16;

// 1, 2 or 5 times a power of ten, so that about six ticks fit.
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

// Points down for the start of a storm, up for its end; a diamond for all others.
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
    double drawn_x{};  // of the mark, which is moved if another one has the same time
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
        const bool at_the_edge = mark.drawn_x > kDrawingWidth - 2 * kWidthForANumber;
        svg += fmt::format(R"(<text class="number" x="{:.1f}" y="{}" text-anchor="{}">{}</text>)",
                           at_the_edge ? mark.drawn_x - 8 : mark.drawn_x + 8, y + 4, at_the_edge ? "end" : "start",
                           mark.number);
    }
    return svg + "</g>";
}

}  // namespace

std::string axis_svg(const TimeScale& scale, double top, double height)
{
    std::string svg;
    const double step = tick_step_s(scale.length_s());
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 0, 6);
    for (double tick = std::ceil(scale.start_s() / step) * step; tick <= scale.start_s() + scale.length_s();
         tick += step) {
        const double x = scale.x(tick);
        const auto* anchor = x < 20 ? "start" : (x > kDrawingWidth - 20 ? "end" : "middle");
        svg += fmt::format(R"(<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>)", x, top,
                           height - kAxisHeight + 4);
        svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{}" text-anchor="{}">{:.{}f} s</text>)", x, height - 4,
                           anchor, tick, decimals);
    }
    return svg;
}

std::string band_svg(watchdog::Phase phase, Instant from, Instant to, const TimeScale& scale, double y)
{
    if (phase == watchdog::Phase::off) {
        return {};
    }
    const double x = scale.x(from);
    const double width = std::max(scale.x(to) - x, kNarrowestBand);
    auto svg = fmt::format(
        R"(<g class="band {}"><title>{} from {} s to {} s</title><rect x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>)",
        name(phase), name(phase), seconds_text(from), seconds_text(to), x, y, width, kLaneHeight);
    if (width >= kWidthForText) {
        svg +=
            fmt::format(R"(<text class="word" x="{:.1f}" y="{}">{}</text>)", x + 6, y + kLaneHeight - 7, name(phase));
    }
    return svg + "</g>";
}

std::string marks_svg(std::span<const watchdog::Event* const> events, const TimeScale& scale, double y)
{
    std::string svg;
    Mark last{nullptr, 0, -kDrawingWidth, -kDrawingWidth, false};
    double last_number_x = -kDrawingWidth;
    for (const auto* event : events) {
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

}  // namespace petrel::reports
