// The manager's side of link-down reasons: it reads what the ends hold, logs each event once, and only then arms the
// port and clears the registers, naming the event it has read. What it logged survives a restart and the absence of a
// port.
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
    bool reachable{true};  // a NIC is managed over its own link: down, it cannot be asked
};

using Histories = std::map<PortId, PortHistory>;

class LinkKeeper {
public:
    explicit LinkKeeper(FlapPolicy flaps = {}, const Histories& remembered = {});

    void sweep(std::span<const PortReport>, WallTime now);

    // Logs what the port holds; then the event to acknowledge in the request that arms it. None: it is not in Init,
    // cannot be reached, or is quarantined.
    std::optional<std::uint64_t> arm(const PortReport&, WallTime now);

    // The neighbour's reason for this event has come by another way, perhaps before the event was seen.
    void correlate(PortId, std::uint64_t seq, std::uint8_t cause);

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
