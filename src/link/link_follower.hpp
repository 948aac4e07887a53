// Follows the links of a device whose ports do not number their events: finds each time a link goes down and comes
// up again, gives each event its number, and lets a LinkKeeper log it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "link/link_keeper.hpp"
#include "link/link_sample.hpp"

namespace petrel::link {

// A link went down, or came up again.
struct LinkChange {
    std::string port;
    bool up{};
    DownEvent event;  // as logged: the event that began or ended; seq 0: the link is up when it is first seen
    bool operator==(const LinkChange&) const = default;
};

struct FollowedLink {
    std::string port;
    std::optional<bool> up;   // none: the device does not report it at present
    bool receives_reasons{};  // of its neighbour
    bool quarantined{};
    const PortHistory* history{};
};

class LinkFollower {
public:
    explicit LinkFollower(const NamedHistories& remembered = {}, FlapPolicy flaps = {});

    // Takes a sample of each port that the device has at present. A link that is remembered as up and is down now went
    // down meanwhile. A port that is seen for the first time, and is down, records nothing: its link was not up.
    std::vector<LinkChange> follow(std::span<const LinkSample>, WallTime now);

    // The events that this acknowledges; none: there is no such event, or it is acknowledged already.
    std::vector<DownEvent> acknowledge(const std::string& port, std::uint64_t seq);

    // Whether the device reports the reasons of the port's neighbour.
    bool receives_reasons(const std::string& port) const;

    std::vector<FollowedLink> links(WallTime now);  // in the order of names
    NamedHistories histories();                     // to be remembered: of ports whose link has been up

private:
    struct Port {
        PortId id;
        std::optional<bool> up;
        bool receives_reasons{};
        bool met{};  // its link has been up, in this process or an earlier one
    };

    Port& port(const std::string& name);
    bool was_up(const Port&, const LinkSample&);
    LinkChange went_down(const Port&, const LinkSample&, bool last, WallTime now);
    LinkChange came_up(const Port&, const std::string& name, WallTime now);

    LinkKeeper keeper_;
    std::map<std::string, Port> ports_;
};

}  // namespace petrel::link
