// Finds out whether a device's pause status (paused at the read: SAI's PAUSE_STATUS) is a constant. Some libraries
// return `false` for every queue at all times. Such a status contradicts a pause time of 100 %, and no storm would be
// detected.
//
// A queue that is paused for three whole intervals in a row is also paused at the reads between them. If its status is
// `false` then, and has never been `true` for any queue, the status is ignored from then on. It is used again as soon
// as it is `true` once.
#pragma once

#include <cstdint>
#include <vector>

#include "watchdog/observation.hpp"

namespace petrel::device {

class StatusCheck {
public:
    explicit StatusCheck(std::size_t rows = 0) : rows_(rows) {}

    enum class Verdict : std::uint8_t {
        as_before,
        constant,  // found just now: the status is ignored from now on
        counts     // the status was `true`: it is used again
    };

    // Call with each sample, its stamp and epoch set. Removes the status from the sample while the status is ignored.
    Verdict check(watchdog::Sample&);

private:
    struct Row {
        Instant read_at;
        std::uint32_t epoch{};
        std::uint64_t pause_us{};
        std::uint8_t paused_intervals{};  // in a row, with a status of `false` at their ends
    };

    std::vector<Row> rows_;
    bool ever_paused_{};
    bool ignored_{};
};

}  // namespace petrel::device
