// What goes wrong (or is repaired) in a scenario, as data, and the one function that puts it on a twin's agenda. A new
// kind of fault is a struct here, a case there and a row in the reader.
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
struct MendLink {
    std::uint32_t link{};
};
struct SetSpeed {  // the ends train anew and agree on another speed
    std::uint32_t link{};
    BitRate speed;
    Ps down{};  // while they train
};
struct SwitchPort {  // the transmitter of one port, of a switch or of a NIC
    topology::End end;
    bool on{};
};
struct TakeDown {  // the same off, for a reason that the other end may hear; SwitchPort brings it back
    topology::End end;
    twin::Farewell farewell;
};
struct LosePower {  // a port without power: off, with its registers; SwitchPort brings it back
    topology::End end;
};
struct SlowPort {  // a switch port whose scheduler is sick
    topology::End end;
    std::optional<BitRate> rate;  // of data, at most; none = no data at all
};
struct HealPort {
    topology::End end;
};
struct Reroute {  // all switches, around these links; none = the routes of the beginning
    std::vector<std::uint32_t> without;
};
struct SetRoute {  // of one switch, even one that loops; no port at all: the address is forgotten
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
                 MendLink, SetSpeed, SwitchPort, TakeDown, LosePower, SlowPort, HealPort, Reroute, SetRoute, SetAlpha>
        what;
};

void schedule(std::span<const Fault>, twin::Twin&);

}  // namespace petrel::scenario
