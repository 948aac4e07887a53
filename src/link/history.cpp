#include "link/history.hpp"

#include <algorithm>

namespace petrel::link {

bool PortHistory::add(const DownEvent& event)
{
    const auto at = std::lower_bound(events_.begin(), events_.end(), event.seq,
                                     [](const DownEvent& known, std::uint64_t seq) { return known.seq < seq; });
    if (event.seq <= forgotten_ || (at != events_.end() && at->seq == event.seq)) {
        return false;
    }
    events_.insert(at, event);
    if (events_.size() > kKept) {
        forgotten_ = events_.front().seq;
        events_.erase(events_.begin());
    }
    return true;
}

DownEvent* PortHistory::find(std::uint64_t seq)
{
    const auto at = std::find_if(events_.begin(), events_.end(), [seq](const auto& known) { return known.seq == seq; });
    return at == events_.end() ? nullptr : &*at;
}

std::span<const DownEvent> PortHistory::shown() const { return events().last(std::min(kShown, events_.size())); }

}  // namespace petrel::link
