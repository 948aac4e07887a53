#include "daemon/event_order.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "codec/event_json.hpp"

namespace petrel::daemon {

std::vector<const runtime::StoredEvent*> in_order(std::span<const std::deque<runtime::StoredEvent>* const> devices)
{
    struct Placed {
        std::int64_t latest_us{};  // the latest time of the device's events up to this one
        std::size_t place{};       // index among all events, device by device
        const runtime::StoredEvent* event{};
    };
    std::vector<Placed> placed;
    for (const auto* events : devices) {
        std::int64_t latest_us = INT64_MIN;
        for (const auto& event : *events) {
            latest_us = std::max(latest_us, codec::event_time_us(event.json));
            placed.push_back({latest_us, placed.size(), &event});
        }
    }
    std::ranges::sort(placed, {}, [](const Placed& one) { return std::pair{one.latest_us, one.place}; });
    std::vector<const runtime::StoredEvent*> all;
    all.reserve(placed.size());
    std::ranges::transform(placed, std::back_inserter(all), &Placed::event);
    return all;
}

}  // namespace petrel::daemon
