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
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "fabric/device_state.hpp"
#include "fabric/link_log.hpp"
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

// What is connected to a port, by one of three: the file of cables, the agent of the port, or an agent that reports the
// port as the neighbour of one of its own.
struct NeighbourClaim {
    enum class By : std::uint8_t { cables, agent, far_end };
    By by{};
    PortName neighbour;
    bool operator==(const NeighbourClaim&) const = default;
};
std::string_view name(NeighbourClaim::By);  // "cables"

struct ShownPort {
    PortName name;
    std::optional<PortName> neighbour;
    Sight sight;                          // of its device
    std::vector<PortErrorRecord> errors;  // the oldest first, including closed ones
    LinkState link{};                     // as the agent last reported
    std::vector<QueueState> queues{};
    std::vector<NeighbourClaim> disagreement{};  // the different claims; empty: all agree
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

// An end whose device does not report is unavailable: a host is reached over the link that is down.
struct ShownEnd {
    PortName name;
    Sight sight;
    LinkDowns history;
    LinkState link{};                     // as its agent last reported
    bool quarantined{};                   // it goes down too often: its registers are not cleared
    std::optional<LinkDown> registers{};  // the event that the registers of the port hold; none: they are clear
    std::uint32_t later{};                // events after it that are not cleared either
    bool available() const { return sight.reports; }
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
    static constexpr Duration kSilentAfter = std::chrono::seconds{60};

    explicit FabricView(const Cables& cables = {}, Duration silent_after = kSilentAfter);

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

    // By the file of cables, else by the port's agent, else by the only other port whose agent names this one.
    std::optional<PortName> neighbour(const PortName&) const;

    // All in the order of names, storms by age. Ports have reports of errors, a state or a cable; links have gone down
    // or have a neighbour.
    std::vector<ShownDevice> devices(Instant now) const;
    std::vector<ShownPort> ports(Instant now) const;
    std::vector<ShownLink> links(const Now&) const;
    std::vector<ShownStorm> storms(Instant now) const;

    // By port, the errors that the device's agent has reported and not closed.
    std::vector<std::pair<std::string, PortErrorRecord>> open_errors(const std::string& device) const;

    // The link-down registers of the device that may be cleared, with the number of the last event in each: the manager
    // has stored the event, the link is up again, and it is not quarantined.
    std::map<std::string, std::uint64_t> to_clear(const std::string& device, WallTime now) const;

    // The messages without which the present state would be forgotten: those that opened an error that is open, and the
    // last one of each link. Those of a source in their order.
    std::map<Source, std::vector<Position>> standing() const;

private:
    struct Reports {
        std::map<std::uint64_t, NumberRanges> numbers;  // by epoch; of agents only
        PortErrors errors;
        std::map<std::string, LinkLog> links;  // by port
    };
    struct Heard {
        std::optional<Instant> mono;  // none: not by this process, or the connection has ended
        WallTime wall;
    };

    std::set<std::string> device_names() const;
    std::vector<NeighbourClaim> claims(const PortName&) const;
    void note_claims(const DeviceState&, bool hold);
    const PortState* state_of(const PortName&) const;
    ShownPort shown_port(const PortName&, Instant now) const;
    Sight sight(const std::string& device, Instant now) const;
    std::vector<PortErrorRecord> errors(const PortName&) const;
    LinkDowns downs(const PortName&) const;
    ShownEnd end(const PortName&, LinkDowns, const Now&) const;

    std::map<PortName, PortName> neighbours_;          // by cable
    std::map<std::string, DeviceState> states_;        // ports in the order of names
    std::map<PortName, std::set<PortName>> named_by_;  // by port, the ports whose agents name it as their neighbour
    Duration silent_after_;
    std::map<Source, Reports> sources_;
    std::map<std::string, Heard> heard_;
};

}  // namespace petrel::fabric
