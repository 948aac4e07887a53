#include "cli/demo_story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table.hpp"
#include "cli/words.hpp"

namespace petrel::cli {
namespace {

using device::FaultPoint;
using watchdog::Field;
using watchdog::Treatment;

std::string gigabytes(std::uint64_t bytes) { return fmt::format("{:.2f} GB", static_cast<double>(bytes) / 1e9); }

std::string pair(std::uint64_t a, std::uint64_t b) { return fmt::format("{}/{}", a, b); }

}  // namespace

DemoStory::DemoStory(const agent::Agent& agent, const device::TimeSource& clock, Slot culprit, const Paint& paint,
                     Write write)
    : agent_(agent), clock_(clock), culprit_(culprit), paint_(paint), write_(std::move(write))
{}

void DemoStory::plain(std::string_view line) { write_(fmt::format("{}\n", line)); }

void DemoStory::tell(std::string_view who, std::string_view what)
{
    const auto time = seconds_text(clock_.now().mono.time_since_epoch());
    plain(fmt::format("{:>8}  {} {}", time, fmt::format("{:<10}", who), what));
}

void DemoStory::tell_step(std::string_view step, std::string_view what)
{
    plain(paint_.dim(fmt::format("{:>8}    {:<11} {}", "", step, what)));
}

void DemoStory::hear(const watchdog::Event& event)
{
    const auto& watchlist = agent_.watchdog().watchlist();
    const auto line = fmt::format("{} {}: {}", name(event.kind), to_string(watchlist.inventory, event.target),
                                  evidence_text(event, watchlist));
    if (begins_storm(event.kind)) {
        stormed_ = true;
        culprit_sent_ = {};
        others_sent_ = {};
    }
    tell("petrel", begins_storm(event.kind) ? paint_.red(line) : paint_.green(line));
}

void DemoStory::hear(const watchdog::Observations& seen)
{
    const auto value = [&](Field f, std::uint32_t row) -> std::uint64_t {
        return watchdog::has(seen.known[row], f) ? seen.column(f)[row] : 0;
    };
    for (const auto row : seen.touched) {
        auto& sent = row == culprit_.value ? culprit_sent_ : others_sent_;
        sent.bytes += value(Field::tx_bytes, row);
        sent.dropped += value(Field::tx_drops, row);
    }
    const bool paused = (seen.pause[culprit_.value] & watchdog::kIs) != 0;
    if (seen.dt_us[culprit_.value] != 0 && paused && !suspected_ && !stormed_) {
        suspected_ = true;
        const auto& inventory = agent_.watchdog().watchlist().inventory;
        tell("petrel",
             paint_.yellow(fmt::format("suspects {}: paused now. A clock runs; a pause that ends before T0 is none of "
                                       "its business",
                                       to_string(inventory, inventory.rows[culprit_.value].target))));
    }
}

void DemoStory::hear(FaultPoint point)
{
    if (point == FaultPoint::before_prepare) {
        steps_.clear();
    }
    steps_.push_back(point);
}

void DemoStory::hear(const watchdog::Command& command, const watchdog::Outcome& outcome)
{
    const bool mitigates = command.want != Treatment::none;
    if (!mitigates) {
        tell("petrel", fmt::format("restores {}", to_string(agent_.watchdog().watchlist().inventory, command.target)));
    }
    for (const auto step : steps_) {
        switch (step) {
        case FaultPoint::before_prepare:
        case FaultPoint::count_: break;
        case FaultPoint::prepared:
            tell_step("prepared",
                      mitigates ? "what will be overwritten has been read" : "what was overwritten is in the journal");
            break;
        case FaultPoint::journaled:
            tell_step("journaled", "how to undo it is written down before anything is touched");
            break;
        case FaultPoint::applied:
            tell_step("applied", mitigates ? fmt::format("{} on this queue alone", watchdog::action_name(command.want))
                                           : "the queue is as it was before");
            break;
        case FaultPoint::read_back:
            tell_step("read back",
                      fmt::format("{}: the device shows {}", name(outcome.verdict), name(outcome.in_effect)));
            break;
        case FaultPoint::closed: tell_step("closed", "the journal is empty again"); break;
        }
    }
}

void DemoStory::tell_containment()
{
    const auto& inventory = agent_.watchdog().watchlist().inventory;
    const auto fared = [](const Sent& sent) {
        return fmt::format("sent {} and dropped {}", gigabytes(sent.bytes), count_text(sent.dropped, "packet"));
    };
    tell("petrel", fmt::format("contains it: since the storm was found, {} {},",
                               to_string(inventory, inventory.rows[culprit_.value].target), fared(culprit_sent_)));
    tell("", fmt::format("the {} other queues {}", inventory.rows.size() - 1, fared(others_sent_)));
}

std::string DemoStory::statistics() const
{
    Table table({{"QUEUE", Align::right, {}},
                 {"STATUS", Align::right, {}},
                 {"STORM DETECTED/RESTORED", Align::right, {}},
                 {"TX OK/DROP", Align::right, {}},
                 {"RX OK/DROP", Align::right, {}},
                 {"TX LAST OK/DROP", Align::right, {}},
                 {"RX LAST OK/DROP", Align::right, {}}});
    const auto& inventory = agent_.watchdog().watchlist().inventory;
    for (std::uint32_t row = 0; row < inventory.rows.size(); ++row) {
        const auto s = agent_.watchdog().stats(Slot{row}, clock_.now().mono);
        if (s.detected == 0) {
            continue;
        }
        const bool stormed = agent_.watchdog().in_effect(Slot{row}) != Treatment::none;
        table.add({to_string(inventory, inventory.rows[row].target), stormed ? "stormed" : "operational",
                   pair(s.detected, s.restored), pair(s.tx_ok, s.tx_drop), pair(s.rx_ok, s.rx_drop),
                   pair(s.tx_ok_last, s.tx_drop_last), pair(s.rx_ok_last, s.rx_drop_last)});
    }
    return table.text();
}

}  // namespace petrel::cli
