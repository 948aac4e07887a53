// Storms that the library finds and recovers from by itself: intervals programmed for each queue, and detection
// switched on. Three values are kept of each interval: what was configured, what was programmed (within the range that
// the library tells) and what it shows afterwards (its timers have a grain that it tells nobody).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/sai/objects.hpp"

namespace petrel::device::sai {

struct Interval {
    std::uint32_t configured_ms{};
    std::optional<std::uint32_t> programmed_ms;  // none: it is not taken
    std::optional<std::uint32_t> observed_ms;    // none: it cannot be read
    bool operator==(const Interval&) const = default;
};

struct Detector {
    std::size_t port{};
    const QueueObjects* queue{};
    Interval detect;
    Interval recover;
    bool on{};
};

class Detection {
public:
    // Finds out whether the library takes what is needed. Library, ports and notes outlive it.
    Detection(const Library&, abi::ObjectId switch_id, std::span<const PortObjects>, Notes&);

    bool possible() const { return possible_; }

    // Of detectors with intervals configured, in the order of ports: programmed and switched on, as far as the library
    // takes it. All other queues are switched off.
    std::vector<Detector> program(std::vector<Detector>);

private:
    bool takes_enabling(const QueueObjects&) const;
    bool takes_intervals(const PortObjects&) const;
    bool switches(const QueueObjects&, bool on) const;

    const Library& library_;
    abi::ObjectId switch_id_;
    std::span<const PortObjects> ports_;
    Notes& notes_;
    bool possible_{};
};

}  // namespace petrel::device::sai
