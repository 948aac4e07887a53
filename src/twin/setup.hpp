// Everything a twin is built from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "link/link_policy.hpp"
#include "topology/topology.hpp"
#include "twin/config.hpp"
#include "twin/pause_frame.hpp"

namespace petrel::twin {

// The width and speed that a port requires of its link.
struct PortPolicy {
    topology::End port;
    link::LinkPolicy policy;
};

struct Setup {
    topology::Topology topology;
    std::vector<SwitchProfile> switch_profiles{1};
    std::vector<NicProfile> nic_profiles{1};
    std::vector<std::uint16_t> profile_of;  // by node: index into the profiles of its kind; missing = 0
    std::vector<PortPolicy> link_policies;  // missing = the width must not change
    std::vector<Flow> flows;
    Dcqcn dcqcn;
    std::vector<PauseTimes> pause_times;  // of storms with different times per priority; at most 255
    std::uint32_t overhead_bytes{20};     // preamble and gap of every frame
    std::uint64_t seed{1};
    unsigned threads{1};
    Ps window{kForever};  // the longest window; results do not depend on it

    std::uint16_t profile(std::size_t node) const { return node < profile_of.size() ? profile_of[node] : 0; }
};

// All errors in the setup. Each is a sentence with the item, its value and the allowed values.
std::vector<std::string> problems(const Setup&);

}  // namespace petrel::twin
