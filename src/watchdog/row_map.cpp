#include "watchdog/row_map.hpp"

#include <numeric>

namespace petrel::watchdog {

RowMap::RowMap(const Inventory& inventory) : targets_(inventory.rows.size())
{
    std::size_t ports = 0;
    for (std::uint32_t row = 0; row != inventory.rows.size(); ++row) {
        const auto& target = inventory.rows[row].target;
        rows_.push_back(Slot{row});
        targets_[Slot{row}] = target;
        ports = std::max<std::size_t>(ports, target.port.index + 1U);
    }

    first_.resize(ports + 1);
    for (const auto row : rows_) {
        ++first_[targets_[row].port.index + 1U];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    by_port_.resize(rows_.size());
    auto next = first_;
    for (const auto row : rows_) {
        by_port_[next[targets_[row].port.index]++] = row;
    }
}

}  // namespace petrel::watchdog
