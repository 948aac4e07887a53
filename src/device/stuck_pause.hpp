// Whose pause a NIC sends while it receives nothing: which priorities are stuck.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device {

// A muted NIC whose other priorities pause for so long, while it receives nothing, is muted for all.
inline constexpr Duration kAlsoStuckAfter = std::chrono::milliseconds{100};

class StuckPause {
public:
    // Takes the sent pause of each priority, and everything that the port has received, of each fresh sample.
    void take(std::span<const watchdog::Sample, kPriorities>, std::uint64_t received, Instant);
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

}  // namespace petrel::device
