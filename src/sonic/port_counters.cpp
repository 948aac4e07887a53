#include "sonic/port_counters.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "sonic/batch.hpp"

namespace petrel::sonic {

void PortCounters::update(const std::string& port, std::uint8_t priority, WallTime at,
                          const watchdog::PfcCounts& counts)
{
    const std::array<std::pair<std::string_view, std::optional<std::uint64_t>>, 4> values{
        {{"RX_PKTS", counts.rx_frames},
         {"TX_PKTS", counts.tx_frames},
         {"ON2OFF_RX_PKTS", counts.pauses_ended},
         {"RX_PAUSE_DURATION_US", counts.pause_us}}};
    for (const auto& [name, value] : values) {
        if (value) {
            put(port, fmt::format("SAI_PORT_STAT_PFC_{}_{}", priority, name), fmt::format("{}", *value));
        }
    }
    for (const auto& [field, value] : histories_.see(port, priority, at, counts)) {
        put(port, field, value);
    }
}

void PortCounters::put(const std::string& port, const std::string& field, std::string value)
{
    if (auto& known = values_[port][field]; known != value) {
        known = value;
        unwritten_[port][field] = std::move(value);
    }
}

Result<void> PortCounters::write(Store& store, const QueueTables& tables)
{
    if (const auto begun = histories_.begin(store, tables); !begun) {
        return begun;
    }
    if (beginning_ != tables.beginnings()) {
        unwritten_ = values_;
    }
    Batch batch{store};
    Ports nameless;
    for (const auto& [port, fields] : unwritten_) {
        if (const auto* object = tables.port_object(port)) {
            batch.add(Db::counters, {Change::Kind::set, fmt::format("COUNTERS:{}", *object), fields});
        } else {
            nameless.emplace(port, fields);
        }
    }
    return batch.end().map([&] {
        beginning_ = tables.beginnings();
        unwritten_ = std::move(nameless);
    });
}

}  // namespace petrel::sonic
