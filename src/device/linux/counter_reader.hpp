// Turns the private counters of a NIC (`ethtool -S`: a list of names and values) into the fields of samples.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/ids.hpp"
#include "device/linux/vendor_table.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::linux_nic {

struct Counter {
    std::string name;
    std::uint64_t value{};
};

// Only `known` and the counters of the samples are set. A field whose counter is missing is unknown: mlx5_core, for
// example, reports the pause of a priority only while PFC is on for it. The port's rx_packets are unknown while they
// are zero: bnxt_en has counters that stay zero if the driver does not know the queues of the priorities, and a counter
// that never moves must not look like a stall.
struct NicCounters {
    std::array<watchdog::Sample, kPriorities> priorities{};
    watchdog::Sample port{};  // pause of the whole link, and everything that the port received
    std::optional<std::uint64_t> storms;
    bool storms_guessed{};  // see StormCounter
};

// Blanks around names do not count: some drivers pad their names.
NicCounters read_counters(const Vendor&, std::span<const Counter>);

// Why a NIC with these counters is monitored only although its driver is known; none: it is watched.
std::optional<std::string> monitored_only(const Vendor&, const NicCounters&);

}  // namespace petrel::device::linux_nic
