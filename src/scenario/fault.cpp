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
void put(const MendLink& f, Ps at, Twin& twin) { twin.mend(f.link, at); }

void put(const SwitchPort& f, Ps at, Twin& twin)
{
    if (!twin.is_switch(f.end.node)) {
        return on_nic(twin, f.end.node, at, [on = f.on](twin::NicView& nic, Ps now) { nic.set_enabled(on, now); });
    }
    twin.at(f.end.node, at, [&twin, f](Ps now) {
        auto view = twin.switch_view(f.end.node);
        const auto port = static_cast<std::uint8_t>(f.end.port);
        auto wanted = view.registers(port);
        wanted.enabled = f.on;
        view.write(port, wanted, now);
    });
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
