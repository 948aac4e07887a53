// Finds out whether a switch counts received pause frames on a port whose PFC is off. Some switches do not, and there a
// count that stands still proves no quiet. A count that has moved between two looks, twice for one queue, proves that
// the switch counts: counters that the switch updates late may move once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"

namespace petrel::device::sai {

class FramesWithoutPfc {
public:
    explicit FramesWithoutPfc(std::size_t rows = 0) : rows_(rows) {}

    // `frames`: the count of a row whose port has PFC off. Returns whether the count may prove quiet.
    bool counts(Slot row, std::uint64_t frames)
    {
        auto& seen = rows_[row.value];
        seen.moves += seen.last && frames > *seen.last ? 1U : 0U;
        seen.last = frames;
        counts_ = counts_ || seen.moves == 2;
        return counts_;
    }
    void pfc_is_on(Slot row) { rows_[row.value] = {}; }

private:
    struct Seen {
        std::optional<std::uint64_t> last;
        unsigned moves{};
    };
    std::vector<Seen> rows_;
    bool counts_{};
};

}  // namespace petrel::device::sai
