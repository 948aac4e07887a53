// The links of a switch of the twin, as a device reports them.
#pragma once

#include <cstdint>
#include <vector>

#include "device/twin/seat.hpp"
#include "link/link_sample.hpp"
#include "twin/switch_view.hpp"

namespace petrel::device::twin {

class Links {
public:
    Links(petrel::twin::SwitchView, const Seat&);

    // A port whose neighbour's reason may still arrive is left out. Clears the registers of a link that is up again, as
    // a manager does, so that they can record the next reason.
    std::vector<link::LinkSample> read();

private:
    petrel::twin::SwitchView view_;
    Seat seat_;
    std::vector<link::LinkSample> shown_;  // by port
    std::vector<std::uint32_t> downs_;     // by port: how often its link went down so far
};

}  // namespace petrel::device::twin
