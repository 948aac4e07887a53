// The manager's side of link-down reasons: it reads the registers of the ends and logs each event once. Only then does
// it arm the port and clear the registers, with the sequence number that it has read. Its log survives a restart and
// the absence of a port.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "link/flap_guard.hpp"
#include "link/history.hpp"
#include "link/link_end.hpp"

namespace petrel::link {

struct PortReport {
    PortId port;
    LinkReading reading;
    bool reachable{true};          // a NIC is managed over its own link: while that is down, it cannot be read
    std::optional<RawCode> raw{};  // of a device with other codes than the registers
};

using Histories = std::map<PortId, PortHistory>;

class LinkKeeper {
public:
    explicit LinkKeeper(FlapPolicy flaps = {}, const Histories& remembered = {});

    void sweep(std::span<const PortReport>, WallTime now);

    // Logs the port's registers and returns the event number to acknowledge in the request that arms the port. None if
    // the port is not in Init, cannot be reached or is quarantined.
    std::optional<std::uint64_t> arm(const PortReport&, WallTime now);

    // The neighbour's reason for this event arrived by another path, perhaps before the event was logged.
    void correlate(PortId, std::uint64_t seq, std::uint8_t cause);

    // The link of the port is up again.
    void came_up(PortId, WallTime);
    // See PortHistory::acknowledge().
    bool acknowledge(PortId, std::uint64_t seq);

    bool quarantined(PortId, WallTime now);
    const PortHistory& history(PortId);

private:
    struct Port {
        PortHistory history;
        FlapGuard flaps;
    };

    Port& port(PortId);
    void log(const PortReport&, WallTime now);

    FlapPolicy flaps_;
    std::map<PortId, Port> ports_;
};

}  // namespace petrel::link
