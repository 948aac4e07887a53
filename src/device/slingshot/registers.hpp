// The narrow interface below a Slingshot switch's device: a few registers and counters of each port, by name. It is
// implemented by the switch's driver or by a port of the twin.
//
// An implementation provides, for each port in the order of ports():
//   pause_timeout   R_TF_CFTX_STS_PAUSE_TIMEOUT, read only: a bit for each channel whose pause has lasted longer than
//                   the switch's own limit and still does; zero once the node has stopped. It also works while
//                   PCP_ENABLE is 0, since no other signal shows that the treatment may end.
//   max_frame_size  R_PF_EEG_SIZE_CFG: longer frames to the node are discarded.
//   pcp_enable      PCP_ENABLE: 1 = pause frames of the node are honoured, 0 = they are not.
//   frames_sent, frames_discarded   frames to the node; they only grow within an epoch.
//   epoch           changes whenever the link was down or counters were cleared; 0 while the link is down.
// A written value is in force when write() returns, and stays until the next write, also after the process has ended.
// usual() is the value from the port's configuration; it is written back if the value before a treatment is unknown.
//
// Calls block and come one at a time. After a failed call the caller assumes nothing about what was written. `port` is
// below ports().size(). Ports and their names do not change; a port's speed may change, with its epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace petrel::device::slingshot {

enum class Register : std::uint8_t { pause_timeout, max_frame_size, pcp_enable };
enum class Counter : std::uint8_t { frames_sent, frames_discarded };

constexpr std::string_view name(Register r)
{
    switch (r) {
    case Register::pause_timeout: return "R_TF_CFTX_STS_PAUSE_TIMEOUT";
    case Register::max_frame_size: return "R_PF_EEG_SIZE_CFG";
    case Register::pcp_enable: break;
    }
    return "PCP_ENABLE";
}

struct Port {
    PortNames names;
    BitRate speed;
    bool edge{};  // connected to a node; the pause timeout applies to these ports only
    // A bit for each channel whose pause the port honours by its configuration. The status of the others is no reason
    // to treat the port: their pause stops no traffic.
    std::uint32_t honours{0xffffffff};
};

class Registers {
public:
    virtual ~Registers() = default;
    virtual std::span<const Port> ports() const = 0;
    virtual Result<std::uint32_t> read(std::uint16_t port, Register) = 0;
    virtual Result<void> write(std::uint16_t port, Register, std::uint32_t value) = 0;
    virtual std::uint32_t usual(std::uint16_t port, Register) const = 0;
    virtual Result<std::uint64_t> count(std::uint16_t port, Counter) = 0;
    virtual Result<std::uint32_t> epoch(std::uint16_t port) = 0;
};

}  // namespace petrel::device::slingshot
