#include "device/nic_port.hpp"

#include <algorithm>

namespace petrel::device {

using watchdog::Field;
using watchdog::Sample;

void NicPort::combine(std::span<const Sample> priorities, Sample& port)
{
    static constexpr std::array<Field, kCombined> kFieldOf{Field::rx_packets, Field::pause_tx, Field::pause_tx_us};
    const bool first = last_.empty();
    last_.resize(priorities.size());
    for (std::size_t f = 0; f != kCombined; ++f) {
        const auto field = kFieldOf[f];
        if (!std::ranges::all_of(priorities, [&](const Sample& one) { return has(one.known, field); })) {
            port.known &= ~bit(field);
            continue;
        }
        std::uint64_t growth = 0;
        bool backwards = false;
        for (std::size_t p = 0; p != priorities.size(); ++p) {
            const auto now = priorities[p][field];
            const auto before = last_[p][f];
            backwards = backwards || now < before;
            const auto grown = now < before ? 0 : now - before;
            growth = field == Field::rx_packets ? growth + grown : std::max(growth, grown);
            last_[p][f] = now;
        }
        total_[f] = backwards || first ? 0 : total_[f] + growth;
        port.known |= bit(field);
        port[field] = total_[f];
    }
}

}  // namespace petrel::device
