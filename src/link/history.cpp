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
