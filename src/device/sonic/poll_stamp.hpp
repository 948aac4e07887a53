// When syncd last read the counters. Between two of its polls nothing in COUNTERS_DB moves, which is no sign of quiet
// and none of pause: whoever reads has to know which poll the numbers are from.
//
// syncd writes every counter at every poll, changed or not: those of ports first, then those of queues. So the first
// and the last queue that it writes are watched (WATCH works whatever notifications the server sends): a poll is over
// when the last was written, and under way while only the first was. Newer syncds leave a time stamp with the ports.
// Without one, a poll took place between two of our visits; within that, the counter group's own interval says when.
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
        bool under_way{};           // the next one has begun: what is there is of two polls
        bool operator==(const Seen&) const = default;
    };

    PollStamp(db::Databases databases, Duration patience) : databases_(std::move(databases)), patience_(patience) {}

    // Keys that every poll writes, in this order; `interval`: how often it is polled. A stamp is of the ports: where
    // the queues are all that counts, it is not wanted.
    void watch(std::vector<std::string> keys, Duration interval, bool want_stamps = true);

    // `read`: the poll whose counters the caller has. While syncd's stamp is still that one, nothing else is asked.
    Result<Seen> look(Instant now, std::optional<Instant> read = std::nullopt);

    void start_over();  // after an error

private:
    struct Canary {
        std::string key;
        std::unique_ptr<redis::Connection> connection;
        bool written{};
    };

    // With a stamp: the one of syncd, read before.
    Result<void> visit(Canary&, std::optional<Instant>* stamp = nullptr);
    bool take_over();
    Seen by_stamp(Instant stamp);
    Seen by_grid(Instant now);

    db::Databases databases_;
    Duration patience_;
    Duration interval_{};
    bool want_stamps_{true};
    std::vector<Canary> canaries_;
    std::uint64_t writes_{};
    Instant visited_;
    std::optional<Instant> last_;    // poll that is over
    std::optional<Instant> passed_;  // the stamp of one that was not yet
    bool stamped_{};                 // syncd leaves them
};

}  // namespace petrel::device::sonic
