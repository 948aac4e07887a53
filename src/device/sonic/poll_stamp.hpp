// When syncd last read the counters. Between two of its polls nothing in COUNTERS_DB moves, which is no sign of quiet
// and none of pause: whoever reads has to know which poll the numbers are from.
//
// syncd writes every counter at every poll, changed or not: those of ports first, then those of queues. So the first
// and the last queue that it writes are watched (WATCH works whatever notifications the server sends): a poll is over
// when the last was written, and under way while only the first was. Newer syncds leave a time stamp with the ports.
// Without one, a poll took place between two of our visits; within that, the counter group's own interval says when.
//
// await() blocks until syncd has written the last of those queues. The server reports the write (CLIENT TRACKING, from
// Redis 6 on), so that a poll is seen when it is over and its time is known without a stamp. syncd writes a queue's
// statistics and its attributes in two passes over all queues: await() learns how far the writes of one poll lie apart
// and waits for the last.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "device/device.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

// Returns when the descriptor is readable, or after that time.
using Wait = std::function<void(int fd, Duration most)>;
void wait_readable(int fd, Duration most);

class PollStamp {
public:
    struct Seen {
        std::optional<Instant> at;  // of the last poll that is over; none: not known
        std::uint64_t writes{};     // another number: something was written since
        bool by_syncd{};            // its own stamp
        bool under_way{};           // the next one has begun: what is there is of two polls
        bool operator==(const Seen&) const = default;
    };

    // Without `wait` the server is not asked to report writes.
    PollStamp(db::Databases databases, Duration patience, Wait wait = {})
        : databases_(std::move(databases)), patience_(patience), wait_(std::move(wait))
    {}

    // Keys that every poll writes, in this order; `interval`: how often it is polled. A stamp is of the ports: where
    // the queues are all that counts, it is not wanted.
    void watch(std::vector<std::string> keys, Duration interval, bool want_stamps = true);

    // `read`: the poll whose counters the caller has. While syncd's stamp is still that one, nothing else is asked.
    Result<Seen> look(Instant now, std::optional<Instant> read = std::nullopt);

    // Waits at most so long until the last key is written. False: it was not written since the last call. True also if
    // the server does not report writes.
    bool await(const TimeSource&, Duration most);

    // Whether the time of a poll is known to a few milliseconds: syncd leaves stamps, or the server reports writes.
    Result<bool> is_precise(db::RedisStore&) const;

    void start_over();  // after an error

private:
    static constexpr Duration kLeastSettle = std::chrono::milliseconds{1};

    struct Canary {
        std::string key;
        std::unique_ptr<redis::Connection> connection;
        bool written{};
    };

    // With a stamp: the one of syncd, read before.
    Result<void> visit(Canary&, std::optional<Instant>* stamp = nullptr);
    void track(Canary& last);
    std::optional<bool> take_reports(Instant now);
    void note_report(Instant now);
    Result<std::optional<Instant>> stamp_of_syncd(db::RedisStore&) const;
    bool take_over();
    Seen by_stamp(Instant stamp);
    Seen by_grid(Instant now);

    db::Databases databases_;
    Duration patience_;
    Duration interval_{};
    bool want_stamps_{true};
    Wait wait_;
    std::vector<Canary> canaries_;
    std::unique_ptr<redis::Connection> reports_;  // of writes of the last canary; none: they are not reported
    std::optional<Instant> written_at_;           // the last canary, if its write was waited for
    Instant first_report_{};                      // of the poll,
    Duration spread_{};                           // and how long after it others came,
    Duration settle_{kLeastSettle};               // and how long after it others are waited for
    std::uint64_t writes_{};
    Instant visited_;
    std::optional<Instant> last_;    // poll that is over
    std::optional<Instant> passed_;  // the stamp of one that was not yet
    bool stamped_{};                 // syncd leaves them
};

}  // namespace petrel::device::sonic
