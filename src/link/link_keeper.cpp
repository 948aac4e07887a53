#include "link/link_keeper.hpp"

namespace petrel::link {

LinkKeeper::LinkKeeper(FlapPolicy flaps, const Histories& remembered) : flaps_(flaps)
{
    for (const auto& [id, history] : remembered) {
        port(id).history = history;
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

void LinkKeeper::correlate(PortId id, std::uint64_t seq, std::uint8_t cause)
{
    auto& known = port(id);
    if (auto* event = known.history.find(seq)) {
        event->correlated_cause = event->correlated_cause.value_or(cause);
    } else if (!known.early || known.early->first != seq) {
        known.early = {seq, cause};
    }
}

bool LinkKeeper::quarantined(PortId id, WallTime now) { return port(id).flaps.state(now) == FlapState::quarantined; }

const PortHistory& LinkKeeper::history(PortId id) { return port(id).history; }

LinkKeeper::Port& LinkKeeper::port(PortId id)
{
    return ports_.try_emplace(id, Port{{}, FlapGuard{flaps_}, {}}).first->second;
}

void LinkKeeper::log(const PortReport& report, WallTime now)
{
    const auto& reading = report.reading;
    if (!report.reachable || !reading.settled || reading.registers.clear()) {
        return;
    }
    auto& known = port(report.port);
    const auto seq = reading.registers.seq;
    if (auto* event = known.history.find(seq)) {
        event->suppressed = reading.suppressed;  // it may have grown since
        return;
    }
    DownEvent event{seq, reading.registers.ldr, reading.registers.nldr,    reading.event_at, now,
                    {},  reading.suppressed,    reading.protocol_violation};
    if (known.early && known.early->first == seq) {
        event.correlated_cause = known.early->second;
        known.early.reset();
    }
    if (known.history.add(event)) {
        known.flaps.bounced(now);
    }
}

}  // namespace petrel::link
