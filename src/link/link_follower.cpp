#include "link/link_follower.hpp"

#include <algorithm>

#include "link/decode.hpp"
#include "link/reasons.hpp"

namespace petrel::link {
namespace {

Histories numbered(const NamedHistories& named)
{
    Histories histories;
    for (const auto& [name, history] : named) {
        histories.emplace(PortId{{}, static_cast<std::uint16_t>(histories.size())}, history);
    }
    return histories;
}

std::uint8_t nearest_reason(const RawCode& code)
{
    const auto known = cause(decode(code).canonical);
    const bool decided_here = known.cause_class != CauseClass::phy || known.wire != kUnknownReason;
    return decided_here ? known.wire : kNeighborUnknown;
}

// The registers of a link that went down. Code and reason of the neighbour are those of the last time; earlier ones are
// not known.
Registers registers_of(const LinkSample& seen, bool last, std::uint64_t seq)
{
    if (!last) {
        return {kNeighborUnknown, kNoReason, seq};
    }
    const auto nldr = seen.nldr.value_or(kNoReason);
    if (seen.disabled) {
        return {kSwitchManagement, nldr, seq};
    }
    const bool has_code = seen.code && seen.code->code != 0;
    const auto ldr = has_code ? nearest_reason(*seen.code) : kNoReason;
    return {ldr == kNoReason && nldr == kNoReason ? kNeighborUnknown : ldr, nldr, seq};
}

}  // namespace

LinkFollower::LinkFollower(const NamedHistories& remembered, FlapPolicy flaps) : keeper_(flaps, numbered(remembered))
{
    for (const auto& [name, history] : remembered) {
        port(name).met = true;
    }
}

std::vector<LinkChange> LinkFollower::follow(std::span<const LinkSample> samples, WallTime now)
{
    std::vector<LinkChange> changes;
    for (auto& [name, known] : ports_) {
        known.up.reset();
    }
    for (const auto& seen : samples) {
        auto& known = port(seen.port);
        bool up = was_up(known, seen);
        if (up && !known.met) {
            changes.push_back({seen.port, true, {}});
        }
        auto downs = std::clamp<std::uint32_t>(seen.downs, up && !seen.up ? 1 : 0, PortHistory::kKept);
        for (; downs != 0; --downs) {
            if (!up) {
                changes.push_back(came_up(known, seen.port, now));
            }
            changes.push_back(went_down(known, seen, downs == 1, now));
            up = false;
        }
        if (seen.up && !up) {
            changes.push_back(came_up(known, seen.port, now));
        }
        known.met = known.met || seen.up || seen.downs != 0;
        known.up = seen.up;
        known.receives_reasons = seen.nldr.has_value();
    }
    return changes;
}

bool LinkFollower::was_up(const Port& known, const LinkSample& seen)
{
    if (!known.met) {
        return seen.up || seen.downs != 0;
    }
    const auto events = keeper_.history(known.id).events();
    return events.empty() || events.back().up_at.has_value();
}

LinkChange LinkFollower::went_down(const Port& known, const LinkSample& seen, bool last, WallTime now)
{
    LinkReading reading;
    reading.registers = registers_of(seen, last, keeper_.history(known.id).newest() + 1);
    reading.event_at = now;
    const PortReport report{known.id, reading, true, last ? seen.code : std::nullopt};
    keeper_.sweep({&report, 1}, now);
    return {seen.port, false, keeper_.history(known.id).events().back()};
}

LinkChange LinkFollower::came_up(const Port& known, const std::string& name, WallTime now)
{
    keeper_.came_up(known.id, now);
    const auto events = keeper_.history(known.id).events();
    return {name, true, events.empty() ? DownEvent{} : events.back()};
}

std::vector<DownEvent> LinkFollower::acknowledge(const std::string& name, std::uint64_t seq)
{
    const auto at = ports_.find(name);
    if (at == ports_.end()) {
        return {};
    }
    const auto& history = keeper_.history(at->second.id);
    const auto* first = history.first_unacknowledged();
    const auto from = first == nullptr ? 0 : first->seq;
    if (!keeper_.acknowledge(at->second.id, seq)) {
        return {};
    }
    std::vector<DownEvent> done;
    std::copy_if(history.events().begin(), history.events().end(), std::back_inserter(done),
                 [&](const DownEvent& event) { return event.seq >= from && event.seq <= seq; });
    return done;
}

bool LinkFollower::receives_reasons(const std::string& name) const
{
    const auto known = ports_.find(name);
    return known != ports_.end() && known->second.receives_reasons;
}

std::vector<FollowedLink> LinkFollower::links(WallTime now)
{
    std::vector<FollowedLink> all;
    for (const auto& [name, known] : ports_) {
        all.push_back(
            {name, known.up, known.receives_reasons, keeper_.quarantined(known.id, now), &keeper_.history(known.id)});
    }
    return all;
}

NamedHistories LinkFollower::histories()
{
    NamedHistories all;
    for (const auto& [name, known] : ports_) {
        if (known.met) {
            all.emplace(name, keeper_.history(known.id));
        }
    }
    return all;
}

LinkFollower::Port& LinkFollower::port(const std::string& name)
{
    const PortId next{{}, static_cast<std::uint16_t>(ports_.size())};
    return ports_.try_emplace(name, Port{next, {}, {}, {}}).first->second;
}

}  // namespace petrel::link
