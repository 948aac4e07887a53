// Signs that the databases can be read and do not show what the ASIC does, so that a storm would not be found:
// - syncd's time stamps advance at another pace than time, or appear and disappear, so that intervals between polls
//   cannot be measured;
// - PFC frames arrive at a port whose link is shown as down, where the watchdog judges nothing.
// SONiC's scripts depend on none of these, so they must watch meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "device/sonic/links.hpp"
#include "device/sonic/reader.hpp"

namespace petrel::device::sonic {

class Doubts {
public:
    struct Poll {
        Instant stamp;
        Instant seen;
        bool by_syncd{};  // the stamp is syncd's own
    };

    // With each poll. The rows may be others than before.
    void see(const Poll&, const Reader&, const Links&);

    const std::string& first() const { return first_; }  // empty: there is none

private:
    bool stamps_change_clock(const Poll&);
    bool stamps_lose_pace(const Poll&);
    std::optional<std::uint32_t> row_with_frames_on_a_dead_link(const Reader&, const Links&);

    std::optional<bool> by_syncd_;           // at the last poll
    std::optional<Instant> changed_;         // when stamps last appeared or disappeared
    std::optional<Instant> changed_before_;  // and when they did before that
    std::optional<Poll> since_;              // the begin of the time over which the pace is measured
    bool off_pace_{};                        // in the last such time
    std::vector<std::uint64_t> frames_;      // by row, at the last poll
    std::string first_;
};

}  // namespace petrel::device::sonic
