// A device behind a thread of its own: every blocking call is asked for from the loop and answered there. Device and
// journal are touched by that thread alone. A call that cannot even wait in line is answered as failed, at once.
//
// Contract: in the loop's thread. An answer never comes before the call that asked for it has returned, and none comes
// after the DeviceThread is gone. Destroying it waits for the call under way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "daemon/driver.hpp"
#include "device/carry_out.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_journal.hpp"
#include "runtime/job_thread.hpp"

namespace petrel::daemon {

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

class DeviceThread {
public:
    // `hear` gets what the driver has to say about the device, in the loop.
    DeviceThread(runtime::EventLoop&, Driver&, codec::DeviceEntry, DeviceId, std::filesystem::path journal,
                 device::NoticeSink&, Driver::Say hear, device::FaultHook);
    ~DeviceThread();

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
    void ask(Work work, Answer refused, std::function<void(Answer)> then);
    Result<Opened> open_device();
    Result<void> put_back_unopened();
    Driver::Say through_the_loop() const;
    void follow_inventory();
    std::optional<Result<bool>> keep_journal();
    std::optional<std::vector<device::UnseenQueue>> other_unseen();

    runtime::EventLoop& loop_;
    runtime::SystemClock clock_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // answers in the loop's hands ask it first
    Driver& driver_;
    codec::DeviceEntry entry_;
    DeviceId id_;
    std::filesystem::path journal_path_;
    device::NoticeSink& notices_;
    Driver::Say hear_;
    device::FaultHook fault_hook_;
    // The thread's own.
    std::unique_ptr<device::Device> device_;
    std::unique_ptr<runtime::FileJournal> journal_;
    watchdog::Inventory known_;  // the journal's targets are from it
    std::uint32_t numbering_{};
    Instant journal_checked_;
    unsigned journal_lost_{};                  // times that are reported
    std::vector<device::UnseenQueue> unseen_;  // as they were last reported

    runtime::JobThread thread_;  // the last: it uses all the others
};

}  // namespace petrel::daemon
