// Whether a device's pause status (paused at the read: SAI's PAUSE_STATUS) is a constant. Some libraries answer `false`
// for every queue at every time. Such a status objects to pause time of 100 %, and no storm would be found.
//
// A queue that is paused for three whole intervals in a row is paused at the reads between them. If the status says
// otherwise, and has never said `paused` for any queue, it is ignored from then on. It counts again as soon as it says
// `paused` once.
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
        constant,  // found out now: it is ignored
        counts     // it has said `paused`: it is not ignored any more
    };

    // With each sample, stamp and epoch in it. Takes the status out of the sample while it is ignored.
    Verdict check(watchdog::Sample&);

private:
    struct Row {
        Instant read_at;
        std::uint32_t epoch{};
        std::uint64_t pause_us{};
        std::uint8_t paused_intervals{};  // in a row, with a status that says otherwise at their ends
    };

    std::vector<Row> rows_;
    bool ever_paused_{};
    bool ignored_{};
};

}  // namespace petrel::device
