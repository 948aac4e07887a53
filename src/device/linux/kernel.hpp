// What the device of a NIC needs from the kernel, as one narrow interface: counters, link, PFC and pause of an
// interface by name. runtime/linux_kernel.hpp implements it with netlink and ioctls; tests have one in memory.
//
// Calls block and come one at a time. Errors: `unsupported` = the driver does not have it, or refuses the value (a
// driver whose firmware manages DCBX refuses every value); `denied` = a privilege is missing; `unreachable` = no such
// interface at present, or the kernel failed; `timed_out` = no answer. A set that succeeds proves nothing: a driver may
// ignore it, so the caller reads the value back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "device/linux/counter_reader.hpp"

namespace petrel::device::linux_nic {

struct LinkState {
    std::uint32_t index{};    // another one: the interface was removed and has come back
    std::uint32_t changes{};  // how often the link went up or down
    bool up{};
    bool operator==(const LinkState&) const = default;
};

// PFC of an interface. A set keeps the other fields as they were read.
struct Pfc {
    std::uint8_t enabled{};  // bit p: on for priority p, in both directions
    std::uint8_t classes{};  // how many priorities may have PFC
    bool bypass{};           // MACsec bypass capability
    std::uint16_t delay{};
    bool operator==(const Pfc&) const = default;
};

// Pause of the whole link (802.3x).
struct LinkPause {
    bool autoneg{};
    bool receives{};
    bool sends{};
    bool operator==(const LinkPause&) const = default;
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
    virtual Result<void> set_pfc(const std::string& interface, const Pfc&) = 0;
    virtual Result<LinkPause> pause(const std::string& interface) = 0;
    virtual Result<void> set_pause(const std::string& interface, const LinkPause&) = 0;
};

}  // namespace petrel::device::linux_nic
