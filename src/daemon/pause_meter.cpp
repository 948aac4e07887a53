#include "daemon/pause_meter.hpp"

#include <algorithm>
#include <utility>

namespace petrel::daemon {
namespace {

// A counter that was cleared counts from zero.
std::uint64_t increase(const std::optional<std::uint64_t>& now, const std::optional<std::uint64_t>& before)
{
    return !now || !before ? 0 : *now >= *before ? *now - *before : *now;
}

void add(std::optional<std::uint64_t>& to, const std::optional<std::uint64_t>& known, std::uint64_t more)
{
    if (known) {
        to = to.value_or(0) + more;
    }
}

}  // namespace

void PauseMeter::read(const watchdog::Watchlist& list, const watchdog::Intake& intake)
{
    follow(list);
    pausing_ = 0;
    for (std::uint32_t i = 0; i != rows_.size(); ++i) {
        const Slot slot{i};
        auto& row = rows_[i];
        if (list.rows[i].policy == watchdog::kUnwatched || !list.inventory.rows[i].target.priority) {
            continue;
        }
        const auto now = intake.pfc_counts(slot);
        const auto paused = increase(now.pause_us, row.last.pause_us);
        const auto frames = increase(now.rx_frames, row.last.rx_frames);
        const bool first = !std::exchange(row.read, true);
        row.last = now;
        row.busy /= 2;
        if (first || (paused == 0 && frames == 0)) {
            continue;
        }
        ++pausing_;
        row.busy += std::max(paused, frames);
        auto* const shown = row_for(slot);
        auto& counts = shown != nullptr ? shown->counts : rest_ ? *rest_ : rest_.emplace();
        add(counts.paused_us, now.pause_us, paused);
        add(counts.pfc_frames, now.rx_frames, frames);
    }
}

std::vector<PausingQueue> PauseMeter::queues() const
{
    std::vector<PausingQueue> queues;
    for (const auto& [name, shown] : shown_) {
        queues.push_back({name.port, name.priority, shown.counts});
    }
    if (rest_) {
        queues.push_back({{}, std::nullopt, *rest_});
    }
    return queues;
}

// The rows of other ports have other slots.
void PauseMeter::follow(const watchdog::Watchlist& list)
{
    if (generation_ == list.inventory.generation && rows_.size() == list.inventory.rows.size()) {
        return;
    }
    generation_ = list.inventory.generation;
    rows_.assign(list.inventory.rows.size(), {});
    names_.clear();
    auto before = std::exchange(shown_, {});
    for (std::uint32_t i = 0; i != rows_.size(); ++i) {
        const auto& target = list.inventory.rows[i].target;
        names_.push_back(
            {list.inventory.ports[target.port.index].name, target.priority ? target.priority->value : kPriorities});
        if (const auto had = before.find(names_.back()); had != before.end()) {
            shown_.emplace(names_.back(), Shown{Slot{i}, had->second.counts});
        }
    }
}

// Null: it belongs to the sum. A queue takes the row of another that has become much less busy.
PauseMeter::Shown* PauseMeter::row_for(Slot slot)
{
    const auto& name = names_[slot.value];
    if (const auto has = shown_.find(name); has != shown_.end()) {
        return &has->second;
    }
    if (shown_.size() == kMost) {
        const auto idlest =
            std::ranges::min_element(shown_, {}, [&](const auto& one) { return rows_[one.second.slot.value].busy; });
        if (rows_[idlest->second.slot.value].busy * 2 >= rows_[slot.value].busy) {
            return nullptr;
        }
        shown_.erase(idlest);
    }
    return &shown_.emplace(name, Shown{slot, {}}).first->second;
}

}  // namespace petrel::daemon
