// The last few looks at each row that is close to a decision, so that an event can show what it rests on. A small table
// in which rows share places: evidence may be shorter than it could be, never wrong, and memory stays bounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "watchdog/event.hpp"

namespace petrel::watchdog {

class Recorder {
public:
    explicit Recorder(std::size_t rows) : entries_(std::clamp<std::size_t>(rows, 1, 4096)) {}

    void note(std::uint32_t row, const Observations& seen, Instant now)
    {
        Entry& entry = entries_[row % entries_.size()];
        if (entry.row != row || entry.last_at > now) {
            entry = {row, 0, now, {}};
        }
        std::rotate(entry.last.begin(), entry.last.begin() + 1, entry.last.end());
        entry.last.back() = interval(row, seen);
        entry.looks = static_cast<std::uint8_t>(std::min<std::size_t>(entry.looks + 1U, entry.last.size()));
        entry.last_at = now;
    }

    // The looks of this row that fall within the time that was proven, oldest first.
    void fill(Evidence& evidence, std::uint32_t row) const
    {
        const Entry& entry = entries_[row % entries_.size()];
        if (entry.row != row) {
            return;
        }
        Duration covered{};
        std::uint8_t looks = 0;
        while (looks < entry.looks && (looks == 0 || covered < evidence.proven)) {
            ++looks;
            covered += std::chrono::microseconds{entry.last[entry.last.size() - looks].dt_us};
        }
        evidence.looks = looks;
        std::copy_n(entry.last.end() - looks, looks, evidence.last.begin());
    }

    static Interval interval(std::uint32_t row, const Observations& seen)
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
    struct Entry {
        std::uint32_t row{kNoLimit};
        std::uint8_t looks{};
        Instant last_at;
        std::array<Interval, std::tuple_size_v<decltype(Evidence::last)>> last{};
    };
    std::vector<Entry> entries_;
};

}  // namespace petrel::watchdog
