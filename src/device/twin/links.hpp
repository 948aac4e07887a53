// The links of a switch or a NIC of the twin, as a device reports them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "device/twin/seat.hpp"
#include "link/link_end.hpp"
#include "link/link_sample.hpp"
#include "twin/nic_view.hpp"
#include "twin/switch_view.hpp"

namespace petrel::device::twin {

class Links {
public:
    Links(petrel::twin::SwitchView, const Seat&);
    Links(petrel::twin::NicView, const Seat&);

    // A port whose neighbour's reason may still arrive is left out. Clears the registers of a link that is up again, as
    // a manager does, so that they can record the next reason.
    std::vector<link::LinkSample> read();

private:
    struct Port {
        std::function<link::LinkReading(petrel::twin::Ps)> read;
        std::function<bool()> up;
        std::function<std::uint32_t()> epoch;
        std::function<void(std::uint64_t ack)> clear;
        link::LinkSample shown{};
        std::uint32_t downs{};  // how often its link went down so far
    };

    void add(Port);

    Seat seat_;
    std::vector<Port> ports_;
};

}  // namespace petrel::device::twin
