// Whose pause a NIC sends while it receives nothing: that of single priorities, or of the link.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "device/linux/counter_reader.hpp"

namespace petrel::device::linux_nic {

class StuckPause {
public:
    // Takes the counters of each fresh sample.
    void take(const NicCounters&, Instant);
    // Forgets what it has seen: counters or settings are others now.
    void reset() { last_.reset(); }

    // Bit p: priority p has paused its switch in every sample for this long, and the NIC has received nothing.
    std::uint8_t priorities(Duration at_least) const;

private:
    struct Counts {
        Instant at;
        std::uint64_t received{};
        std::array<std::uint64_t, kPriorities> pause{};  // time or frames
    };

    std::optional<Counts> last_;
    std::array<std::optional<Instant>, kPriorities> since_{};
};

}  // namespace petrel::device::linux_nic
