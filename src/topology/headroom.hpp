// The bytes that a switch must be able to buffer after it has sent XOFF: the worst case of IEEE 802.1Q Annex O,
// calculated as SONiC does for its xoff. The scenario decides which headroom a fabric really gets.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace petrel::topology {

struct HeadroomCase {
    double cable_m{};
    BitRate speed;
    std::uint32_t lossless_mtu_bytes{};  // the frame that had just begun when the threshold was exceeded
    std::uint32_t port_mtu_bytes{};      // the frame, of any class, that delays our pause frame
    std::uint32_t cell_bytes{};          // unit of the buffer memory
    double small_share{1};               // share of frames, 0..1, that waste the most of a cell
    std::uint32_t mac_phy_bytes{};       // held in MACs and PHYs of both ends
    Delay gearbox{};                     // of one gearbox; each end has one
};

// Bytes of buffer, a multiple of 1,024.
Result<std::uint64_t> xoff_bytes(const HeadroomCase&);

// The parts of the sum. On the cable: the bytes that arrive while the pause frame travels to the peer and the peer's
// last bit travels back.
double bytes_on_cable(double cable_m, BitRate);

// Buffer bytes used for one received byte. The worst frame is one byte longer than a cell and uses two cells. If cells
// are longer than 128 bytes, the worst frame is the smallest one, which uses a whole cell.
double cell_occupancy(std::uint32_t cell_bytes, double small_share);

// How long a peer may continue to send after it received the pause frame (802.3 31B.3.7), in quanta of 512 bit times.
std::optional<std::uint32_t> response_quanta(BitRate);

}  // namespace petrel::topology
