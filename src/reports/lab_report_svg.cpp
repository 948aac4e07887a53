#include "reports/lab_report_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/html_text.hpp"
#include "reports/lab_report_facts.hpp"
#include "reports/scenario_text.hpp"
#include "reports/time_svg.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using twin::Ps;

constexpr double kLabelHeight = 18;
constexpr double kGap = 10;
constexpr double kHeatRow = 15;
constexpr double kHeatLabels = 250;  // space for names on the left
constexpr int kHeatLevels = 8;

double share(Ps part, Ps whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

// The area of one curve.
struct Box {
    double top{};
    double height{};
    double bottom() const { return top + height; }
};

class Drawing {
public:
    Drawing(const ReportedRun& run, std::string_view title, double height, double left = 0)
        : run_(run),
          height_(height + kAxisHeight),
          scale_(Instant{}, twin::to_instant(run.outcome.summary.simulated), left),
          svg_(fmt::format(R"(<svg class="timeline" viewBox="0 0 {} {}" role="img"><title>{}</title>)", kDrawingWidth,
                           height + kAxisHeight, html(title)))
    {
        svg_ += axis_svg(scale_, 4, height_);
    }

    const TimeScale& scale() const { return scale_; }
    void add(std::string_view svg) { svg_ += svg; }

    void label(double y, std::string_view text)
    {
        svg_ += fmt::format(R"(<text class="label" x="0" y="{:.1f}">{}</text>)", y, html(text));
    }
    void remark(double y, std::string_view text)
    {
        svg_ += fmt::format(R"(<text class="remark" x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kDrawingWidth, y,
                            html(text));
    }

    // values[i], 0..1, applies to the i-th interval.
    void steps(const Box& box, std::string_view look, const std::vector<double>& values)
    {
        std::string path = fmt::format("M{:.1f} {:.1f}", scale_.x(0.0), box.bottom());
        double last = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] != last) {  // equal values continue the line
                path += fmt::format("H{:.1f}V{:.1f}", x_of(i), y_of(box, values[i]));
                last = values[i];
            }
        }
        path += fmt::format("H{:.1f}V{:.1f}", x_of(values.size()), box.bottom());
        svg_ += fmt::format(R"(<path class="{}" d="{}"/>)", look, path);
    }

    // values[i] was read at the end of the i-th interval.
    void line(const Box& box, std::string_view look, const std::vector<double>& values)
    {
        std::string path = fmt::format("M{:.1f} {:.1f}", scale_.x(0.0), box.bottom());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool flat =
                i != 0 && i + 1 < values.size() && values[i] == values[i - 1] && values[i] == values[i + 1];
            path += flat ? std::string{} : fmt::format("L{:.1f} {:.1f}", x_of(i + 1), y_of(box, values[i]));
        }
        svg_ += fmt::format(R"(<path class="{}" d="{}"/>)", look, path);
    }

    void base(const Box& box)
    {
        svg_ += fmt::format(R"(<line class="base" x1="{0:.1f}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>)", scale_.x(0.0),
                            kDrawingWidth, box.bottom());
    }

    double x_of(std::size_t interval) const  // where the interval begins
    {
        return interval == 0 ? scale_.x(0.0) : scale_.x(twin::to_instant(run_.recording.times[interval - 1]));
    }

    std::string finish()
    {
        Ps last = twin::kForever;
        for (const auto& [at, what] : fault_timeline(*run_.scenario)) {
            if (at == last || at > run_.outcome.summary.simulated) {
                continue;
            }
            last = at;
            svg_ += fmt::format(
                R"(<g class="fault"><title>{0}: {1}</title><line x1="{2:.1f}" x2="{2:.1f}" y1="4" y2="{3:.1f}"/></g>)",
                time_text(at), html(what), scale_.x(twin::to_instant(at)), height_ - kAxisHeight);
        }
        return svg_ + "</svg>\n";
    }

private:
    static double y_of(const Box& box, double value) { return box.bottom() - std::clamp(value, 0.0, 1.0) * box.height; }

    const ReportedRun& run_;
    double height_;
    TimeScale scale_;
    std::string svg_;
};

