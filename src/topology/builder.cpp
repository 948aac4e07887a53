#include "topology/builder.hpp"

#include <fmt/format.h>

#include <utility>

namespace petrel::topology {

Limits& Limits::within(std::string_view parameter, std::uint64_t value, std::uint64_t least, std::uint64_t most)
{
    if (value < least || value > most) {
        refuse(parameter, std::to_string(value), fmt::format("{} to {}", least, most));
    }
    return *this;
}

Limits& Limits::sound(std::string_view parameter, const LinkShape& shape)
{
    if (shape.speed.bps == 0) {
        refuse(parameter, "0 bit/s", "a speed above 0");
    }
    if (shape.delay < Delay::zero()) {
        refuse(parameter, fmt::format("{} ps long", shape.delay.count()), "a delay of 0 or more");
    }
    return *this;
}

Limits& Limits::require(bool holds, std::string_view parameter, std::uint64_t value, std::string_view allowed)
{
    if (!holds) {
        refuse(parameter, std::to_string(value), allowed);
    }
    return *this;
}

void Limits::refuse(std::string_view parameter, const std::string& value, std::string_view allowed)
{
    if (!broken_) {
        broken_ =
            Error{ErrorKind::invalid, fmt::format("{}: {} is {}, allowed: {}", generator_, parameter, value, allowed)};
    }
}

Builder::Builder(std::uint32_t hosts, LinkShape host_links) : host_links_(host_links)
{
    for (std::uint32_t h = 0; h < hosts; ++h) {
        topology_.nodes.push_back(
            {fmt::format("h{}", h), Kind::host, 0, {{.name = "eth0", .xname = {}, .number = {}}}});
    }
}

NodeId Builder::add_switch(std::string name, std::uint8_t tier, std::uint32_t ports)
{
    const NodeId id{static_cast<std::uint32_t>(topology_.nodes.size())};
    Node node{std::move(name), Kind::fabric_switch, tier, {}};
    for (std::uint32_t p = 0; p < ports; ++p) {
        node.ports.push_back({.name = fmt::format("Ethernet{}", p), .xname = {}, .number = {}});
    }
    topology_.nodes.push_back(std::move(node));
    return id;
}

void Builder::attach_next_host(NodeId to, std::uint32_t port)
{
    connect(NodeId{attached_++}, 0, to, port, host_links_);
}

void Builder::connect(NodeId lower, std::uint32_t lower_port, NodeId upper, std::uint32_t upper_port, LinkShape shape)
{
    topology_.links.push_back(
        {{End{lower, static_cast<std::uint16_t>(lower_port)}, End{upper, static_cast<std::uint16_t>(upper_port)}},
         shape.speed,
         shape.delay});
}

}  // namespace petrel::topology
