#include "watchdog/row_map.hpp"

#include <numeric>

namespace petrel::watchdog {

RowMap::RowMap(const Inventory& inventory)
{
    std::size_t ports = 0;
    targets_.reserve(inventory.rows.size());
    for (const auto& row : inventory.rows) {
        targets_.push_back(row.target);
        ports = std::max<std::size_t>(ports, row.target.port.index + 1U);
    }
    self_.resize(targets_.size());
    std::iota(self_.begin(), self_.end(), 0U);

    first_.resize(ports + 1);
    for (const auto& target : targets_) {
        ++first_[target.port.index + 1U];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    by_port_.resize(targets_.size());
    auto next = first_;
    for (const auto row : self_) {
        by_port_[next[targets_[row].port.index]++] = row;
    }
}

}  // namespace petrel::watchdog
