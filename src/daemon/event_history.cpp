#include "daemon/event_history.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include "codec/event_json.hpp"
#include "daemon/event_order.hpp"

namespace petrel::daemon {

void EventHistory::add(const std::string& device, std::uint64_t seq, std::string json)
{
    auto& events = devices_[device];
    events.push_back({seq, std::move(json)});
    if (events.size() > most_) {
        events.pop_front();
    }
}

EventHistory::Lines EventHistory::last(const control::ControlRequest& request) const
{
    std::vector<const Events*> devices;
    std::map<std::string, Events> wanted;
    for (const auto& [name, events] : devices_) {
        if (!request.device.empty() && name != request.device) {
            continue;
        }
        if (!codec::chooses_events(request)) {
            devices.push_back(&events);
            continue;
        }
        auto& some = wanted[name];
        std::ranges::copy_if(events, std::back_inserter(some), [&, device = name](const runtime::StoredEvent& event) {
            return codec::wants_event(request, device, event.json);
        });
        devices.push_back(&some);
    }
    const auto all = in_order(devices);
    const auto first = request.last != 0 && request.last < all.size() ? all.size() - request.last : 0;
    Lines lines{{}, all.size() - first};
    for (auto i = first; i != all.size(); ++i) {
        lines.text += all[i]->json;
        lines.text += '\n';
    }
    return lines;
}

std::string EventHistory::find(const std::string& device, std::uint64_t seq) const
{
    const auto& events = of(device);
    const auto event = std::ranges::lower_bound(events, seq, {}, &runtime::StoredEvent::seq);
    return event != events.end() && event->seq == seq ? event->json : std::string{};
}

std::string EventHistory::last_about(const std::string& device, std::string_view port,
                                     std::optional<Priority> priority) const
{
    for (const auto& event : of(device) | std::views::reverse) {
        if (codec::is_about(event.json, port, priority)) {
            return event.json;
        }
    }
    return {};
}

const EventHistory::Events& EventHistory::of(const std::string& device) const
{
    static const Events none;
    const auto known = devices_.find(device);
    return known != devices_.end() ? known->second : none;
}

}  // namespace petrel::daemon
