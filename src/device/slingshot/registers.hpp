// The narrow seam below a Slingshot switch's device: a few registers and counters of each port, by name. Behind it is
// the switch's driver, or a port of the twin.
//
// An implementation provides, for each port in the order of ports():
//   pause_timeout   R_TF_CFTX_STS_PAUSE_TIMEOUT, only read: a bit for each channel whose pause has lasted longer than
//   the
//                   switch's own limit and still does; zero once the node has stopped. It tells so while PCP_ENABLE is
//                   0 as well: nothing else shows that the treatment may end.
//   max_frame_size  R_PF_EEG_SIZE_CFG: longer frames are discarded on their way out to the node.
//   pcp_enable      PCP_ENABLE: 1 = pause frames of the node are heeded, 0 = they are not.
//   frames_sent, frames_discarded   to the node, counted up within an epoch.
//   epoch           a number that changes whenever the link was down or counters were cleared; 0 while it is down.
// A write holds when write() returns, until the next one, also after the process has ended. usual() is what the port's
// configuration says where nobody treats it: what is written back if nobody knows what was there before.
//
// Calls block, come one at a time, and may fail: then nothing is assumed about what was written. `port` is below
// ports().size(). Ports and their names do not change; a port's speed may, with its epoch.
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
    bool edge{};  // a node is at its other end; pause too long is a matter of these
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
