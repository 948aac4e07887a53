// The benchmark work of simulators of lossless fabrics: a fat-tree with 100 Gb/s links of 1 us, every sender at line
// rate in one lossless class, run until the last flow is acknowledged. Frames have no preamble and gap here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "twin/setup.hpp"

namespace petrel::bench {

struct TwinWork {
    std::string name;
    std::uint32_t k;  // ports of a switch; k^3 / 4 hosts
    std::vector<twin::Flow> flows;
    bool frozen{};  // host 0 pauses its switch without end, for one simulated second
};

TwinWork perm128();   // each of 128 hosts sends to one host and receives from one
TwinWork incast64();  // 64 hosts send to host 0
TwinWork perm1024();  // a permutation of 1,024 hosts
TwinWork frozen();    // incast64 to a host that receives nothing

twin::Setup setup_of(const TwinWork&, unsigned threads);

}  // namespace petrel::bench
