#include "device/twin/links.hpp"

#include <utility>

#include "link/raw_code.hpp"

namespace petrel::device::twin {

Links::Links(petrel::twin::SwitchView view, const Seat& seat) : view_(view), seat_(seat)
{
    const auto own_reasons = link::list_named("opa.ldr").value();
    for (std::uint8_t port = 0; port != view_.ports(); ++port) {
        downs_.push_back(view_.epoch(port) / 2);
        const auto& name = seat_.topology.nodes[seat_.node.value].ports[port].name;
        shown_.push_back({name, true, false, 0, link::RawCode{own_reasons, 0}, 0});
    }
}

std::vector<link::LinkSample> Links::read()
{
    std::vector<link::LinkSample> samples;
    for (std::uint8_t port = 0; port != view_.ports(); ++port) {
        const auto reading = view_.link(port, seat_.now());
        if (!reading.settled) {
            continue;
        }
        auto& shown = shown_[port];
        shown.up = view_.link_up(port);
        const auto downs = view_.epoch(port) / 2;  // the first epoch is 1, and the link is up in it
        shown.downs = downs - std::exchange(downs_[port], downs);
        if (!reading.registers.clear()) {
            shown.code->code = reading.registers.ldr;
            shown.nldr = reading.registers.nldr;
        }
        if (reading.state == link::LinkState::init) {
            view_.arm_link(port, reading.registers.seq);
            view_.activate_link(port);
        }
        samples.push_back(shown);
    }
    return samples;
}

}  // namespace petrel::device::twin
