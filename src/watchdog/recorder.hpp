// The last few looks at each row that is close to a decision, as the evidence of its event. The table is small and
// bounded, and rows share entries: evidence may be incomplete, but it is never wrong.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "watchdog/event.hpp"

namespace petrel::watchdog {

class Recorder {
public:
    explicit Recorder(std::size_t rows) : entries_(std::bit_ceil(std::clamp<std::size_t>(rows, 1, 4096))) {}

    void note(Slot row, const Observations& seen, Instant now)
    {
        Entry& entry = entries_[row.value & (entries_.size() - 1)];
        if (entry.row != row || entry.last_at > now) {
            entry.row = row;
            entry.noted = 0;
        }
        entry.last[entry.noted++ % kKept] = interval(row, seen);
        entry.last_at = now;
    }

    // The looks of this row that fall within the time that was proven, oldest first.
    void fill(Evidence& evidence, Slot row) const
    {
        const Entry& entry = entries_[row.value & (entries_.size() - 1)];
        if (entry.row != row) {
            return;
        }
        const auto back = [&](std::uint32_t looks) -> const Interval& {
            return entry.last[(entry.noted - looks) % kKept];
        };
        Duration covered{};
        std::uint8_t looks = 0;
        while (looks < std::min(entry.noted, kKept) && (looks == 0 || covered < evidence.proven)) {
            covered += std::chrono::microseconds{back(++looks).dt_us};
        }
        evidence.looks = looks;
        for (std::uint8_t i = 0; i < looks; ++i) {
            evidence.last[i] = back(looks - i);
        }
    }

    static Interval interval(Slot row, const Observations& seen)
    {
        Interval i{seen.dt_us[row], seen.known[row], seen.pause[row], {}};
        for (std::size_t f = 0; f < kFields; ++f) {
            if (!seen.value[f].empty()) {
                i.value[f] = seen.value[f][row];
            }
        }
        return i;
    }

private:
    static constexpr std::uint32_t kKept = std::tuple_size_v<decltype(Evidence::last)>;

    struct Entry {
        Slot row{kNoLimit};
        std::uint32_t noted{};  // looks since the row took the entry; `last` is a ring of the newest
        Instant last_at;
        std::array<Interval, kKept> last{};
    };
    std::vector<Entry> entries_;
};

}  // namespace petrel::watchdog
