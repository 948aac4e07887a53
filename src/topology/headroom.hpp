// How much a switch must be able to take after it has asked for a pause: the worst case of IEEE 802.1Q Annex O, summed
// up as SONiC does for its xoff. A calculator; what a fabric then is given is up to the scenario.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace petrel::topology {

struct HeadroomCase {
    double cable_m{};
    BitRate speed;
    std::uint32_t lossless_mtu_bytes{};  // the frame that had just begun when the threshold was crossed
    std::uint32_t port_mtu_bytes{};      // the frame, of any class, that our pause frame has to wait for
    std::uint32_t cell_bytes{};          // unit of the buffer memory
    double small_share{1};               // of what arrives, 0..1: frames that waste the most of a cell
    std::uint32_t mac_phy_bytes{};       // held in MACs and PHYs of both ends
    Delay gearbox{};                     // of one gearbox; one at each end is counted
};

// Bytes of buffer, a multiple of 1,024.
Result<std::uint64_t> xoff_bytes(const HeadroomCase&);

// Its parts. On the cable: what is under way while the pause frame travels there and the last bit back.
double bytes_on_cable(double cable_m, BitRate);

// Buffer bytes taken for one byte received. The worst frame is one byte longer than a cell and takes two; where cells
// are longer than 128 bytes, it is the smallest frame, which takes one alone.
double cell_occupancy(std::uint32_t cell_bytes, double small_share);

// How long a peer may go on sending after it got the frame (802.3 31B.3.7), in quanta of 512 bit times.
std::optional<std::uint32_t> response_quanta(BitRate);

}  // namespace petrel::topology