template <class Count>
std::vector<double> of_most(const std::vector<Count>& values, double most)
{
    std::vector<double> shares;
    for (const auto value : values) {
        shares.push_back(most == 0 ? 0 : static_cast<double>(value) / most);
    }
    return shares;
}

std::vector<double> paused_shares(const ReportedRun& run, const std::vector<Ps>& paused)
{
    std::vector<double> shares;
    for (std::size_t i = 0; i < paused.size(); ++i) {
        shares.push_back(share(paused[i], run.recording.interval(i)));
    }
    return shares;
}

std::vector<double> rates(const ReportedRun& run, const std::vector<std::uint64_t>& bytes)
{
    std::vector<double> bps;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bps.push_back(8 * static_cast<double>(bytes[i]) * twin::kSecond /
                      static_cast<double>(run.recording.interval(i)));
    }
    return bps;
}

template <class T>
T largest(const std::vector<T>& values)
{
    return values.empty() ? T{} : *std::max_element(values.begin(), values.end());
}

int heat_level(double part)
{
    return part <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(part * kHeatLevels)), 1, kHeatLevels);
}

// Adjacent cells of the same level become one rectangle.
std::string heat_row(const Drawing& drawing, const std::vector<double>& shares, double y)
{
    std::string svg;
    for (std::size_t i = 0; i < shares.size();) {
        const auto level = heat_level(shares[i]);
        auto next = i + 1;
        while (next < shares.size() && heat_level(shares[next]) == level) {
            ++next;
        }
        if (level != 0) {
            svg += fmt::format(R"(<rect class="heat h{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>)", level,
                               drawing.x_of(i), y, drawing.x_of(next) - drawing.x_of(i), kHeatRow - 2);
        }
        i = next;
    }
    return svg;
}

}  // namespace

std::string standstill_svg(const ReportedRun& run)
{
    constexpr double kHeight = 34;
    const auto& tiers = run.recording.tiers;
    const double per_tier = kLabelHeight + kHeight + kGap;
    Drawing drawing{run, "How many nodes of each tier were held up or stood still",
                    per_tier * static_cast<double>(tiers.size())};
    for (std::size_t i = 0; i < tiers.size(); ++i) {
        const auto& tier = tiers[tiers.size() - 1 - i];  // hosts at the bottom, as fabrics are usually drawn
        const Box box{per_tier * static_cast<double>(i) + kLabelHeight, kHeight};
        drawing.label(box.top - 5, tier_text(run.scenario->setup.topology, tier.tier));
        drawing.remark(box.top - 5, fmt::format("of {}: at the worst {} held up, {} standing still", tier.nodes,
                                                largest(tier.held), largest(tier.standing)));
        drawing.add(fmt::format(R"(<rect class="lane" x="0" y="{}" width="{}" height="{}"/>)", box.top, kDrawingWidth,
                                box.height));
        drawing.steps(box, "held", of_most(tier.held, tier.nodes));
        drawing.steps(box, "paused", of_most(tier.standing, tier.nodes));
        drawing.base(box);
    }
    return drawing.finish();
}

std::string queue_svg(const ReportedRun& run, const lab::QueueTrack& queue)
{
    constexpr double kHeight = 36;
    const auto standings = standings_of(run, queue);
    const Box pause{kLabelHeight, kHeight};
    const Box waiting{pause.bottom() + kGap + kLabelHeight, kHeight};
    const double lane = waiting.bottom() + kGap + kLabelHeight;
    Drawing drawing{run,
                    fmt::format("{}, priority {}", port_text(queue.port, run.scenario->setup.topology), queue.priority),
                    standings.empty() ? waiting.bottom() + 4 : lane + kLaneHeight + 4};
    drawing.label(pause.top - 5, "paused (share of time)");
    drawing.steps(pause, "paused", paused_shares(run, queue.paused));
    drawing.base(pause);
    const auto most = largest(queue.bytes);
    drawing.label(waiting.top - 5, "waiting to be sent");
    drawing.remark(waiting.top - 5, fmt::format("at most {}", size_text(most, 3)));
    drawing.line(waiting, "waiting", of_most(queue.bytes, most));
    drawing.base(waiting);
    if (!standings.empty()) {
        drawing.label(lane - 7, "phase");
        for (const auto& one : standings) {
            drawing.add(band_svg(one.phase, one.from, one.to, drawing.scale(), lane));
        }
        drawing.add(marks_svg(events_of(run, queue), drawing.scale(), lane - 1));
    }
    return drawing.finish();
}

