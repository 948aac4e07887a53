// Faults and repairs of a scenario, as data, and the function that schedules them in a twin. A new kind of fault needs
// a struct here, a put() in fault.cpp and a row in the reader.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "topology/topology.hpp"
#include "twin/twin.hpp"

namespace petrel::scenario {

using topology::NodeId;
using twin::Ps;

struct StartStorm {
    NodeId host;
    twin::Storm storm;
};
struct StopStorms {
    NodeId host;
};
struct StopPipeline {
    NodeId host;
};
struct LimitPipeline {
    NodeId host;
    BitRate rate;
};
struct HealPipeline {
    NodeId host;
};
struct KillHost {
    NodeId host;
};
struct RebootHost {
    NodeId host;
};
struct CutLink {
    std::uint32_t link{};
};
struct RepairLink {
    std::uint32_t link{};
};
struct SetSpeed {  // the ends train again and negotiate another speed
    std::uint32_t link{};
    BitRate speed;
    Ps down{};  // duration of the training
    std::uint8_t lanes{twin::kLanes};
};
struct LoseLanes {  // the link stays up with fewer lanes if the policies of its ports allow it
    std::uint32_t link{};
    std::uint8_t lanes{};  // the rest
};
struct SwitchPort {  // the transmitter of one port, of a switch or of a NIC
    topology::End end;
    bool on{};
};
struct TakeDown {  // switches a transmitter off with a reason for the other end; SwitchPort switches it on again
    topology::End end;
    twin::PortDown down;
};
struct LosePower {  // a port loses power: it is off and its registers are 0; SwitchPort switches it on again
    topology::End end;
};
struct SlowPort {  // a switch port with a faulty scheduler
    topology::End end;
    std::optional<BitRate> rate;  // the highest rate of data; none = no data
};
struct HealPort {
    topology::End end;
};
struct Reroute {  // new routes of all switches, without these links; empty = the original routes
    std::vector<std::uint32_t> without;
};
struct SetRoute {  // a route of one switch, even one that loops; no ports: the address becomes unknown
    NodeId at;
    NodeId to;
    std::vector<std::uint16_t> ports;
};
struct SetAlpha {
    NodeId at;
    std::vector<std::uint8_t> ports;
    std::uint8_t group{};
    std::int8_t exponent{};
};

struct Fault {
    Ps at{};
    std::variant<StartStorm, StopStorms, StopPipeline, LimitPipeline, HealPipeline, KillHost, RebootHost, CutLink,
                 RepairLink, SetSpeed, LoseLanes, SwitchPort, TakeDown, LosePower, SlowPort, HealPort, Reroute,
                 SetRoute, SetAlpha>
        what;
};

void schedule(std::span<const Fault>, twin::Twin&);

}  // namespace petrel::scenario
