#include "device/twin/links.hpp"

#include <utility>

#include "link/raw_code.hpp"

namespace petrel::device::twin {

Links::Links(petrel::twin::SwitchView view, const Seat& seat) : seat_(seat)
{
    for (std::uint8_t port = 0; port != view.ports(); ++port) {
        add({[view, port](petrel::twin::Ps now) { return view.link(port, now); },
             [view, port] { return view.link_up(port); }, [view, port] { return view.epoch(port); },
             [view, port](std::uint64_t ack) mutable {
                 view.arm_link(port, ack);
                 view.activate_link(port);
             }});
    }
}

Links::Links(petrel::twin::NicView view, const Seat& seat) : seat_(seat)
{
    add({[view](petrel::twin::Ps now) { return view.link(now); }, [view] { return view.link_up(); },
         [view] { return view.epoch(); },
         [view](std::uint64_t ack) mutable {
             view.arm_link(ack);
             view.activate_link();
         }});
}

// The first epoch is 1, and the link is up in it.
void Links::add(Port port)
{
    const auto own_reasons = link::list_named("opa.ldr").value();
    const auto& name = seat_.topology.nodes[seat_.node.value].ports[ports_.size()].name;
    port.shown = {name, true, false, 0, link::RawCode{own_reasons, 0}, 0};
    port.downs = port.epoch() / 2;
    ports_.push_back(std::move(port));
}

std::vector<link::LinkSample> Links::read()
{
    std::vector<link::LinkSample> samples;
    for (auto& port : ports_) {
        const auto reading = port.read(seat_.now());
        if (!reading.settled) {
            continue;
        }
        auto& shown = port.shown;
        shown.up = port.up();
        const auto downs = port.epoch() / 2;
        shown.downs = downs - std::exchange(port.downs, downs);
        if (!reading.registers.clear()) {
            shown.code->code = reading.registers.ldr;
            shown.nldr = reading.registers.nldr;
        }
        if (reading.state == link::LinkState::init) {
            port.clear(reading.registers.seq);
        }
        samples.push_back(shown);
    }
    return samples;
}

}  // namespace petrel::device::twin
