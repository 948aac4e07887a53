// Shared code of the generators: creates nodes with their ports and links between port numbers, and checks parameters
// (Limits keeps the first one out of range).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "topology/generators.hpp"

namespace petrel::topology {

class Limits {
public:
    explicit Limits(std::string_view generator) : generator_(generator) {}

    Limits& within(std::string_view parameter, std::uint64_t value, std::uint64_t least, std::uint64_t most);
    Limits& sound(std::string_view parameter, const LinkShape&);
    Limits& require(bool holds, std::string_view parameter, std::uint64_t value, std::string_view allowed);

    std::optional<Error> broken() const { return broken_; }

private:
    void refuse(std::string_view parameter, const std::string& value, std::string_view allowed);

    std::string_view generator_;
    std::optional<Error> broken_;
};

class Builder {
public:
    Builder(std::uint32_t hosts, LinkShape host_links);

    NodeId add_switch(std::string name, std::uint8_t tier, std::uint32_t ports);
    void attach_next_host(NodeId to, std::uint32_t port);  // attaches hosts in their order; call before connect()
    void connect(NodeId lower, std::uint32_t lower_port, NodeId upper, std::uint32_t upper_port, LinkShape);

    Topology take() { return std::move(topology_); }

private:
    Topology topology_;
    LinkShape host_links_;
    std::uint32_t attached_{};
};

}  // namespace petrel::topology
