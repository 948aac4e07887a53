// Finds the time of syncd's last poll of the counters. Between two polls COUNTERS_DB does not change, which proves
// neither quiet nor pause. So the device must determine the poll that its counters come from.
//
// syncd writes every counter at every poll, changed or not: first the counters of ports, then those of queues. The
// agent therefore watches the first and the last queue that syncd writes (the canaries), with WATCH, which needs no
// notifications. A poll is over when syncd has written the last one, and under way while it has written only the first.
//
// Other counter groups of syncd write the same keys: the group of queue counters those of queues, the group of port
// counters those of ports. Without stamps, a write to the queues is therefore a poll only if syncd has also written the
// port of the first queue since the poll before. If both other groups write between two polls, the second write looks
// like a poll.
//
// Newer versions of syncd read in bulk. They write queues in the order in which orchagent registered them, which the
// databases do not show, and then a time stamp of queues. So this stamp is the last canary then: a poll is over when it
// changes. Ports have a stamp of their own. Without stamps, the poll took place between two calls of
// look(), and the interval of the counter group gives the best estimate.
//
// await() blocks until syncd has written the last canary. The server reports the write (CLIENT TRACKING, from Redis 6
// on), so that the agent sees a poll when it is over and knows its time without a stamp. Without bulk reads, syncd
// writes the statistics and the attributes of a queue in two passes over all queues. await() learns the time between
// the writes of one poll and waits for the last write.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "device/device.hpp"
#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

// Returns when one of the descriptors is readable, or after that time.
using Wait = std::function<void(std::span<const int> fds, Duration most)>;
void wait_readable(std::span<const int> fds, Duration most);

class PollStamp {
public:
    struct Seen {
        std::optional<Instant> at;  // time of the last poll that is over; none: not known
        std::uint64_t writes{};     // changes with every write to a canary
        bool by_syncd{};            // `at` is syncd's own stamp
        bool under_way{};           // the next poll has begun: the counters are of two polls
        bool operator==(const Seen&) const = default;
    };

    // Without `wait`, the server gets no request to report writes, and await() returns at once.
    PollStamp(db::Databases databases, Duration patience, Wait wait = {})
        : databases_(std::move(databases)), patience_(patience), wait_(std::move(wait))
    {}

    enum class Of { ports, queues };

    // Keys that every poll writes. Without `port`, any write to the queues may be a poll.
    struct Keys {
        std::vector<std::string> queues;  // in this order
        std::string port;                 // before the queues; empty: polls write no port
    };
    // `interval`: time between two polls; `counters`: those whose stamp is the time of a poll.
    void watch(Keys keys, Duration interval, Of counters = Of::ports);

    // `read`: the poll whose counters the caller has. If syncd's stamp is still that poll's, nothing else is read.
    Result<Seen> look(Instant now, std::optional<Instant> read = std::nullopt);

    // Waits for at most `most` until the last key is written, or until one of `others` is readable. False: the key was
    // not written since the last call. True also if the server does not report writes.
    bool await(const TimeSource&, Duration most, std::span<const int> others = {});

    // Whether the time of a poll is known to a few milliseconds: syncd writes stamps, or the server reports writes.
    Result<bool> is_precise(db::RedisStore&) const;

    // Starts to watch keys that are new, so that the next poll is seen.
    Result<void> arm();

    void start_over();  // after an error

private:
    static constexpr Duration kLeastSettle = std::chrono::milliseconds{1};

    struct Canary {
        std::string key;
        std::unique_ptr<redis::Connection> connection;
        bool written{};
        bool tracked{};    // the server was requested to report writes to this key
        bool fresh{true};  // the last visit opened the connection: an earlier write is not known
    };

    using Stamps = std::array<std::optional<Instant>, 2>;  // of ports, of queues
    std::optional<Instant> time_of(const Stamps& stamps) const { return stamps[timed_by_ == Of::ports ? 0 : 1]; }

    // A visit to the last canary reads syncd's stamps first.
    Result<void> visit(Canary&);
    Result<void> drop_writes_of_others();
    void take_stamps(Canary& last, const Stamps&);
    bool ends_poll();
    void track(Canary& last);
    void untrack();
    std::optional<bool> take_reports(Instant now);
    void note_report(Instant now);
    Result<std::optional<Instant>> stamp_of_syncd(db::RedisStore&) const;
    bool take_over();
    Seen by_stamp(Instant stamp);
    Seen by_grid(Instant now);

    db::Databases databases_;
    Duration patience_;
    Duration interval_{};
    Of timed_by_{Of::ports};
    Stamps stamps_;  // as the last visit read them
    Wait wait_;
    std::vector<Canary> canaries_;
    std::optional<Canary> port_;                  // confirms that a write to the canaries is a poll
    std::unique_ptr<redis::Connection> reports_;  // of writes to the last canary; null: the server does not report
    std::optional<Instant> written_at_;           // when the last canary was written; none: await() did not see it
    bool visited_last_{};                         // await() has just visited the last canary, and the poll is over
    Instant first_report_{};                      // of the current poll
    Duration spread_{};                           // time from the first to the latest report of the poll
    Duration settle_{kLeastSettle};               // time to wait for more reports after the first one
    std::uint64_t writes_{};
    Instant visited_;
    std::optional<Instant> last_;    // the last poll that is over
    std::optional<Instant> passed_;  // the stamp of a poll that was skipped because its queues were not written yet
    bool stamped_{};                 // syncd writes stamps
};

}  // namespace petrel::device::sonic
