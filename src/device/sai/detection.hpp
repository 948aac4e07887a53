// Storms that the library finds and recovers from by itself: intervals programmed for each queue, and detection
// switched on, as the profile asks. Three values are kept of each interval: what was configured, what was programmed
// (within the range that the library tells) and what it shows afterwards (its timers have a grain that it tells
// nobody).
//
//   petrel.detect_ms = 200            of every queue
//   petrel.detect_ms.port3 = 100      of those of a port, which outweighs it
//   petrel.detect_ms.port3:4 = 50     of one queue
// and likewise petrel.recover_ms.
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
    std::uint32_t programmed_ms{};
    std::optional<std::uint32_t> observed_ms;  // none: it cannot be read
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
    // Fails where the profile makes no sense. Library and ports outlive it.
    static Result<Detection> program(const Library&, abi::ObjectId switch_id, std::span<const PortObjects>,
                                     const Profile&, Notes&);

    const std::vector<Detector>& detectors() const { return detectors_; }  // in the order of ports and priorities
    bool works() const { return works_; }                                  // something is detected by the library
    void switch_off(const Library&);

private:
    std::vector<Detector> detectors_;
    bool works_{};
};

}  // namespace petrel::device::sai
