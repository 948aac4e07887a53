// The name of a tier, from the names of its nodes: the tier of leaf0-0 and leaf0-1 is called "leaf" everywhere.
#pragma once

#include <cstdint>
#include <string>

#include "topology/topology.hpp"

namespace petrel::topology {

// Hosts are tier 0; switches without a tier count as tier 1.
std::uint8_t tier_of(const Node&);

// The word with which the names of all its nodes begin: "leaf"; empty if there is none.
std::string tier_word(const Topology&, std::uint8_t tier);

// "hosts", "leaf", or "tier 1" without such a word.
std::string tier_name(const Topology&, std::uint8_t tier);

}  // namespace petrel::topology
