// The hardware interface, one for switches and NICs. An adapter implements Device. It owns no thread and no timer.
//
// Threads: all calls of a device come one at a time, from one thread that the runner owns, and may block. Only
// NoticeSink::post() may be called from any thread.
//
// look() reads the given rows (an empty list means all rows) and puts a Sample of each into the Intake. It may put
// other rows, too. If a row cannot be read, look() leaves it out or puts a Sample without known fields. Reading a
// continuous pause state consumes it; therefore the runner uses the result of a look even if it arrives late.
//
// The inventory changes only in look(), and its generation changes with it. If look() finds other rows than before, it
// puts no sample and returns, so that no sample is attributed to the wrong row.
//
// prepare() and read_back() only read. read_back() returns `none` only if no part of a treatment is left. A command for
// a port-wide treatment (Capabilities::port_wide) has the port as its target.
//
// apply() is idempotent, and works in a new process with an Undo from the journal. To restore is to write back what the
// Undo holds. To restore a target that was never journaled, the caller passes what prepare() returns at that time, or
// an empty Undo. If such an Undo holds one of our own treatments, or nothing, the device writes its default settings
// instead.
//
// apply() writes. If other software carries the command out (Capabilities::acts_later), apply() returns before it has,
// and await_effect() waits until it has or until the device's limit. Each apply() that succeeds is followed by
// await_effect() for the same command. For a device that acts later, the runner may apply several commands first, and
// then wait for each; no look comes in between.
//
// A look may wait for new counters (Capabilities::look_waits). It stops waiting when the waker that set_waker() passes
// is woken. The runner passes the waker once, before the first look.
//
// set_watched_rows() names the rows that the agent watches. The runner calls it before the first look and whenever the
// rows change. An empty list means that the agent does not look until it names rows. A device that replaces another
// detector lets that detector run again while the agent does not watch every queue that the detector would watch. After
// that, or after a state that it could not follow, the device asks to be opened again (wants_reopening()).
//
// delegate_detection() is for devices that detect storms themselves (Capabilities::detects_itself). The runner passes
// all rows that the device shall watch, in the order of rows; the device stops watching all others. It returns one
// result for each row that was passed. If other software configures the device's detection, the call fails with
// ErrorKind::unsupported.
//
// Notices. A device whose library calls back from its own threads posts notices from there. A device whose notices
// arrive at a file descriptor has no such thread: receive_notices() posts the notices that wait, without blocking, and
// returns the descriptor that is readable when more arrive, or -1 if none can arrive. The worker waits for the
// descriptor between two calls and then calls receive_notices() again, in the thread of all other calls. The descriptor
// stays open until the device is closed or destroyed. Every other call of such a device also posts the notices that
// arrived before its answer. So a notice reaches the loop at once while the device is idle, and with the end of the
// call under way otherwise.
//
// buffers() reads the buffer pools and profiles of the hardware. The names stay the same until the device is closed. A
// device that does not show them returns none. set_dynamic_threshold() writes the threshold of a profile and succeeds
// only if the hardware then shows the new value.
//
// A device that lost its hardware for good (a helper program that ended) fails its looks and wants_reopening(). The
// runner then reports the device as failing and opens it again, with a growing delay.
//
// read_links() is for devices that report the links of their ports (Capabilities::reads_links). It returns a sample of
// each port whose link it knows at present, in any order. The runner calls it now and then, and after a notice of a
// link.
//
// Device has no default for any call, so that the compiler finds a wrapper that does not pass one on. Adapters derive
// from PlainDevice (plain_device.hpp), wrappers from Device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/buffers.hpp"
#include "device/waker.hpp"
#include "link/link_sample.hpp"
#include "watchdog/event.hpp"
#include "watchdog/intake.hpp"

namespace petrel::device {

// What apply() overwrites (mask, profile, enable bits). Only the adapter interprets it. It is journaled before apply().
// The size is that of eight queues with their port.
struct Undo {
    std::array<std::byte, 192> bytes{};
    std::uint8_t size{};
    bool operator==(const Undo&) const = default;
};

struct DelegatedRow {
    Slot row;
    Duration detect{};
    Duration restore{};  // duration of a recovery
    watchdog::Treatment action{};
    // The device leaves detection off if its own interval would differ more than this. With `clip`, an interval outside
    // its range becomes the nearest in the range first.
    std::uint32_t interval_tolerance{10};  // percent
    bool clip{};

    bool tolerates(Duration wanted, Duration shown) const
    {
        return (wanted > shown ? wanted - shown : shown - wanted) * 100 <= wanted * interval_tolerance;
    }
};

struct TimerShown {
    std::optional<Duration> programmed;  // none: the device does not accept one
    std::optional<Duration> observed;    // none: cannot be read
    bool operator==(const TimerShown&) const = default;
};

struct Delegated {
    Slot row;
    TimerShown detect;
    TimerShown restore;
    bool on{};
};

// A queue that is configured to be watched but cannot be: storms there go undetected.
struct UnseenQueue {
    std::string queue;  // "Ethernet4:3"
    std::string why;
    bool operator==(const UnseenQueue&) const = default;
};

class NoticeSink {
public:
    virtual ~NoticeSink() = default;
    virtual void post(const watchdog::Notice&) noexcept = 0;  // called from any thread: copy and return
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
    virtual Result<void> await_effect(const watchdog::Command&) = 0;
    virtual Result<watchdog::Treatment> read_back(const Target&) = 0;
    // Whether other software treats queues of this device, too. If the agent finds such a treatment at its start, it
    // keeps it until quiet is proven.
    virtual bool treated_by_others() const = 0;
    virtual void listen(NoticeSink&) = 0;
    virtual int receive_notices() = 0;
    virtual void set_waker(const Waker&) = 0;  // it outlives the device
    virtual Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow>) = 0;
    virtual void set_watched_rows(std::span<const Slot>) = 0;
    virtual Buffers buffers() = 0;
    virtual Result<void> set_dynamic_threshold(const std::string& profile, int exponent) = 0;
    // As of the last look, in the order of queues.
    virtual std::vector<UnseenQueue> unseen_queues() const = 0;
    // True: the treatments in force may have changed while the device could not be followed. Open it again.
    virtual bool wants_reopening() const = 0;
    virtual Result<std::vector<link::LinkSample>> read_links() = 0;
    // The last call. Puts back everything that the device has changed beside the commands that it carried out.
    virtual Result<void> close() = 0;
};

}  // namespace petrel::device
