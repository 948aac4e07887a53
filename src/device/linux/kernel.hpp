// What the device of a NIC needs from the kernel, as one narrow interface: counters, link, PFC, pause and stall
// prevention of an interface by name, and what other programs change there. runtime/linux_kernel.hpp implements it with
// netlink and ioctls; tests have one in memory.
//
// Calls block and come one at a time. Errors: `unsupported` = the driver does not have it, or refuses the value (a
// driver whose firmware manages DCBX refuses every value); `denied` = a privilege is missing; `unreachable` = no such
// interface at present, or the kernel failed; `timed_out` = no answer. A set that succeeds proves nothing: a driver may
// ignore it, so the caller reads the value back.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "device/linux/counter_reader.hpp"

namespace petrel::device::linux_nic {

struct LinkState {
    std::uint32_t index{};    // another one: the interface was removed and has come back
    std::uint32_t changes{};  // how often the link went up or down
    bool up{};
    bool enabled{true};  // by the administrator; else the link is down
    bool operator==(const LinkState&) const = default;
};

// Why a link is down: ethtool's extended state and sub-state. Zero is a sub-state, too: not known.
struct LinkReason {
    std::uint8_t state{};
    std::uint8_t detail{};
    bool operator==(const LinkReason&) const = default;
};

// PFC of an interface. A set keeps the other fields as they were read.
struct Pfc {
    std::uint8_t enabled{};  // bit p: on for priority p, in both directions
    std::uint8_t classes{};  // how many priorities may have PFC
    bool bypass{};           // MACsec bypass capability
    std::uint16_t delay{};
    bool operator==(const Pfc&) const = default;
};

// PFC frames by priority, as dcbnl reports them for any driver that has PFC.
struct PfcCounts {
    std::array<std::uint64_t, kPriorities> sent{};
    std::array<std::uint64_t, kPriorities> received{};
    bool operator==(const PfcCounts&) const = default;
};

// Pause of the whole link (802.3x).
struct LinkPause {
    bool autoneg{};
    bool receives{};
    bool sends{};
    bool operator==(const LinkPause&) const = default;
};

// Which program decides about PFC: the DCBX mode of an interface.
struct Dcbx {
    bool by_host{};      // a program of the host
    bool by_firmware{};  // the LLDP agent of the NIC: the driver refuses PFC, or the agent undoes it
    bool ieee{};         // the IEEE version, which alone has the PFC that dcbnl sets
    bool operator==(const Dcbx&) const = default;
};

// Stall prevention of the device: it stops its pause by itself if it receives nothing for this time. Zero: never.
using Prevention = std::chrono::milliseconds;
inline constexpr Prevention kShortestPrevention{0xffff};  // a set with this value: the shortest time of the device
inline constexpr Prevention kLongestPrevention{100};      // the agent shortens a longer one

// The counters that have the same names for all drivers: pause of the link, and all MAC control frames, which include
// PFC. None: the driver does not have it.
struct StandardCounts {
    std::optional<std::uint64_t> pause_sent;
    std::optional<std::uint64_t> pause_received;
    std::optional<std::uint64_t> storms;  // that the NIC has found itself
    std::optional<std::uint64_t> control_sent;
    std::optional<std::uint64_t> control_received;
    bool operator==(const StandardCounts&) const = default;
};

// What else receives through the port of an interface.
struct PortSharing {
    bool functions{};                   // other functions of the NIC: virtual functions or subfunctions
    std::vector<std::string> bonded{};  // the other members of its bond
    bool operator==(const PortSharing&) const = default;
};

// What was changed since the last call, by this or another program.
struct Changes {
    bool link{};
    bool settings{};  // PFC, pause, or whether the interface is up
    bool operator==(const Changes&) const = default;
};

class Kernel {
public:
    virtual ~Kernel() = default;
    virtual Result<std::vector<std::string>> interfaces() = 0;
    virtual Result<std::string> driver(const std::string& interface) = 0;
    virtual Result<BitRate> speed(const std::string& interface) = 0;
    virtual Result<LinkState> link(const std::string& interface) = 0;
    // Valid until the next call.
    virtual Result<std::span<const Counter>> counters(const std::string& interface) = 0;
    virtual Result<Pfc> pfc(const std::string& interface) = 0;
    virtual Result<PfcCounts> pfc_counts(const std::string& interface) = 0;
    virtual Result<void> set_pfc(const std::string& interface, const Pfc&) = 0;
    virtual Result<LinkPause> pause(const std::string& interface) = 0;
    virtual Result<void> set_pause(const std::string& interface, const LinkPause&) = 0;
    virtual Result<void> set_enabled(const std::string& interface, bool) = 0;
    // None: the driver does not know.
    virtual Result<std::optional<LinkReason>> link_reason(const std::string& interface) = 0;
    virtual Result<Prevention> prevention(const std::string& interface) = 0;
    virtual Result<void> set_prevention(const std::string& interface, Prevention) = 0;
    virtual Result<StandardCounts> standard_counts(const std::string& interface) = 0;
    virtual Result<Dcbx> dcbx(const std::string& interface) = 0;
    // A flag of `ethtool --show-priv-flags`; none: the driver does not have it.
    virtual Result<std::optional<bool>> private_flag(const std::string& interface, std::string_view flag) = 0;
    // How often the driver renews the counters, where that is a setting (stats-block-usecs); zero: never.
    virtual Result<std::chrono::microseconds> statistics_interval(const std::string& interface) = 0;
    virtual PortSharing port_sharing(const std::string& interface) = 0;
    // The hw_counters of the RDMA devices behind the interface, or behind its bond; those of equal names added.
    virtual std::vector<Counter> rdma_counters(const std::string& interface) = 0;
    // Begins to follow changes of all interfaces. Returns a descriptor that is readable when there are some; -1: the
    // kernel does not report them.
    virtual int follow_changes() = 0;
    virtual Changes take_changes(const std::string& interface) = 0;
};

}  // namespace petrel::device::linux_nic
