#include "link/history.hpp"

#include <algorithm>
#include <utility>

namespace petrel::link {

bool PortHistory::add(const DownEvent& event)
{
    const auto at = std::lower_bound(events_.begin(), events_.end(), event.seq,
                                     [](const DownEvent& known, std::uint64_t seq) { return known.seq < seq; });
    if (at != events_.end() && at->seq == event.seq) {
        at->correlated_cause = at->correlated_cause ? at->correlated_cause : event.correlated_cause;
        at->suppressed = std::max(at->suppressed, event.suppressed);
        at->up_at = at->up_at ? at->up_at : event.up_at;
        at->acknowledged = at->acknowledged || event.acknowledged;
        return false;
    }
    if (event.seq <= forgotten_) {
        return false;
    }
    events_.insert(at, event);
    if (awaited_ && awaited_->seq <= event.seq) {
        const auto [seq, cause] = *std::exchange(awaited_, std::nullopt);
        correlate(seq, cause);
    }
    if (events_.size() > kKept) {
        forgotten_ = events_.front().seq;
        events_.erase(events_.begin());
    }
    return true;
}

void PortHistory::correlate(std::uint64_t seq, std::uint8_t cause)
{
    if (auto* event = find(seq)) {
        event->correlated_cause = event->correlated_cause.value_or(cause);
    } else if (seq > newest() && (!awaited_ || awaited_->seq < seq)) {
        awaited_ = {seq, cause};
    }
}

void PortHistory::came_up(WallTime at)
{
    if (!events_.empty() && !events_.back().up_at) {
        events_.back().up_at = at;
    }
}

bool PortHistory::acknowledge(std::uint64_t seq)
{
    const auto* wanted = find(seq);
    if (wanted == nullptr || wanted->acknowledged) {
        return false;
    }
    for (auto& event : events_) {
        event.acknowledged = event.acknowledged || event.seq <= seq;
    }
    return true;
}

const DownEvent* PortHistory::first_unacknowledged() const
{
    const auto at = std::find_if(events_.begin(), events_.end(), [](const auto& event) { return !event.acknowledged; });
    return at == events_.end() ? nullptr : &*at;
}

DownEvent* PortHistory::find(std::uint64_t seq)
{
    const auto at = std::find_if(events_.begin(), events_.end(), [seq](const auto& known) { return known.seq == seq; });
    return at == events_.end() ? nullptr : &*at;
}

std::vector<DownEvent> PortHistory::shown(bool newest_first) const
{
    const auto last = events().last(std::min(kShown, events_.size()));
    return newest_first ? std::vector<DownEvent>{last.rbegin(), last.rend()}
                        : std::vector<DownEvent>{last.begin(), last.end()};
}

}  // namespace petrel::link
