// The common parts of all drawings over time: scale and axis, the phases of a queue as bands, events as numbered marks.
// Colours come from the page's style; shapes and labels carry the same information.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "base/time.hpp"
#include "watchdog/checkpoint.hpp"
#include "watchdog/event.hpp"

namespace petrel::reports {

inline constexpr double kDrawingWidth = 1000;
inline constexpr double kLaneHeight = 22;  // of bands and the marks on them
inline constexpr double kAxisHeight = 20;

// The time of a drawing, from `left` to its right edge.
class TimeScale {
public:
    TimeScale(Instant from, Instant to, double left = 0)
        : from_(from), length_(std::max<Duration>(to - from, Duration{1})), left_(left)
    {}

    double x(Instant at) const { return x(std::chrono::duration<double>(at - from_).count() + start_s()); }
    double x(double at_s) const { return left_ + (kDrawingWidth - left_) * (at_s - start_s()) / length_s(); }
    double length_s() const { return std::chrono::duration<double>(length_).count(); }
    double start_s() const { return std::chrono::duration<double>(from_.time_since_epoch()).count(); }

private:
    Instant from_;
    Duration length_;
    double left_;
};

// Grid lines from `top` down to the axis at the bottom of a drawing of this height.
std::string axis_svg(const TimeScale&, double top, double height);

std::string band_svg(watchdog::Phase, Instant from, Instant to, const TimeScale&, double y);

// Events in the order of time, numbered from 1.
std::string marks_svg(std::span<const watchdog::Event* const>, const TimeScale&, double y);

}  // namespace petrel::reports
