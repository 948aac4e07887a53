// Turns the private counters of a NIC (`ethtool -S`: a list of names and values) into the fields of samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// Finds the counters of a driver by their names. Blanks around names do not count: some drivers pad their names. Names
// rarely change, so the reader remembers the place of each counter until any name is another one.
class CounterReader {
public:
    explicit CounterReader(const Vendor& vendor) : vendor_(&vendor) {}

    NicCounters read(std::span<const Counter>);

private:
    struct Place {
        std::size_t counter{};
        watchdog::Field field{};
        std::size_t sample{};  // the priority, or kPriorities for the port
    };

    void find_places(std::span<const Counter>);
    std::optional<std::uint64_t> progress(std::span<const Counter>) const;

    const Vendor* vendor_;
    std::vector<std::string> names_;
    std::vector<Place> places_;
    std::vector<std::size_t> progress_;  // empty: not all of them are reported
    std::optional<std::size_t> storms_;
};

// Why a NIC with these counters is monitored only although its driver is known; none: it is watched.
std::optional<std::string> monitored_only(const Vendor&, const NicCounters&);

}  // namespace petrel::device::linux_nic
