// When syncd last read the counters. Between two of its polls nothing in COUNTERS_DB moves, which is no sign of quiet
// and none of pause: whoever reads has to know which poll the numbers are from.
//
// Newer syncds leave a time stamp. Of older ones it is known that they write every counter at every poll, changed or
// not; so a few keys at both ends of what they write are watched (WATCH works whatever notifications the server sends).
// A poll is over when all of them were written. It took place between two of our visits; within that, the counter
// group's own interval says when.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

class PollStamp {
public:
    struct Seen {
        std::optional<Instant> at;  // of the last poll that is over; none: not known
        std::uint64_t writes{};     // another number: something was written since
        bool by_syncd{};            // its own stamp
        bool operator==(const Seen&) const = default;
    };

    PollStamp(db::Databases databases, Duration patience) : databases_(std::move(databases)), patience_(patience) {}

    // Keys that every poll writes, for syncds without a stamp; `interval`: how often they poll.
    void watch(std::vector<std::string> keys, Duration interval);

    Result<Seen> look(db::RedisStore&, Instant now);

    void start_over();  // after an error

private:
    struct Canary {
        std::string key;
        std::unique_ptr<redis::Connection> connection;
        bool written{};
    };

    Result<void> visit(Canary&);
    Result<Seen> look_at_canaries(Instant now);

    db::Databases databases_;
    Duration patience_;
    Duration interval_{};
    std::vector<Canary> canaries_;
    std::uint64_t writes_{};
    Instant visited_;
    std::optional<Instant> last_;
};

}  // namespace petrel::device::sonic
