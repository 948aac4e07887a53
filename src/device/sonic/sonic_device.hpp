// A SONiC switch as a device. syncd owns the ASIC, orchagent mitigates, the agent decides. Counters come from
// COUNTERS_DB (reader.hpp) and are as old as syncd's last poll (poll_stamp.hpp). A command is a message to orchagent
// (orchagent.hpp). orchagent acts later: the messages of several commands are sent first, then each result is awaited.
// The device repeats the message as long as orchagent shows something else than was requested.
//
// lossless_off of a port is a storm on each of its queues, for which orchagent has the action drop
// (lossless_ports.hpp). Meanwhile a command for one of the queues is only remembered: it takes effect when lossless
// mode is back.
//
// SONiC's own scripts decide while the agent does not watch all of their queues (decider.hpp).
//
// The device writes none of orchagent's fields, and of the scripts' fields only the history of pauses (histories.hpp).
// It puts no sample of a queue that orchagent does not watch or treats by its big red switch.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/plain_device.hpp"
#include "device/sonic/changes.hpp"
#include "device/sonic/decider.hpp"
#include "device/sonic/doubts.hpp"
#include "device/sonic/held_pause.hpp"
#include "device/sonic/histories.hpp"
#include "device/sonic/last_polls.hpp"
#include "device/sonic/links.hpp"
#include "device/sonic/lossless_ports.hpp"
#include "device/sonic/orchagent.hpp"
#include "device/sonic/poll_stamp.hpp"
#include "device/sonic/reader.hpp"
#include "device/sonic/surviving_signals.hpp"
#include "device/status_check.hpp"

namespace petrel::device::sonic {

struct Settings {
    Duration redis{std::chrono::milliseconds{500}};      // limit for an answer of a database
    Duration orchagent{std::chrono::milliseconds{100}};  // limit for orchagent's reaction to a command
    Duration syncd{std::chrono::milliseconds{50}};       // limit for the end of a poll that is under way
    Duration wake{std::chrono::milliseconds{250}};       // limit for the wait of a look for the next poll; zero: none
    Wait wait{wait_readable};
};

class SonicDevice final : public PlainDevice {
public:
    // Fails until orchagent watches a queue and syncd has polled its counters: before that, the fields that the switch
    // has are not known. If PFC_WD has no port, the device follows the links of the ports and fails every look with the
    // reason; it requests to be opened again when a queue has counters. Denied while another detector has the switch.
    static Result<std::unique_ptr<SonicDevice>> open(const db::Databases&, DeviceId, const TimeSource&, Note,
                                                     const Settings& = {});
    ~SonicDevice() override;  // puts SONiC's scripts back, unless close() did

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override { return Undo{}; }
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<void> await_effect(const watchdog::Command&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    bool treated_by_others() const override { return true; }  // SONiC's scripts may have found storms before
    void listen(NoticeSink&) override {}
    void set_waker(const Waker& waker) override { waker_ = &waker; }
    void set_watched_rows(std::span<const Slot> rows) override { decider_.set_watched_rows(rows); }
    std::vector<UnseenQueue> unseen_queues() const override { return decider_.unseen(); }
    bool wants_reopening() const override { return decider_.is_stale() || counters_came_; }
    Result<std::vector<link::LinkSample>> read_links() override { return links_->samples(store_, reader_->layout()); }
    Result<void> close() override;

private:
    // The state of a queue from look to look.
    struct Row {
        std::optional<bool> requested;  // by the agent: true = stormed, false = not; none: the queue was not seen yet
        bool own_storm{};               // the last command for the queue itself, not for its port
        std::optional<Sent> sent;       // the message of the last command, until its result is awaited
        bool debug_storm{};
        bool watched{};
        std::uint32_t changes{};  // counters from before a change are not compared with later ones
        LastPolls polls;
        SurvivingSignals signals;
        HeldPause held;  // for switches that report only a state
    };

    SonicDevice(const db::Databases&, DeviceId, const TimeSource&, Note, const Settings&);

    Result<void> start();
    watchdog::Fields counted() const;
    Result<void> await_counters();
    Result<bool> follow();
    Result<bool> follow_layout();
    bool is_settled(const FoundLayout&);
    void adopt(FoundLayout);
    void start_over();
    Result<std::optional<Instant>> read_one_poll();
    Result<PollStamp::Seen> wait_for_poll();
    Result<void> choose_canaries();
    void watch_canaries();
    Result<void> sees_polls() const;
    Duration patience() const;
    Result<void> pass_over_hand_back();
    bool scripts_decided() const;
    Result<void> put(Instant read_at, watchdog::Intake&);
    void put(Slot, Instant read_at, const Now& seen_at, watchdog::Intake&);
    std::uint32_t epoch_of(Slot) const;
    void repeat_if_lost(Slot, bool stormed);
    Message message_for(std::uint32_t row, bool storm) const;
    Result<void> publish_again();
    bool wait_for_write();
    void simulate_storm(watchdog::Sample&) const;
    Result<const PortPlace*> port_of(const Target&) const;
    Result<std::uint32_t> row_of(const PortPlace&, Priority) const;
    Result<void> request(std::uint32_t row, bool storm);
    Result<void> await_result(std::uint32_t row);
    Result<void> await_results(const PortPlace&);
    Result<void> await_lossless(const PortPlace&);
    Result<void> switch_lossless_off(const PortPlace&);
    Result<void> restore_lossless(const PortPlace&);
    Result<watchdog::Treatment> shown_by(const PortPlace&);
    void note_once(const std::string&);

    db::Databases databases_;
    DeviceId id_;
    const TimeSource& clock_;
    Note note_;
    Settings settings_;
    const Waker* waker_{};
    std::set<std::string> noted_;
    db::RedisStore store_;
    Decider decider_;
    Changes changes_;
    PollStamp stamp_;
    std::optional<Reader> reader_;
    std::optional<Links> links_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    std::vector<Row> rows_;
    Doubts doubts_;
    LosslessPorts lossless_ports_;
    StatusCheck status_check_;
    Histories histories_;
    std::optional<FoundLayout> filling_;  // orchagent still adds queues: adopted when it no longer changes
    Instant filling_since_;
    std::vector<Message> again_;       // messages to publish again
    std::optional<Instant> all_read_;  // the poll whose counters were all put
    bool unread_{true};                // there may be a newer poll
    Instant choose_again_{Instant::min()};
    CounterGroup group_;
    bool queues_watched_{};  // orchagent has registered a queue, so syncd must poll
    Instant polled_;         // when a new poll was last seen, or when the wait for one began
    std::uint32_t stamp_changes_{};
    bool by_syncd_{};
    bool orchagent_answers_{true};  // orchagent reacted in time to the last command
    bool agent_decided_{};          // at the last look
    bool links_only_{};             // no queue had counters when the device was opened
    bool counters_came_{};          // since then
    bool closed_{};
};

}  // namespace petrel::device::sonic
