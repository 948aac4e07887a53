// The narrow interface below a Slingshot switch's device: a few registers and counters of each port, by name. It is
// implemented by a helper program in front of the switch's driver, or by a port of the twin.
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
//
// read_links() is for implementations that know the links of their ports (reads_links()): a sample of each port whose
// link is known at present, in any order. It also has ports that lead into the fabric.
//
// read() fails if no port can be read. If one port cannot be read, its entry in the answer says why. An implementation
// that lost the switch for good fails every later call, and lost() is true: it must be opened again.
//
// Calls block and come one at a time. After a failed call the caller assumes nothing about what was written. A port's
// number is below ports().size(). Ports and their names do not change; a port's speed may change, with its epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "link/link_sample.hpp"

namespace petrel::device::slingshot {

// The registers that a treatment writes.
enum class Register : std::uint8_t { max_frame_size, pcp_enable };

constexpr std::string_view name(Register r)
{
    return r == Register::max_frame_size ? "R_PF_EEG_SIZE_CFG" : "PCP_ENABLE";
}

struct Settings {
    std::uint32_t max_frame_size{};
    std::uint32_t pcp_enable{};
    bool operator==(const Settings&) const = default;
};

struct Port {
    PortNames names;
    BitRate speed;
    bool edge{};  // connected to a node; the pause timeout applies to these ports only
    // From the port's configuration; written back if the settings before a treatment are unknown.
    Settings usual;
    // A bit for each channel whose pause the port honours by its configuration. The status of the others is no reason
    // to treat the port: their pause stops no traffic.
    std::uint32_t honours{0xffffffff};
};

struct PortReading {
    std::uint32_t epoch{};
    std::uint32_t pause_timeout{};
    Settings settings;
    std::optional<std::uint64_t> frames_sent;  // none: this counter cannot be read
    std::optional<std::uint64_t> frames_discarded;
};

class Registers {
public:
    virtual ~Registers() = default;
    virtual std::span<const Port> ports() const = 0;
    // One entry for each of these ports, in their order.
    virtual Result<std::vector<Result<PortReading>>> read(std::span<const std::uint16_t> ports) = 0;
    virtual Result<void> write(std::uint16_t port, Register, std::uint32_t value) = 0;
    virtual bool reads_links() const = 0;
    virtual Result<std::vector<link::LinkSample>> read_links() = 0;
    virtual bool lost() const = 0;
    virtual Result<void> close() = 0;  // the last call
};

}  // namespace petrel::device::slingshot
