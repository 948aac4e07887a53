// The manager's view of a fabric: which ports are in error, why links went down on both ends, and which devices report.
// A pure function of the set of messages and of time: messages may arrive in any order and repeatedly.
//
// A device that does not report is unknown, never healthy: its ports and links show the state that it last reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "fabric/device_state.hpp"
#include "fabric/message.hpp"
#include "fabric/number_ranges.hpp"
#include "fabric/port_errors.hpp"

namespace petrel::fabric {

// Whether the manager receives reports of a device.
struct Sight {
    bool reports{};
    std::optional<WallTime> heard_at;  // the last report, by the manager's clock; none: the device never reported
    bool operator==(const Sight&) const = default;
};

struct ShownDevice {
    std::string name;
    Sight sight;
    std::uint64_t missing{};  // messages of its agent that the manager did not receive
    std::string state{};      // as its agent last reported; empty: it did not
    bool operator==(const ShownDevice&) const = default;
};

struct ShownPort {
    PortName name;
    std::optional<PortName> neighbour;
    Sight sight;                          // of its device
    std::vector<PortErrorRecord> errors;  // the oldest first, including closed ones
    LinkState link{};                     // as the agent last reported
    std::vector<QueueState> queues{};
    bool in_error() const;
    bool operator==(const ShownPort&) const = default;
};

// An error that is open: a storm, or a pause that lasts too long.
struct ShownStorm {
    PortName port;
    std::optional<PortName> neighbour;
    Sight sight;
    PortErrorRecord error;
    bool operator==(const ShownStorm&) const = default;
};

// One time that a link went down, as one end reported it.
struct LinkDown {
    link::Canonical cause{};
    std::uint8_t neighbour_reason{};
    WallTime at{};
    std::optional<WallTime> up_at;  // none: the link is still down, or its return was not reported
    std::string text;
    bool operator==(const LinkDown&) const = default;
};

struct ShownEnd {
    PortName name;
    Sight sight;
    std::vector<LinkDown> history;  // the oldest first
    bool down() const { return !history.empty() && !history.back().up_at; }
    bool operator==(const ShownEnd&) const = default;
};

// Both ends of a cable, or one end whose neighbour is not known.
struct ShownLink {
    ShownEnd end;
    std::optional<ShownEnd> far_end;
    bool operator==(const ShownLink&) const = default;
};

class FabricView {
public:
    static constexpr std::size_t kLinkMessagesKept = 128;  // per port and source; the oldest are dropped

    explicit FabricView(const Cables& cables = {}, Duration silent_after = std::chrono::seconds{60});

    // A message that has just arrived, or that arrived earlier and was stored.
    void apply(const Message&);

    // The present state of a device. Replaces its former one.
    void set_state(DeviceState);

    // An earlier process received the messages of the agent up to this number, and they are not applied any more.
    void received_before(const std::string& device, std::uint64_t epoch, std::uint64_t number);

    // A message that arrived earlier. Its effect is applied separately, if it has one.
    void received(const Source&, Position);

    // The device has just reported, with or without a message.
    void heard(const std::string& device, Now);
    // It reported to an earlier process, at this time.
    void heard_before(const std::string& device, WallTime);
    // The connection to its agent has ended: it is unknown until it reports again.
    void lost(const std::string& device);

    std::optional<PortName> neighbour(const PortName&) const;

    // All in the order of names, storms by age. Ports have reports of errors, a state or a cable; links have gone down
    // or have a cable.
    std::vector<ShownDevice> devices(Instant now) const;
    std::vector<ShownPort> ports(Instant now) const;
    std::vector<ShownLink> links(Instant now) const;
    std::vector<ShownStorm> storms(Instant now) const;

    // The messages without which the present state would be forgotten: those that opened an error that is open, and the
    // last one of each link.
    std::map<Source, std::vector<Position>> standing() const;

private:
    struct Reports {
        std::map<std::uint64_t, NumberRanges> numbers;  // by epoch; of agents only
        PortErrors errors;
        std::map<std::string, std::set<Message>> links;  // by port, in the order of the source
    };
    struct Heard {
        std::optional<Instant> mono;  // none: not by this process, or the connection has ended
        WallTime wall;
    };

    std::set<std::string> device_names() const;
    const PortState* state_of(const PortName&) const;
    ShownPort shown_port(const PortName&, Instant now) const;
    Sight sight(const std::string& device, Instant now) const;
    std::vector<PortErrorRecord> errors(const PortName&) const;
    ShownEnd end(const PortName&, Instant now) const;

    std::map<PortName, PortName> neighbours_;    // by cable
    std::map<std::string, DeviceState> states_;  // ports in the order of names
    Duration silent_after_;
    std::map<Source, Reports> sources_;
    std::map<std::string, Heard> heard_;
};

}  // namespace petrel::fabric
