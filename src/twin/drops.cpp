#include "twin/drops.hpp"

namespace petrel::twin {

std::string_view name(Drop d)
{
    switch (d) {
    case Drop::headroom: return "headroom";
    case Drop::ingress_full: return "ingress_full";
    case Drop::egress_full: return "egress_full";
    case Drop::mitigated_in: return "mitigated_in";
    case Drop::mitigated_out: return "mitigated_out";
    case Drop::frame_size: return "frame_size";
    case Drop::no_route: return "no_route";
    case Drop::ttl: return "ttl";
    case Drop::link_down: return "link_down";
    case Drop::nic_buffer: return "nic_buffer";
    case Drop::dead_host: return "dead_host";
    case Drop::count_: break;
    }
    return "?";
}

}  // namespace petrel::twin
