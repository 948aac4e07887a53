#include "scenario/fault.hpp"

namespace petrel::scenario {

namespace {

using twin::Twin;

// A call on the NIC's view, at the fault's time.
template <class Act>
void on_nic(Twin& twin, NodeId host, Ps at, Act act)
{
    twin.at(host, at, [&twin, host, act](Ps now) {
        auto nic = twin.nic_view(host);
        act(nic, now);
    });
}

void put(const StartStorm& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [storm = f.storm](twin::NicView& nic, Ps now) { nic.start_storm(storm, now); });
}
void put(const StopStorms& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [](twin::NicView& nic, Ps now) { nic.stop_storms(now); });
}
void put(const StopPipeline& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [](twin::NicView& nic, Ps now) { nic.stop_pipeline(now); });
}
void put(const LimitPipeline& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [rate = f.rate](twin::NicView& nic, Ps now) { nic.limit_pipeline(rate, now); });
}
void put(const HealPipeline& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [](twin::NicView& nic, Ps now) { nic.heal_pipeline(now); });
}
void put(const KillHost& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [](twin::NicView& nic, Ps now) { nic.die(now); });
}
void put(const RebootHost& f, Ps at, Twin& twin)
{
    on_nic(twin, f.host, at, [](twin::NicView& nic, Ps now) { nic.reboot(now); });
}
void put(const CutLink& f, Ps at, Twin& twin) { twin.cut(f.link, at); }
void put(const RepairLink& f, Ps at, Twin& twin) { twin.repair(f.link, at); }
void put(const SetSpeed& f, Ps at, Twin& twin) { twin.set_speed(f.link, f.speed, at, f.down, f.lanes); }
void put(const LoseLanes& f, Ps at, Twin& twin) { twin.lose_lanes(f.link, f.lanes, at); }

// A call on a switch's view, for one of its ports.
template <class Act>
void on_switch_port(Twin& twin, topology::End end, Ps at, Act act)
{
    twin.at(end.node, at, [&twin, end, act](Ps now) {
        auto view = twin.switch_view(end.node);
        act(view, static_cast<std::uint8_t>(end.port), now);
    });
}

// A call on the view of the port's node, at the fault's time.
template <class OnSwitch, class OnNic>
void on_port(Twin& twin, topology::End end, Ps at, OnSwitch on_switch, OnNic act)
{
    if (twin.is_switch(end.node)) {
        on_switch_port(twin, end, at, on_switch);
    } else {
        on_nic(twin, end.node, at, act);
    }
}

void put(const SwitchPort& f, Ps at, Twin& twin)
{
    on_port(
        twin, f.end, at,
        [on = f.on](twin::SwitchView& view, std::uint8_t port, Ps now) {
            auto wanted = view.registers(port);
            wanted.enabled = on;
            view.write(port, wanted, now);
        },
        [on = f.on](twin::NicView& nic, Ps now) { nic.set_enabled(on, now); });
}

void put(const TakeDown& f, Ps at, Twin& twin)
{
    on_port(
        twin, f.end, at,
        [why = f.down](twin::SwitchView& view, std::uint8_t port, Ps now) { view.take_down(port, why, now); },
        [why = f.down](twin::NicView& nic, Ps now) { nic.take_down(why, now); });
}

void put(const LosePower& f, Ps at, Twin& twin)
{
    on_port(
        twin, f.end, at, [](twin::SwitchView& view, std::uint8_t port, Ps now) { view.lose_power(port, now); },
        [](twin::NicView& nic, Ps now) { nic.lose_power(now); });
}

void put(const SlowPort& f, Ps at, Twin& twin)
{
    on_switch_port(twin, f.end, at, [rate = f.rate](twin::SwitchView& view, std::uint8_t port, Ps now) {
        if (rate) {
            view.limit_egress(port, *rate, now);
        } else {
            view.stop_egress(port, now);
        }
    });
}

void put(const HealPort& f, Ps at, Twin& twin)
{
    on_switch_port(twin, f.end, at,
                   [](twin::SwitchView& view, std::uint8_t port, Ps now) { view.heal_egress(port, now); });
}

void put(const Reroute& f, Ps at, Twin& twin) { twin.reroute(f.without, at); }

void put(const SetRoute& f, Ps at, Twin& twin)
{
    twin.at(f.at, at, [&twin, f](Ps) { twin.switch_view(f.at).set_route(f.to.value, f.ports); });
}

void put(const SetAlpha& f, Ps at, Twin& twin)
{
    twin.at(f.at, at, [&twin, f](Ps) {
        auto view = twin.switch_view(f.at);
        for (const auto port : f.ports) {
            view.set_alpha(port, f.group, f.exponent);
        }
    });
}

}  // namespace

void schedule(std::span<const Fault> faults, Twin& twin)
{
    for (const auto& fault : faults) {
        std::visit([&](const auto& what) { put(what, fault.at, twin); }, fault.what);
    }
}

}  // namespace petrel::scenario
