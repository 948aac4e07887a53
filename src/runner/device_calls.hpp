// A device behind a worker: the loop requests every blocking call and gets the answer. Only the worker touches the
// device and the journal. If the worker has no room for a call, the answer is a failure, without waiting.
//
// Contract: all calls are made in the loop's thread, and all callbacks run there. A callback never runs before the call
// that requested it has returned, and never after the DeviceCalls is destroyed. The destructor waits for the call under
// way.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "config/stop_policy.hpp"
#include "device/carry_out.hpp"
#include "runner/device_source.hpp"
#include "runner/loop.hpp"
#include "runner/memory.hpp"
#include "runner/worker.hpp"

namespace petrel::runner {

// The properties of a device that was just opened, and of its journal.
struct Opened {
    watchdog::Inventory inventory;
    std::uint32_t numbering{};
    watchdog::Capabilities capabilities;
    std::size_t journal_tail_dropped{};  // bytes
    std::size_t journal_absent{};        // entries for ports that the device does not have
    device::Buffers buffers{};
};

struct ThresholdSet {
    Result<void> done;
    std::optional<device::Buffers> buffers{};  // as the device shows them afterwards; none: it was not called
};

// A request for one look. The worker has the intake to itself until it answers.
struct Look {
    std::uint64_t id{};
    std::vector<Slot> rows;  // empty = all
    std::shared_ptr<watchdog::Intake> intake;
    std::uint32_t generation{};  // of the inventory that the rows belong to
};

struct Looked {
    std::uint64_t id{};
    std::shared_ptr<watchdog::Intake> intake;
    Result<void> read;
    std::optional<watchdog::Inventory> changed{};  // the new inventory, if its generation differs from Look::generation
    std::uint32_t numbering{};                     // changes when a row or a port of the inventory does
    std::optional<device::Buffers> buffers{};      // set if the numbering changed: those of the new ports
    Duration took{};
    std::optional<Result<bool>> journal{};  // set if it was checked. True: it was lost and written again
    std::optional<std::vector<device::UnseenQueue>> unseen{};  // set if they changed
    bool wants_reopening{};
};

class DeviceCalls {
public:
    // `hear` is called in the loop with each note of the source about the device.
    DeviceCalls(Loop&, std::unique_ptr<Worker>, DeviceSource&, Memory&, device::NoticeSink&,
                DeviceSource::NoteSink report, device::FaultHook);
    ~DeviceCalls();

    void open(std::function<void(Result<Opened>)>);  // may be called again: after a failure, or to reopen
    void gather(std::optional<watchdog::Checkpoint>, std::function<void(Result<agent::Start>)>);
    void look(Look, std::function<void(Looked)>);
    // `numbering`: of the inventory that the command's target belongs to. If the device has another numbering now, the
    // target would be another queue: the command fails.
    //
    // If the device acts later (device.hpp), the commands that wait for the worker with no other call between them are
    // all written before the first one is awaited. A second command for a target waits until the first one is finished.
    void carry_out(const watchdog::Command&, std::uint32_t numbering, std::function<void(watchdog::Outcome)>);
    // Does nothing if the device has another numbering now: the caller calls again with the rows of the new inventory.
    void set_watched_rows(std::vector<Slot>, std::uint32_t numbering);
    void delegate_detection(std::vector<device::DelegatedRow>, std::uint32_t numbering,
                            std::function<void(Result<std::vector<device::Delegated>>)>);

    void read_links(std::function<void(Result<std::vector<link::LinkSample>>)>);
    void set_dynamic_threshold(std::string profile, int exponent, std::function<void(ThresholdSet)>);

    // Calls DeviceSource::put_back(), which undoes the changes of a process that died. Needs no open device.
    void put_back(std::function<void(Result<void>)>);

    // The last call. Closes the device, and destroys it unless the policy is to hold its treatments.
    void close(config::StopPolicy, std::function<void(Result<void>)> then);

    // How long the call under way has been running; zero if there is none.
    Duration busy_for() const;

private:
    struct Requested {
        watchdog::Command command;
        std::uint32_t numbering{};
        std::optional<device::Begun> begun;  // used by the worker only
    };

    struct Batch {
        std::mutex mutex;
        std::deque<std::shared_ptr<Requested>> waiting;  // the commands that the worker has not begun
    };

    template <class Work, class Answer>
    bool call(JobKind, Work work, Answer refused, std::function<void(Answer)> then);
    Result<Opened> open_device();
    void begin_waiting(Batch&);
    device::Begun begin(const watchdog::Command&, std::uint32_t numbering);
    watchdog::Outcome ended(const watchdog::Command&, watchdog::Verdict, std::string why) const;
    DeviceSource::NoteSink post_notes() const;
    bool follow_inventory();
    void await_notices();
    std::optional<Result<bool>> keep_journal();
    std::optional<std::vector<device::UnseenQueue>> other_unseen();

    Loop& loop_;
    DeviceSource& source_;
    Memory& memory_;
    const device::TimeSource& clock_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // posted answers run only while it exists
    device::NoticeSink& notices_;
    DeviceSource::NoteSink report_note_;
    device::FaultHook fault_hook_;
    device::Waker waker_;           // of looks that wait for new counters
    bool looking_{};                // a look is requested and not answered yet
    std::shared_ptr<Batch> batch_;  // of the commands since the last other call
    // Used by the worker only.
    std::unique_ptr<device::Device> device_;
    std::unique_ptr<KeptJournal> journal_;
    watchdog::Inventory known_;  // the journal's targets belong to it
    std::uint32_t numbering_{};
    Instant journal_checked_;
    std::vector<device::UnseenQueue> unseen_;  // as last reported

    std::unique_ptr<Worker> worker_;  // the last member: its jobs use all the others
};

}  // namespace petrel::runner
