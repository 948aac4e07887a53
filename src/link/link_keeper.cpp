#include "link/link_keeper.hpp"

namespace petrel::link {

LinkKeeper::LinkKeeper(FlapPolicy flaps, const Histories& remembered) : flaps_(flaps)
{
    for (const auto& [id, history] : remembered) {
        auto& known = port(id);
        known.history = history;
        for (const auto& event : history.events()) {
            known.flaps.bounced(event.observed_at);  // a restart does not end a quarantine
        }
    }
}

void LinkKeeper::sweep(std::span<const PortReport> reports, WallTime now)
{
    for (const auto& report : reports) {
        log(report, now);
    }
}

std::optional<std::uint64_t> LinkKeeper::arm(const PortReport& report, WallTime now)
{
    log(report, now);
    if (!report.reachable || report.reading.state != LinkState::init || quarantined(report.port, now)) {
        return std::nullopt;
    }
    return report.reading.registers.seq;
}

void LinkKeeper::correlate(PortId id, std::uint64_t seq, std::uint8_t cause) { port(id).history.correlate(seq, cause); }

void LinkKeeper::came_up(PortId id, WallTime at) { port(id).history.came_up(at); }

bool LinkKeeper::acknowledge(PortId id, std::uint64_t seq) { return port(id).history.acknowledge(seq); }

bool LinkKeeper::quarantined(PortId id, WallTime now) { return port(id).flaps.state(now) == FlapState::quarantined; }

const PortHistory& LinkKeeper::history(PortId id) { return port(id).history; }

LinkKeeper::Port& LinkKeeper::port(PortId id)
{
    return ports_.try_emplace(id, Port{{}, FlapGuard{flaps_}}).first->second;
}

void LinkKeeper::log(const PortReport& report, WallTime now)
{
    const auto& reading = report.reading;
    if (!report.reachable || !reading.settled || reading.registers.clear()) {
        return;
    }
    auto& known = port(report.port);
    const auto seq = reading.registers.seq;
    const auto* before = known.history.find(seq);
    // A link that went down again without being armed keeps its event number. Only the suppressed count shows it.
    const bool again = before != nullptr && before->suppressed < reading.suppressed;
    const bool first = known.history.add({seq,
                                          reading.registers.ldr,
                                          reading.registers.nldr,
                                          reading.event_at,
                                          now,
                                          {},
                                          reading.suppressed,
                                          reading.protocol_violation,
                                          report.raw});
    if (first || again) {
        known.flaps.bounced(now);
    }
}

}  // namespace petrel::link
