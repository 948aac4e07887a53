// Detects notices that a library should have sent but did not. For each row that the library watches, compares the last
// notice with the polled state.
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
    void expect(Slot, Duration detect, Duration recover, watchdog::Treatment);
    void expect_nothing(Slot row) { rows_[row.value] = {}; }

    // Returns false for the end of a storm whose beginning was never reported.
    bool receive(Slot, Kind);
    // A storm is in force, and its beginning was reported before.
    void assume_reported(Slot row) { receive(row, Kind::detected); }

    // With what the library does by itself on this row.
    watchdog::Notice notice(Slot, Kind, const Target&, Instant at) const;

    // The notice to post in place of the library: a storm after twice the detection interval of unbroken pause; its end
    // after a recovery interval of quiet plus one detection interval as a margin.
    std::optional<Kind> missed(const watchdog::Sample&);

private:
    struct Row {
        Duration detect{};  // zero: no notices are expected
        Duration recover{};
        watchdog::Treatment action{};
        bool reported{};  // the last notice reported a storm
        std::optional<Instant> paused_since;
        std::optional<Instant> quiet_since;
    };

    std::vector<Row> rows_;
};

}  // namespace petrel::device::sai
