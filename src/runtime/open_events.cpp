#include "runtime/open_events.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "codec/event_reader.hpp"

namespace petrel::runtime {
namespace {

using watchdog::EventKind;

struct Effect {
    std::string what;
    bool opens{};
};

std::optional<Effect> effect_of(const StoredEvent& event)
{
    const auto line = codec::read_event(event.json);
    if (!line || !line->known || line->port.empty()) {
        return std::nullopt;
    }
    switch (line->known->kind) {
    case EventKind::storm_detected:
    case EventKind::storm_alert:
    case EventKind::storm_escalated:
    case EventKind::nic_latched: return Effect{"storm " + line->queue, true};
    case EventKind::storm_restored:
    case EventKind::storm_released: return Effect{"storm " + line->queue, false};
    case EventKind::pause_too_long: return Effect{"pause " + line->queue, true};
    case EventKind::pause_too_long_cleared: return Effect{"pause " + line->queue, false};
    case EventKind::link_down: return Effect{"link " + line->port, true};
    case EventKind::link_up: return Effect{"link " + line->port, false};
    default: return std::nullopt;
    }
}

}  // namespace

void OpenEvents::add(const StoredEvent& event)
{
    const auto effect = effect_of(event);
    if (!effect) {
        return;
    }
    if (effect->opens) {
        if (opened_by_.try_emplace(effect->what, event.seq).second) {
            numbers_.insert(event.seq);
        }
    } else if (const auto open = opened_by_.find(effect->what); open != opened_by_.end()) {
        numbers_.erase(open->second);
        opened_by_.erase(open);
    }
}

void OpenEvents::forget(const StoredEvent& event)
{
    if (numbers_.erase(event.seq) != 0) {
        std::erase_if(opened_by_, [&](const auto& open) { return open.second == event.seq; });
    }
}

}  // namespace petrel::runtime
