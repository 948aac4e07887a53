#include "sonic/port_histories.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace petrel::sonic {

void PortHistories::configure(const Config& config)
{
    const auto before = std::exchange(ports_, {});
    for (const auto& port : config.ports) {
        if (port.history) {
            const auto at = before.find(port.name);
            ports_.emplace(port.name, at != before.end() ? at->second : std::vector<Queue>{});
        }
    }
}

Result<void> PortHistories::begin(Store& store, const QueueTables& tables)
{
    std::vector<std::vector<Queue>*> begins;
    std::vector<std::string> keys;
    for (auto& [port, queues] : ports_) {
        if (const auto* object = tables.port_object(port); object != nullptr && queues.empty()) {
            begins.push_back(&queues);
            keys.push_back("COUNTERS:" + *object);
        }
    }
    if (keys.empty()) {
        return {};
    }
    return store.hashes(Db::counters, keys).map([&](const std::vector<Hash>& shown) {
        for (std::size_t i = 0; i != keys.size(); ++i) {
            for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
                begins[i]->push_back({PauseHistory{Priority{priority}, shown[i]}, {}});
            }
        }
    });
}

Hash PortHistories::see(const std::string& port, std::uint8_t priority, WallTime at, const watchdog::PfcCounts& counts)
{
    const auto found = ports_.find(port);
    if (found == ports_.end() || priority >= found->second.size()) {
        return {};
    }
    auto& [history, read_at] = found->second[priority];
    const auto before = std::exchange(read_at, counts.read_at);
    if (before == read_at) {
        return {};  // no new look
    }
    PauseLook look{at, {}, counts.paused, counts.pause_us};
    if (before != Instant{}) {
        look.interval = std::chrono::floor<std::chrono::microseconds>(read_at - before);
    }
    return history.see(look) ? history.fields() : Hash{};
}

}  // namespace petrel::sonic
