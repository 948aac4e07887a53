// The rows of each port, and the sites. A site is the target of a command: one row, or a port with all its rows. Site
// numbers count the rows first, then the ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "watchdog/observation.hpp"

namespace petrel::watchdog {

class RowMap {
public:
    explicit RowMap(const Inventory&);

    std::uint32_t rows() const { return static_cast<std::uint32_t>(targets_.size()); }
    std::uint32_t sites() const { return rows() + static_cast<std::uint32_t>(first_.size()) - 1; }
    const Target& target(std::uint32_t row) const { return targets_[row]; }

    std::span<const std::uint32_t> port_rows(std::size_t port) const
    {
        return port + 1 < first_.size() ? std::span{by_port_}.subspan(first_[port], first_[port + 1] - first_[port])
                                        : std::span<const std::uint32_t>{};
    }

    std::uint32_t port_site(std::uint32_t row) const { return rows() + targets_[row].port.index; }

    // The rows that a command to this site concerns.
    std::span<const std::uint32_t> rows_at(std::uint32_t site) const
    {
        return site < rows() ? std::span{self_}.subspan(site, 1) : port_rows(site - rows());
    }

    Target site_target(std::uint32_t site) const
    {
        return site < rows() ? targets_[site] : Target{targets_[rows_at(site).front()].port, std::nullopt};
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
    std::vector<Target> targets_;
    std::vector<std::uint32_t> first_;  // index of each port's first row in by_port_, and one more at the end
    std::vector<std::uint32_t> by_port_;
    std::vector<std::uint32_t> self_;  // self_[row] == row, to show a single row as a span
};

}  // namespace petrel::watchdog
