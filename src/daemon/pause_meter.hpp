// Counts, for the metrics of one device, how long each watched queue is paused and how many PFC frames it receives: of
// the busiest queues one by one, of all others in sum. So the number of series is bounded, and a queue that begins to
// pause is seen before it storms.
//
// Each increment of a counter goes to one place: to its queue while that has a row, else to the sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/intake.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::daemon {

struct PauseCounts {
    std::optional<std::uint64_t> paused_us;  // none: the device does not count it
    std::optional<std::uint64_t> pfc_frames;
};

struct PausingQueue {
    std::string port;                      // empty: the sum of the queues without a row of their own
    std::optional<std::uint8_t> priority;  // none: the sum
    PauseCounts counts;                    // since it has its row
};

class PauseMeter {
public:
    static constexpr std::size_t kMost = 256;

    // Between two looks, about once a second.
    void read(const watchdog::Watchlist&, const watchdog::Intake&);

    // By port and priority, then the sum, if there is one.
    std::vector<PausingQueue> queues() const;
    std::uint64_t pausing() const { return pausing_; }  // how many queues were paused before the last read

private:
    struct Row {
        watchdog::PfcCounts last;
        std::uint64_t busy{};  // the pause of late, in microseconds: each read halves what was before it
        bool read{};
    };
    struct Name {
        std::string port;
        std::uint8_t priority{};
        auto operator<=>(const Name&) const = default;
    };
    struct Shown {
        Slot slot;
        PauseCounts counts;
    };

    void follow(const watchdog::Watchlist&);
    Shown* row_for(Slot);

    std::optional<std::uint32_t> generation_;  // of the inventory
    std::vector<Row> rows_;                    // by slot
    std::vector<Name> names_;                  // by slot
    std::map<Name, Shown> shown_;
    std::optional<PauseCounts> rest_;
    std::uint64_t pausing_{};
};

}  // namespace petrel::daemon
