// Decides what the agent sends to its manager, and when: without I/O, so that tests lose, double and reorder its
// messages. The events are those of the agent's memory, where each one is before it is published: the memory is the
// spool. The uplink adds one number for each device, the last event that the manager has stored.
//
//   waiting ──next()──▶ under way ──stored()──▶ waiting     at once, if more events wait; else in a heartbeat
//      ▲                    │
//      └──────failed()──────┘                               after a back-off: 1 s, 2 s, ... 30 s, with jitter
//
// An event that is not acknowledged is sent again, so the manager receives it at least once; (device, seq) identifies
// it. At the start, after each failure and after each restart of the manager, a request has no events and names all
// devices: the answer shows what the manager has. If that is less than it acknowledged (another manager, or one with
// older files), the events after that are sent again. A gap is events that the memory forgot before the manager had
// them: the manager receives it in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "uplink/stored.hpp"

namespace petrel::uplink {

// The events of all devices that the agent's memory has at present.
class Spool {
public:
    struct Event {
        std::uint64_t seq{};
        std::string_view json;
    };
    virtual ~Spool() = default;
    virtual std::vector<std::string> devices() const = 0;
    virtual std::uint64_t last_seq(const std::string& device) const = 0;  // 0 = no event yet
    // The oldest event with this number or a later one.
    virtual std::optional<Event> at_or_after(const std::string& device, std::uint64_t seq) const = 0;
};

// How long an agent waits for its manager. Scenarios of the lab make all of it shorter.
struct Pace {
    Duration heartbeat{std::chrono::seconds{8}};  // the manager expects one every 10 s
    Duration shortest_retry{std::chrono::seconds{1}};
    Duration longest_retry{std::chrono::seconds{30}};
    Duration deadline{std::chrono::seconds{10}};  // of a request: one that takes longer is cancelled
    Duration look{std::chrono::seconds{1}};       // at the state of the devices; the acknowledgements are stored then

    Pace faster(unsigned times) const
    {
        return {heartbeat / times, shortest_retry / times, longest_retry / times, deadline / times, look / times};
    }
};

struct Gap {
    std::string device;
    std::uint64_t first{};
    std::uint64_t last{};
};

// The content of one request.
struct Batch {
    std::string lines;      // events, each with a line feed
    std::vector<Gap> gaps;  // in place of the events that the memory does not have any more
    std::size_t events{};   // and gaps
    Acknowledged upto;      // of each device, the number of its last event among them
    std::string manager;    // the process that answered last; another one must not store these events; empty: none
    // By device, the first number of this process, if the manager has events with such numbers.
    Acknowledged recounts;
    bool names_devices{};  // the request must name all devices (with a snapshot): the answer then says what is stored
    bool with_extras{};    // it may carry a snapshot and samples
};

class Uplink {
public:
    static constexpr std::size_t kMostEvents = 1000;
    static constexpr std::size_t kMostBytes = std::size_t{512} * 1024;  // of events in a request; it may have 1 MiB

    // `before`: what this manager has acknowledged to an earlier process.
    Uplink(Acknowledged before, const Spool&, std::uint64_t seed, Pace = {});

    // The batch to send now; none: a request is under way, or it is too early. `extras`: a snapshot or samples wait.
    // A batch without events is a heartbeat. Call it again after an event, after an answer and at wake().
    std::optional<Batch> next(const Spool&, bool extras, Instant now);
    Instant wake() const { return under_way_ ? kNever : wake_; }

    // The answer to the batch under way.
    void stored(const Stored&, Instant now);
    // No answer, or a refusal. `too_much`: of the content. `after`: the manager asks for that much time.
    void failed(bool too_much, std::optional<Duration> after, Instant now);

    const Acknowledged& acknowledged() const { return acknowledged_; }
    bool is_under_way() const { return under_way_.has_value(); }
    // The last event of the device that the manager has. None: it is not known, or the manager does not have all
    // events.
    std::optional<LastStored> complete(const Spool&, const std::string& device) const;
    // How many events the manager does not have yet.
    std::uint64_t waiting(const Spool&) const;
    // The gaps that were found since the last call.
    std::vector<Gap> take_gaps() { return std::exchange(gaps_, {}); }

private:
    Batch collect(const Spool&);
    void add_events(const Spool&, const std::string& device, std::uint64_t after, Batch&);
    void add_gap(const Gap&, Batch&);
    void note_recounts(const Batch& answered, const Stored&);
    bool earlier_count(const std::string& device, const Stored&) const;
    void note(const Gap&);

    Acknowledged acknowledged_;
    Acknowledged first_;                      // by device, the first number of this process
    Acknowledged recounts_;                   // that the manager is to know
    std::map<std::string, LastStored> last_;  // by device: that the manager has
    Pace pace_;
    std::minstd_rand random_;
    std::optional<Batch> under_way_;
    std::size_t most_events_{kMostEvents};  // in a request
    std::size_t first_device_{};            // in the next batch: the devices take turns
    unsigned failures_{};                   // since the last answer
    std::string manager_;                   // the process that answered last
    bool in_doubt_{true};                   // what the manager has: it may be another one, or have older files
    Instant wake_{};
    std::vector<Gap> gaps_;
    std::map<std::string, std::map<std::uint64_t, std::uint64_t>> noted_;  // by device, the ranges that gaps_ has had
};

}  // namespace petrel::uplink
