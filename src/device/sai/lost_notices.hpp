// Notices that a library should have sent and did not: for each row that it watches, what was last told, held against
// what is polled.
#pragma once

#include <optional>
#include <vector>

#include "watchdog/event.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::sai {

class LostNotices {
public:
    using Kind = watchdog::Notice::Kind;

    explicit LostNotices(std::size_t rows) : rows_(rows) {}

    bool expects(Slot row) const { return rows_[row.value].detect != Duration::zero(); }
    void expect(Slot, Duration detect, Duration recover);
    void expect_nothing(Slot row) { rows_[row.value] = {}; }

    // False: nobody was told of the storm that is over.
    bool hear(Slot, Kind);
    // A storm is in force, whoever was told of it.
    void assume_told(Slot row) { hear(row, Kind::detected); }

    // What is to be said in the library's place: a storm after twice the detection interval without a break; its end
    // after a recovery interval of quiet, and a detection interval of patience.
    std::optional<Kind> missed(const watchdog::Sample&);

private:
    struct Row {
        Duration detect{};  // zero: nothing is expected
        Duration recover{};
        bool told{};  // of a storm
        std::optional<Instant> paused_since;
        std::optional<Instant> quiet_since;
    };

    std::vector<Row> rows_;
};

}  // namespace petrel::device::sai
