#include "demo/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace petrel::demo {
namespace {

std::string signs(const std::vector<Condition>& nodes, const Paint& paint)
{
    std::string text;
    for (const auto condition : nodes) {
        switch (condition) {
        case Condition::moves: text += paint.green("o"); break;
        case Condition::paused: text += paint.yellow("p"); break;
        case Condition::stands: text += paint.red("X"); break;
        }
    }
    return text;
}

std::string bar(double share, const Paint& paint)
{
    constexpr std::size_t kWidth = 30;
    const auto filled = std::min(kWidth, static_cast<std::size_t>(std::lround(share * kWidth)));
    return paint.green(std::string(filled, '=')) + std::string(kWidth - filled, ' ');
}

std::string watchdog_text(const FabricNow& now, const lab::Experiment& experiment)
{
    const auto watches = experiment.scenario().watches.size();
    if (watches == 0) {
        return "no watchdog";
    }
    if (experiment.mitigated({}) != 0) {
        return fmt::format("one port contained; frames lost there {}, elsewhere {}", now.lost_at_sick,
                           now.lost_elsewhere);
    }
    return fmt::format("petrel watches {} switches", watches) +
           (now.sick_pauses_for == 0
                ? ""
                : fmt::format("; a server has paused one for {} ms", now.sick_pauses_for / twin::kMs));
}

}  // namespace

std::string status_text(const FabricNow& now, const FabricWatch& watch, const lab::Experiment& experiment,
                        double slower, const Paint& paint)
{
    constexpr std::array<std::string_view, kTiers> kNames{"servers", "leaf", "spine", "core"};
    constexpr double kFullBar = 3e9;
    auto text = fmt::format("\n  {}  {}\n", paint.bold(fmt::format("{:.3f} s", static_cast<double>(now.at) / 1e12)),
                            paint.dim(fmt::format("{:.0f} times slower than life", slower)));
    for (std::size_t tier = kTiers; tier-- > 0;) {
        const auto& nodes = now.tiers[tier];
        text += fmt::format("  {:<8} {}{}  {:>2} of {:>2} stand still\n", kNames[tier], signs(nodes, paint),
                            std::string(16 - std::min<std::size_t>(16, nodes.size()), ' '), now.standing(tier),
                            nodes.size());
    }
    text += fmt::format("  {:.2f} Gb/s between healthy servers [{}]\n", now.healthy_bps / 1e9,
                        bar(now.healthy_bps / kFullBar, paint));
    text += fmt::format("  paused ports {} of {}, pause frames {}, lost frames {}\n", now.ports_paused, watch.ports(),
                        now.pause_frames, now.lost_at_sick + now.lost_elsewhere);
    text += fmt::format("  watchdog: {}\n", watchdog_text(now, experiment));
    text += paint.dim("  o moves   p paused by a neighbour   X stands still") + '\n';
    return text;
}

}  // namespace petrel::demo
