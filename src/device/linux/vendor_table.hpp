// What is known about the private counters (`ethtool -S`) of Linux NIC drivers, as data: a row for each driver. Code
// checks these rows and never the name of a driver. A driver without a row is monitored only.
//
// In a name, `#` stands for the priority 0..7. Where a driver's versions differ, a row has both names; the first name
// that the driver reports counts.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::linux_nic {

// A counter of each priority.
struct PriorityCounter {
    watchdog::Field field{};
    std::string_view name;
    std::string_view other_name{};  // of other versions; empty = none
};

// A counter of the whole port.
struct PortCounter {
    watchdog::Field field{};
    std::string_view name;
};

// A counter that grows when the NIC itself finds a storm.
struct StormCounter {
    std::string_view name{};  // empty = none
    // Only the name suggests this meaning: no public document or source states what the NIC counts. Such a counter is
    // never a reason to act.
    bool guessed{};
};

// A private flag (`ethtool --show-priv-flags`) that starts or stops the LLDP agent of the NIC's firmware.
struct LldpFlag {
    std::string_view name{};  // empty = none
    bool runs_if{};           // the value with which the agent runs
};

struct Vendor {
    std::string_view driver;
    std::span<const PriorityCounter> priority_counters{};
    // Pause of the whole link (802.3x) that the port sends, or PFC of all priorities together.
    std::span<const PortCounter> port_counters{};
    // Packets that left the port's buffer, RDMA included: their sum is the port's rx_packets. All of them must be
    // reported. None: whether the port receives anything cannot be seen.
    std::span<const std::string_view> progress{};
    // Counters of RDMA (hw_counters in sysfs) that grow with what RDMA receives. They are read before a NIC that seems
    // to receive nothing is treated.
    std::span<const std::string_view> rdma_progress{};
    StormCounter storms{};
    std::optional<Duration> refresh{};  // how often the counters change; zero = with every read; none = not known
    bool shares_classes{};              // all priorities of a traffic class count the same frames
    LldpFlag lldp{};
    // `progress` counts what the interface's own PCI function receives, not what other functions of the port do.
    bool counts_own_function{};
    bool refresh_is_set{};  // `refresh` is the default of a setting of the interface (`ethtool -C`, stats-block-usecs)
};

std::span<const Vendor> vendors();
const Vendor* find_vendor(std::string_view driver);  // null: unknown

// Why all ports of a driver are monitored only, without detection and treatment; none: those ports are watched that
// report the counters of the row (counter_reader.hpp), unless the facts of the machine forbid it (nic_facts.hpp).
std::optional<std::string> monitored_only(std::string_view driver);

}  // namespace petrel::device::linux_nic
