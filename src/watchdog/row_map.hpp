// The rows of each port, and the sites. A site is the target of a command: one row, or a port with all its rows. Site
// numbers count the rows first, then the ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/indexed.hpp"
#include "watchdog/observation.hpp"

namespace petrel::watchdog {

using SiteId = Id<struct SiteTag>;

class RowMap {
public:
    explicit RowMap(const Inventory&);

    std::span<const Slot> rows() const { return rows_; }
    std::uint32_t sites() const { return row_count() + static_cast<std::uint32_t>(first_.size()) - 1; }
    const Target& target(Slot row) const { return targets_[row]; }

    std::span<const Slot> port_rows(std::size_t port) const
    {
        return port + 1 < first_.size() ? std::span{by_port_}.subspan(first_[port], first_[port + 1] - first_[port])
                                        : std::span<const Slot>{};
    }

    SiteId queue_site(Slot row) const { return {row.value}; }
    SiteId port_site(Slot row) const { return {row_count() + targets_[row].port.index}; }

    // The rows that a command to this site concerns.
    std::span<const Slot> rows_at(SiteId site) const
    {
        return is_queue(site) ? rows().subspan(site.value, 1) : port_rows(site.value - row_count());
    }

    Target site_target(SiteId site) const
    {
        const auto& target = targets_[rows_at(site).front()];
        return is_queue(site) ? target : Target{target.port, std::nullopt};
    }

    // The queue, or for a whole port all of its rows.
    template <class Do>
    void for_rows_of(const Target& target, Do what) const
    {
        for (const auto row : port_rows(target.port.index)) {
            if (!target.priority || targets_[row] == target) {
                what(row);
            }
        }
    }

private:
    std::uint32_t row_count() const { return static_cast<std::uint32_t>(rows_.size()); }
    bool is_queue(SiteId site) const { return site.value < row_count(); }

    IndexedVector<Slot, Target> targets_;
    std::vector<std::uint32_t> first_;  // index of each port's first row in by_port_, and one more at the end
    std::vector<Slot> by_port_;
    std::vector<Slot> rows_;  // all rows in their order
};

}  // namespace petrel::watchdog
