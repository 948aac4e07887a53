// A node as the engine sees it: a host or a switch, and its output and input ports.
#pragma once

#include <cstdint>

#include "twin/host_node.hpp"
#include "twin/switch_node.hpp"

namespace petrel::twin {

struct NodeRef {  // exactly one of the two is set
    HostNode* host{};
    SwitchNode* fabric_switch{};

    OutPort& out(std::uint32_t port) const
    {
        return host != nullptr ? host->out() : fabric_switch->out(static_cast<std::uint8_t>(port));
    }
    InPort& in(std::uint32_t port) const
    {
        return host != nullptr ? host->in() : fabric_switch->in(static_cast<std::uint8_t>(port));
    }
};

}  // namespace petrel::twin
