#include "runner/start.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace petrel::runner {

namespace {

std::set<Target> all_targets(const watchdog::Inventory& inventory)
{
    std::set<Target> all;
    for (const auto& row : inventory.rows) {
        all.insert(row.target);
        all.insert({row.target.port, std::nullopt});
    }
    return all;
}

bool is_journaled(const agent::Start& start, const Target& target)
{
    return std::ranges::find(start.journaled, target, &device::Active::target) != start.journaled.end();
}

}  // namespace

Result<agent::Start> gather_start(device::Device& device, device::Journal& journal,
                                  std::optional<watchdog::Checkpoint> remembered)
{
    auto journaled = journal.active();
    if (!journaled) {
        return tl::unexpected(std::move(journaled.error()));
    }
    agent::Start start;
    start.remembered = std::move(remembered);
    start.journaled = std::move(*journaled);
    auto unread = all_targets(device.inventory());
    if (device.capabilities().reads_back) {
        std::erase_if(unread, [&](const Target& target) {
            const auto shown = device.read_back(target);
            if (shown && *shown != watchdog::Treatment::none) {
                start.found.emplace_back(target, *shown);
                if (device.treated_by_others() && !is_journaled(start, target)) {
                    // Other software has applied it for a reason: keep it until quiet is proven.
                    start.journaled.push_back({target, *shown, {}, {}});
                }
            }
            return shown.has_value();
        });
    }
    for (const auto& active : start.journaled) {
        if (unread.contains(active.target)) {
            start.found.emplace_back(active.target, active.treatment);
        }
    }
    return start;
}

}  // namespace petrel::runner
