#include "fabric/port_errors.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::fabric {
namespace {

using Kind = PortEvent::Kind;
using Closed = PortErrorRecord::Closed;

// Applies the events of one port in their order.
class Story {
public:
    void append(const PortEvent& event)
    {
        switch (event.kind) {
        case Kind::opened: open(event); break;
        case Kind::closed: close(event, Closed::by_event); break;
        case Kind::forgotten: close(event, Closed::forgotten); break;
        case Kind::link_down: link_down(event); break;
        case Kind::link_up: link_up_ = true; break;
        }
    }

    std::vector<PortErrorRecord> take() && { return std::move(errors_); }

private:
    static bool concerns(const PortEvent& event, const PortErrorRecord& error)
    {
        return error.closed == Closed::not_yet && error.priority == event.priority &&
               (error.cause == event.cause || event.cause == link::kNoReason);
    }

    void open(const PortEvent& event)
    {
        const auto known =
            std::find_if(errors_.begin(), errors_.end(), [&](auto& one) { return concerns(event, one); });
        if (known != errors_.end()) {
            ++known->times;
            known->last_boot = event.boot;
            known->last_seq = event.seq;
        } else if (link_up_) {
            errors_.push_back({event.cause,
                               event.priority,
                               event.raw,
                               1,
                               event.at,
                               {},
                               Closed::not_yet,
                               event.boot,
                               event.seq,
                               event.boot,
                               event.seq});
        }
    }

    void close(const PortEvent& event, Closed how)
    {
        for (auto& error : errors_) {
            if (concerns(event, error)) {
                end(error, how, event.at);
            }
        }
    }

    void link_down(const PortEvent& event)
    {
        link_up_ = false;
        for (auto& error : errors_) {
            if (error.closed == Closed::not_yet) {
                end(error, Closed::by_link_down, event.at);
            }
        }
    }

    static void end(PortErrorRecord& error, Closed how, WallTime at)
    {
        error.closed = how;
        error.closed_at = at;
    }

    std::vector<PortErrorRecord> errors_;
    bool link_up_{true};  // a port that reports errors has a link until it reports link_down
};

using Events = std::set<PortEvent>;

bool ends(const PortEvent& later, const PortEvent& event)
{
    if (event.kind == Kind::link_down) {
        return later.kind == Kind::link_up || later.kind == Kind::link_down;
    }
    const bool closes = later.kind == Kind::closed || later.kind == Kind::forgotten;
    return later.kind == Kind::link_down || (closes && later.priority == event.priority &&
                                             (later.cause == event.cause || later.cause == link::kNoReason));
}

// Whether the event still has an effect: its error is open, or its link is down.
bool stands(const Events& events, Events::const_iterator event)
{
    const bool begins = event->kind == Kind::opened || event->kind == Kind::link_down;
    return begins && std::none_of(std::next(event), events.end(), [&](auto& later) { return ends(later, *event); });
}

void drop_one(Events& events)
{
    std::vector<const PortEvent*> standing;
    for (auto event = events.begin(); event != events.end(); ++event) {
        const bool repeats = std::any_of(standing.begin(), standing.end(), [&](const PortEvent* one) {
            return one->kind == event->kind && one->priority == event->priority && one->cause == event->cause;
        });
        if (repeats || !stands(events, event)) {
            events.erase(event);
            return;
        }
        standing.push_back(&*event);
    }
    events.erase(events.begin());
}

}  // namespace

std::optional<PortEvent> port_event(const watchdog::Event& event, std::uint64_t boot, WallTime at)
{
    using watchdog::EventKind;
    const auto make = [&](Kind kind, link::Canonical cause) {
        return PortEvent{boot, event.seq, kind, cause, event.target.priority, at, std::string{name(event.kind)}};
    };
    switch (event.kind) {
    case EventKind::pause_too_long: return make(Kind::opened, link::kPauseTooLongFromPeer);
    case EventKind::storm_detected:
    case EventKind::storm_alert:
    case EventKind::storm_escalated:
    case EventKind::nic_latched: return make(Kind::opened, link::kStormMitigated);
    case EventKind::storm_restored:
    case EventKind::storm_released:
    case EventKind::pause_too_long_cleared: return make(Kind::closed, link::kNoReason);
    default: return std::nullopt;
    }
}

void PortErrors::put(const std::string& port, PortEvent event)
{
    auto& known = events_[port];
    known.insert(std::move(event));
    if (known.size() > kEventsKept) {
        drop_one(known);
    }
}

std::vector<PortErrorRecord> PortErrors::errors(const std::string& port) const
{
    const auto at = events_.find(port);
    if (at == events_.end()) {
        return {};
    }
    Story story;
    for (const auto& event : at->second) {
        story.append(event);
    }
    return std::move(story).take();
}

bool PortErrors::in_error(const std::string& port) const
{
    const auto all = errors(port);
    return std::any_of(all.begin(), all.end(), [](const auto& error) { return error.closed == Closed::not_yet; });
}

std::vector<std::string> PortErrors::ports() const
{
    std::vector<std::string> names;
    std::transform(events_.begin(), events_.end(), std::back_inserter(names),
                   [](const auto& one) { return one.first; });
    return names;
}

}  // namespace petrel::fabric
