#include "device/sonic/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "sonic/config.hpp"

namespace petrel::device::sonic {

namespace {

std::string_view find(const db::Hash& map, const std::string& name)
{
    const auto at = map.find(name);
    return at != map.end() ? std::string_view{at->second} : std::string_view{};
}

// The order of rows tells which policy covers long stretches of them: ports of a switch follow each other.
void sort_by_number(std::vector<db::PortConfig>& ports)
{
    std::ranges::sort(ports, [](const db::PortConfig& a, const db::PortConfig& b) {
        return std::tuple{a.name.size(), std::string_view{a.name}} <
               std::tuple{b.name.size(), std::string_view{b.name}};
    });
}

}  // namespace

Result<Layout> read_layout(db::RedisStore& store)
{
    auto config = db::read_config(store, db::Role::detector);
    if (!config) {
        return tl::unexpected(std::move(config.error()));
    }
    const std::array<std::string, 2> names{"COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PORT_NAME_MAP"};
    const auto maps = store.hashes(db::Db::counters, names);
    if (!maps) {
        return tl::unexpected(maps.error());
    }
    sort_by_number(config->ports);
    Layout layout;
    for (const auto& port : config->ports) {
        PortPlace place{port.name, std::string{find((*maps)[1], port.name)}, port.speed,
                        static_cast<std::uint32_t>(layout.queues.size()), 0};
        const auto index = static_cast<std::uint16_t>(layout.ports.size());
        for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
            const bool wanted = ((unsigned{port.lossless} | unsigned{port.watched}) >> priority & 1U) != 0;
            const auto oid = find((*maps)[0], fmt::format("{}:{}", port.name, priority));
            if (wanted && !oid.empty()) {
                layout.queues.push_back({index, Priority{priority}, std::string{oid}});
                ++place.count;
            }
        }
        if (place.count != 0) {
            layout.ports.push_back(std::move(place));
        }
        if (layout.ports.size() == std::numeric_limits<std::uint16_t>::max()) {
            break;
        }
    }
    return layout;
}

}  // namespace petrel::device::sonic
