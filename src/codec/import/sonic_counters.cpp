#include "codec/import/sonic_counters.hpp"

#include <algorithm>
#include <charconv>

#include "codec/import/counter_names.hpp"

namespace petrel::codec {

SonicCounters::SonicCounters(std::array<control::TableHash, 3> name_maps)
{
    for (std::size_t i = 0; i != name_maps.size(); ++i) {
        for (const auto& [name, object] : name_maps[i]) {
            Object one{name, std::nullopt};
            if (i != 0) {  // "Ethernet0:3"; queues from 8 on are those of multicast
                const auto colon = name.rfind(':');
                unsigned priority{};
                const auto* end = name.data() + name.size();
                const auto read =
                    std::from_chars(colon == std::string::npos ? end : name.data() + colon + 1, end, priority);
                if (read.ec != std::errc{} || read.ptr != end || priority >= kPriorities) {
                    continue;
                }
                one = {name.substr(0, colon), static_cast<std::uint8_t>(priority)};
            }
            keys_.push_back("COUNTERS:" + object);
            objects_.push_back(std::move(one));
        }
    }
}

std::vector<Column> SonicCounters::columns()
{
    using enum watchdog::Field;
    std::vector<Column> columns;
    for (const auto field : {paused_now, pause_us, rx_pfc, on2off, tx_packets, tx_bytes, tx_drops, rx_packets, rx_drops,
                             occupancy, pause_tx, pause_tx_us}) {
        columns.push_back(column_of(field));
    }
    return columns;
}

void SonicCounters::read(std::int64_t at_us, const std::vector<control::TableHash>& hashes, const std::string& device,
                         Recording& into) const
{
    for (std::size_t i = 0; i != std::min(hashes.size(), objects_.size()); ++i) {
        for (const auto& [name, text] : hashes[i]) {
            const auto meaning = sai_counter(name);
            const auto value = meaning ? recorded_value(text, 1) : std::nullopt;
            if (meaning && value && *value) {
                into.add({device, objects_[i].port, meaning->priority ? meaning->priority : objects_[i].priority},
                         at_us, meaning->column, **value);
            }
        }
    }
}

}  // namespace petrel::codec