std::string heat_map_svg(const ReportedRun& run, std::span<const lab::LinkTrack> links)
{
    Drawing drawing{run, "Share of time for which each link was paused",
                    8 + kHeatRow * static_cast<double>(links.size()), kHeatLabels};
    const auto& topology = run.scenario->setup.topology;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const double y = 6 + kHeatRow * static_cast<double>(i);
        const auto text = html(
            fmt::format("{} → {}", port_text(links[i].from, topology), topology.nodes[links[i].to.node.value].name));
        Ps all = 0;
        for (const auto paused : links[i].paused) {
            all += paused;
        }
        drawing.add(fmt::format(R"(<g><title>{}: might not send for {}</title>)", text, time_text(all, 3)));
        drawing.add(fmt::format(R"(<text class="row" x="0" y="{:.1f}">{}</text>)", y + kHeatRow - 4, text));
        drawing.add(fmt::format(R"(<rect class="lane" x="{}" y="{:.1f}" width="{}" height="{}"/>)", kHeatLabels, y,
                                kDrawingWidth - kHeatLabels, kHeatRow - 2));
        drawing.add(heat_row(drawing, paused_shares(run, links[i].paused), y) + "</g>");
    }
    return drawing.finish();
}

std::string throughput_svg(const ReportedRun& run, const lab::TrafficTrack& item)
{
    const Box box{kLabelHeight, 70};
    Drawing drawing{run, fmt::format("Throughput of {}", item.name), box.bottom() + 4};
    const auto delivered = rates(run, item.delivered_bytes);
    const auto sent = rates(run, item.sent_bytes);
    const auto most = std::max(largest(delivered), largest(sent));
    drawing.label(box.top - 5, item.name);
    drawing.remark(box.top - 5, fmt::format("at most {}", rate_text(most, 3)));
    drawing.steps(box, "delivered", of_most(delivered, most));
    drawing.steps(box, "sent", of_most(sent, most));
    drawing.base(box);
    return drawing.finish();
}

std::string losses_svg(const ReportedRun& run)
{
    std::vector<std::uint64_t> lost;
    for (const auto& drops : run.recording.drops) {
        lost.push_back(drops.total());
    }
    const Box box{kLabelHeight, 50};
    Drawing drawing{run, "Frames lost over time", box.bottom() + 4};
    const auto most = largest(lost);
    drawing.label(box.top - 5, "frames lost");
    drawing.remark(box.top - 5, fmt::format("at most {} in one interval", most));
    drawing.steps(box, "paused", of_most(lost, static_cast<double>(most)));
    drawing.base(box);
    return drawing.finish();
}

std::string latency_svg(const Latencies& rows)
{
    constexpr double kRow = 30;
    Duration longest{1};
    for (const auto& [label, all] : rows) {
        longest = std::max(longest, all.empty() ? Duration{} : *std::max_element(all.begin(), all.end()));
    }
    const TimeScale scale{Instant{}, Instant{longest + longest / 10}, kHeatLabels};
    const double height = kRow * static_cast<double>(rows.size()) + 8 + kAxisHeight;
    auto svg =
        fmt::format(R"(<svg class="timeline" viewBox="0 0 {} {}" role="img"><title>How long detection took</title>)",
                    kDrawingWidth, height);
    svg += axis_svg(scale, 4, height);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [label, all] = rows[i];
        const double y = kRow * static_cast<double>(i) + kRow / 2 + 4;
        svg += fmt::format(R"(<text class="row" x="0" y="{:.1f}">{}</text>)", y + 4, html(label));
        svg += fmt::format(R"(<line class="base" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", kHeatLabels,
                           kDrawingWidth, y, y);
        for (const auto latency : all) {
            svg += fmt::format(R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="5"><title>{}</title></circle>)",
                               scale.x(Instant{latency}), y, ms_text(latency));
        }
    }
    return svg + "</svg>\n";
}

}  // namespace petrel::reports
