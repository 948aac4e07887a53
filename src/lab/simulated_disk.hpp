// The disk of an agent in the lab: the bytes of its state and of its journal, in the formats of the files, and what its
// uplink keeps. They survive a kill; a scenario can tear them, lose them, and make the disk slow or full. DiskMemory is
// one process's access to the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/memory.hpp"
#include "runtime/file_journal_format.hpp"
#include "runtime/state_format.hpp"
#include "uplink/stored.hpp"

namespace petrel::lab {

struct SimulatedDisk {
    std::string device;  // name of the agent's device
    runtime::Bytes state;
    runtime::Bytes journal;
    std::size_t last_record{};          // bytes of the state's last record
    std::size_t last_journal_record{};  // bytes of the journal's last record; 0: none, or it is part of a rewrite
    uplink::Acknowledged acknowledged;  // by the manager
    std::deque<std::string> samples;    // lines that wait for the manager
    bool full{};                        // every write fails
    Duration write_takes{};
    std::string boot_id{"twin"};  // of the machine: the same for a whole run of the lab, in which no machine reboots

    // Simulates a power loss during a write: the last `bytes` of the state (none: half of its last record) never
    // reached the disk, and the journal ends with an unfinished record. Complete records of the journal are durable,
    // unless the disk loses what it has confirmed: `of_journal` bytes, at most all but one byte of the last record.
    void tear(std::optional<std::size_t> bytes, std::optional<std::size_t> of_journal);
    void lose();

    // The treatments in force, by the journal.
    std::vector<runtime::JournalEntry> journaled() const;
};

Error disk_full(const std::string& what);

class DiskMemory final : public runner::Memory {
public:
    static constexpr std::size_t kMostEvents = 100;

    // `written` is called for each write to the state, in the loop. The disk outlives the memory.
    DiskMemory(SimulatedDisk&, std::function<void()> written);

    std::optional<Loaded> load(const Now&) const override;
    const std::deque<runner::StoredEvent>& events() const override { return events_; }
    std::uint64_t last_seq() const override { return last_seq_; }
    Result<void> append(std::span<const runner::StoredEvent>, std::string_view checkpoint, const Now&) override;
    const std::string& damage() const override { return damage_; }
    std::size_t tail_dropped() const override { return tail_dropped_; }
    Result<bool> keep() override { return false; }
    Result<std::unique_ptr<runner::KeptJournal>> open_journal(const watchdog::Inventory&) override;
    Result<std::size_t> journaled() const override;
    std::string state_name() const override { return disk_.device + ".state"; }
    std::string journal_name() const override { return disk_.device + ".journal"; }

private:
    void take(std::span<const runner::StoredEvent>);
    void write(std::span<const runner::StoredEvent>);

    SimulatedDisk& disk_;
    std::function<void()> written_;
    std::optional<runtime::Remembered> remembered_;
    std::deque<runner::StoredEvent> events_;
    std::size_t unwritten_{};   // number of events at the end of events_ that are not written yet
    std::size_t rewrite_at_{};  // size of the state at which it is rewritten
    std::uint64_t last_seq_{};
    std::string damage_;
    std::size_t tail_dropped_{};
};

}  // namespace petrel::lab
