// Storm detection and recovery by the library itself: programs the intervals of each queue and switches detection on.
// Each interval has three values: the configured one, the programmed one (limited to the range that the library
// reports, if the policy allows that) and the observed one, which the library shows afterwards (it may round to an
// undocumented granularity). If the library cannot keep an interval as the policy requests, its detection stays off,
// and the agent polls the queue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sai/objects.hpp"

namespace petrel::device::sai {

struct Interval {
    std::uint32_t configured_ms{};
    std::optional<std::uint32_t> programmed_ms;  // none: the library does not accept one
    std::optional<std::uint32_t> observed_ms;    // none: cannot be read
    bool operator==(const Interval&) const = default;
};

struct Detector {
    std::size_t port{};
    const QueueObjects* queue{};
    Interval detect;
    Interval recover;
    bool on{};
    DelegatedRow request;
};

class Detection {
public:
    // Tests whether the library supports what detection needs. Library, ports and notes outlive this object.
    Detection(const Library&, abi::ObjectId switch_id, std::span<const PortObjects>, Notes&);

    bool possible() const { return possible_; }

    // Takes detectors with configured intervals, in the order of ports. Programs them and switches detection on, as far
    // as the library supports it. Detection of all other queues is switched off.
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
