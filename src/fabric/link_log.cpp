#include "fabric/link_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace petrel::fabric {
namespace {

// The messages of an agent that does not number its events have the time alone.
LinkDown went_down(const Message& message, WallTime observed_at)
{
    LinkDown down;
    down.cause = message.cause;
    down.at = message.at;
    down.observed_at = observed_at;
    down.text = message.text;
    if (const auto& reason = message.link) {
        down.number = reason->number;
        down.ldr = reason->ldr;
        down.nldr = reason->nldr;
        down.list = reason->list;
        down.code = reason->code;
    }
    return down;
}

// Any two times, also those of a source whose clock is wrong.
WallTime::duration between(WallTime a, WallTime b)
{
    const auto [first, last] = std::minmax({a.time_since_epoch().count(), b.time_since_epoch().count()});
    const auto us = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    constexpr auto kMost = static_cast<std::uint64_t>(WallTime::duration::max().count());
    return WallTime::duration{static_cast<WallTime::rep>(std::min(us, kMost))};
}

// The index of the event of `others` that is closest in time; none: none is close enough.
std::optional<std::size_t> closest(const LinkDowns& others, WallTime at)
{
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const auto distance = between(others[i].at, at);
        if (distance <= kSameEventWithin && (!found || distance < between(others[*found].at, at))) {
            found = i;
        }
    }
    return found;
}

// An end that did not take the link down knows no cause.
link::Canonical own_cause(const LinkDown& down)
{
    return down.ldr == link::kNeighborUnknown && down.cause == link::kNeighborUnknown ? link::kNoReason
           : down.number != 0 && down.ldr == link::kNoReason                          ? link::kNoReason
                                                                                      : down.cause;
}

}  // namespace

void LinkLog::put(const Message& message)
{
    auto key = message;
    key.observed_at = {};
    auto& observed_at = messages_.try_emplace(std::move(key), message.observed_at).first->second;
    observed_at = std::min(observed_at, message.observed_at);
    if (messages_.size() > kMessagesKept) {
        messages_.erase(messages_.begin());
    }
}

// A link_up with a number ends the event of that number; one without ends the last event.
LinkDowns LinkLog::downs() const
{
    LinkDowns history;
    for (const auto& [message, observed_at] : messages_) {
        if (message.kind == Message::Kind::link_down) {
            history.push_back(went_down(message, observed_at));
            continue;
        }
        const auto ended = std::find_if(history.rbegin(), history.rend(), [&](const LinkDown& down) {
            return !message.link || down.number == message.link->number;
        });
        if (ended != history.rend() && !ended->up_at) {
            ended->up_at = message.at;
        }
    }
    return history;
}

void join_ends(LinkDowns& a, LinkDowns& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto j = closest(b, a[i].at);
        if (j && closest(a, b[*j].at) == i) {
            a[i].far_cause = own_cause(b[*j]);
            b[*j].far_cause = own_cause(a[i]);
        }
    }
}

bool is_quarantined(const LinkDowns& downs, WallTime now, const link::FlapPolicy& policy)
{
    constexpr std::chrono::days kFar{365};  // beyond any window: what a wrong clock gives is no reason to overflow
    link::FlapGuard guard{policy};
    for (const auto& down : downs) {
        guard.bounced(std::clamp<WallTime>(down.at, now - kFar, now + kFar));
    }
    return guard.state(now) == link::FlapState::quarantined;
}

std::optional<std::uint64_t> may_be_cleared(const LinkDowns& downs, std::uint64_t first)
{
    std::optional<std::uint64_t> last;
    for (const auto& down : downs) {
        if (down.number == (last ? *last + 1 : first) && down.number != 0 && down.up_at) {
            last = down.number;
        }
    }
    return last;
}

}  // namespace petrel::fabric
