// A device behind a worker: the loop requests every blocking call and gets the answer. Only the worker touches the
// device and the journal. If the worker has no room for a call, the answer is a failure, at once.
//
// Contract: in the loop's thread. An answer never comes before the call that requested it has returned, and none comes
// after the DeviceCalls is gone. The destructor waits for the call under way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "codec/agent_config.hpp"
#include "device/carry_out.hpp"
#include "runner/device_source.hpp"
#include "runner/loop.hpp"
#include "runner/memory.hpp"
#include "runner/worker.hpp"

namespace petrel::runner {

// What a device says of itself when it is opened.
struct Opened {
    watchdog::Inventory inventory;
    std::uint32_t numbering{};
    watchdog::Capabilities capabilities;
    std::size_t journal_tail_dropped{};  // bytes
    std::size_t journal_strangers{};     // entries of ports that it does not have
};

// One look, lent an intake that nobody else touches until it is answered.
struct Look {
    std::uint64_t id{};
    std::vector<Slot> rows;  // empty = all
    std::shared_ptr<watchdog::Intake> intake;
    std::uint32_t generation{};  // of the inventory that the rows are from
};

struct Looked {
    std::uint64_t id{};
    std::shared_ptr<watchdog::Intake> intake;
    Result<void> read;
    std::optional<watchdog::Inventory> changed;  // what the inventory is now, if it is another
    std::uint32_t numbering{};                   // of its rows and ports: another one if any of them is
    Duration took{};
    std::optional<Result<bool>> journal{};  // checked now and then. True: it was lost, and is written anew
    std::optional<std::vector<device::UnseenQueue>> unseen{};  // if they are others than before
    bool wants_reopening{};
};

class DeviceCalls {
public:
    // `hear` gets what the source has to say about the device, in the loop.
    DeviceCalls(Loop&, std::unique_ptr<Worker>, DeviceSource&, Memory&, device::NoticeSink&, DeviceSource::Say hear,
                device::FaultHook);
    ~DeviceCalls();

    void open(std::function<void(Result<Opened>)>);  // also again, after it failed
    void gather(std::optional<watchdog::Checkpoint>, std::function<void(Result<agent::Start>)>);
    void look(Look, std::function<void(Looked)>);
    // `numbering`: the one that the command's target is from. By another one it would mean another queue.
    void carry_out(const watchdog::Command&, std::uint32_t numbering, std::function<void(watchdog::Outcome)>);
    // Rows of another numbering are left out: the caller follows the inventory and names them again.
    void set_watched_rows(std::vector<Slot>, std::uint32_t numbering);
    void watch_by_itself(std::vector<device::SelfWatch>, std::uint32_t numbering,
                         std::function<void(Result<std::vector<device::SelfWatched>>)>);

    // Before it is opened: what another process left behind.
    void put_back(std::function<void(Result<void>)>);

    // The last call: the device is let go, unless what is in force is held.
    void close(codec::StopPolicy, std::function<void(Result<void>)> then);

    // How long the call under way takes already; zero if there is none.
    Duration busy_for() const;

private:
    template <class Work, class Answer>
    void ask(JobKind, Work work, Answer refused, std::function<void(Answer)> then);
    Result<Opened> open_device();
    DeviceSource::Say through_the_loop() const;
    void follow_inventory();
    std::optional<Result<bool>> keep_journal();
    std::optional<std::vector<device::UnseenQueue>> other_unseen();

    Loop& loop_;
    DeviceSource& source_;
    Memory& memory_;
    const device::TimeSource& clock_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // answers in the loop's hands ask it first
    device::NoticeSink& notices_;
    DeviceSource::Say hear_;
    device::FaultHook fault_hook_;
    // The worker's own.
    std::unique_ptr<device::Device> device_;
    std::unique_ptr<KeptJournal> journal_;
    watchdog::Inventory known_;  // the journal's targets are from it
    std::uint32_t numbering_{};
    Instant journal_checked_;
    std::vector<device::UnseenQueue> unseen_;  // as they were last reported

    std::unique_ptr<Worker> worker_;  // the last: it uses all the others
};

}  // namespace petrel::runner
