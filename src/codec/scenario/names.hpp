// Resolves the names in a scenario to nodes, ports and links of its topology; unknown names become complaints. For the
// .cpp files of codec/scenario only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "codec/toml_text.hpp"
#include "topology/lookup.hpp"

namespace petrel::codec {

class ScenarioNames {
public:
    // Without a topology (it had complaints of its own) no name is found, and none becomes a complaint.
    ScenarioNames(TomlText& text, const topology::Topology* topology) : text_(text), topology_(topology)
    {
        if (topology != nullptr) {
            lookup_.emplace(*topology);
        }
    }

    using Kind = std::optional<topology::Kind>;  // none = any

    bool known() const { return topology_ != nullptr; }
    const topology::Topology& topology() const { return *topology_; }

    std::vector<topology::NodeId> all(Kind) const;
    // "h0", "h4..h7", "all", or a list of those; in that order.
    std::vector<topology::NodeId> nodes(const toml::node&, Kind);
    std::optional<topology::NodeId> node(const toml::node&, Kind);
    // "leaf0:Ethernet4"; for a host the name of the host suffices.
    std::optional<topology::End> port(const toml::node&);
    // A port at either end, or the two nodes it joins.
    std::optional<std::uint32_t> link(const toml::node&);
    std::vector<std::uint32_t> links(const toml::node&);  // a list of those

private:
    std::optional<topology::NodeId> find(std::string_view name, Kind) const;
    void add(const toml::node&, Kind, std::vector<topology::NodeId>&);
    bool add_range(std::string_view first, std::string_view last, Kind, std::vector<topology::NodeId>&) const;
    void no_such(const toml::node&, Kind);
    std::optional<std::uint32_t> link_between(const toml::array&);

    TomlText& text_;
    const topology::Topology* topology_;
    std::optional<topology::Lookup> lookup_;
};

}  // namespace petrel::codec
