// The hardware seam, one for switches and NICs. An adapter is a Device; it owns no thread and no timer.
//
// Contract: calls block, come one at a time, from one thread that the runner owns. look() reads the rows asked for
// (none = all) and puts a Sample of each into the Intake; it may put others, too. A queue that cannot be read is not
// put. prepare() and read_back() only read; read_back() says none only when nothing of a treatment is left. A treatment
// that hits the whole port is asked for at the port. apply() is idempotent and works in a new process with a journaled
// Undo; to restore is to put back what the Undo holds. A restore of what was never journaled comes with what prepare()
// reads then, or with an empty Undo: where that holds a treatment of ours (or nothing) the device's default is put in
// place instead. Whoever reads a continuous pause state consumes it: the runner delivers a late look all the same. An
// inventory changes only in look(), and gets another generation with it: one that finds other rows than before puts
// nothing and returns, so that nobody takes a row for another.
//
// The runner names the rows that the agent watches with set_watched_rows(): before the first look, and whenever they
// change. No rows: the agent does not look until it names some. A device that stands in for another detector hands the
// switch back while the agent does not watch all that the other one would (SONiC's scripts). Then, or after a state
// that it could not follow, it asks to be opened again.
//
// A device that detects storms by itself (Capabilities::detects_itself) is told which of its rows it shall watch, all
// at once, in the order of rows; it stops watching any other. It answers for each row that it was asked for. One whose
// detection is set up by somebody else refuses as unsupported.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "watchdog/event.hpp"
#include "watchdog/intake.hpp"

namespace petrel::device {

// What apply() overwrites (mask, profile, enable bits): opaque to everyone but the adapter, journaled before apply().
struct Undo {
    std::array<std::byte, 64> bytes{};
    std::uint8_t size{};
    bool operator==(const Undo&) const = default;
};

struct SelfWatch {
    Slot row;
    Duration detect{};
    Duration restore{};  // a recovery lasts so long
    watchdog::Treatment action{};
};

struct TimerShown {
    std::optional<Duration> programmed;  // none: it is not taken
    std::optional<Duration> observed;    // none: it cannot be read
    bool operator==(const TimerShown&) const = default;
};

struct SelfWatched {
    Slot row;
    TimerShown detect;
    TimerShown restore;
    bool on{};
};

// A queue that is configured to be watched and cannot be: no storm is seen there.
struct UnseenQueue {
    std::string queue;  // "Ethernet4:3"
    std::string why;
    bool operator==(const UnseenQueue&) const = default;
};

class NoticeSink {
public:
    virtual ~NoticeSink() = default;
    virtual void post(const watchdog::Notice&) noexcept = 0;  // from any thread: copy and return
};

class TimeSource {
public:
    virtual ~TimeSource() = default;
    virtual Now now() const = 0;
};

class Device {
public:
    virtual ~Device() = default;
    virtual const watchdog::Inventory& inventory() const = 0;
    virtual const watchdog::Capabilities& capabilities() const = 0;
    virtual Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) = 0;
    virtual Result<Undo> prepare(const watchdog::Command&) = 0;
    virtual Result<void> apply(const watchdog::Command&, const Undo&) = 0;
    virtual Result<watchdog::Treatment> read_back(const Target&) = 0;
    // Whether others treat its queues, too, for reasons of their own: that goes on until quiet is proven.
    virtual bool treated_by_others() const { return false; }
    virtual void listen(NoticeSink&) = 0;
    virtual Result<std::vector<SelfWatched>> watch_by_itself(std::span<const SelfWatch>)
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "nobody tells this device which rows to watch"});
    }
    virtual void set_watched_rows(std::span<const Slot>) {}
    // As of the last look, in the order of queues.
    virtual std::vector<UnseenQueue> unseen_queues() const { return {}; }
    // True: the device can be watched again, but what is in force may have changed meanwhile. Open it anew.
    virtual bool wants_reopening() const { return false; }
    // The last call: what it has changed beside what it was commanded is put back.
    virtual Result<void> close() { return {}; }
};

}  // namespace petrel::device
