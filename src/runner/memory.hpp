// The data of a device that outlives the process: the state (the watchdog's checkpoint and the newest events, always
// written together) and the journal of the treatments in force. In the service both are files. In the lab they are
// bytes that survive a kill, and that a scenario can tear or lose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "device/journal.hpp"
#include "watchdog/observation.hpp"

namespace petrel::runner {

struct StoredEvent {
    std::uint64_t seq{};
    std::string json;  // one line as in docs/events.md, without the line feed
    bool operator==(const StoredEvent&) const = default;
};

// A journal that was loaded from its storage. Only the worker uses it.
class KeptJournal : public device::Journal {
public:
    // Bytes of an unfinished record that were dropped on opening: the process or the machine died during a write.
    virtual std::size_t tail_dropped() const = 0;
    // Entries for ports that the inventory does not have now. They are kept until the port is back.
    virtual std::size_t absent_entry_count() const = 0;
    // Checks that the journal is still in its place. True: it was lost since the last call, and is written again.
    virtual Result<bool> keep() = 0;
};

// Contract: open_journal() is called by the worker, everything else in the loop.
class Memory {
public:
    struct Loaded {
        std::string checkpoint;  // as codec::checkpoint_json writes it
        Duration age{};          // since it was appended
        bool rebooted{};         // the machine was booted again since then
    };

    virtual ~Memory() = default;

    // The checkpoint that was appended last, by this process or an earlier one.
    virtual std::optional<Loaded> load(const Now&) const = 0;
    // Oldest first: the newest, and those that opened a storm that is not over.
    virtual const std::deque<StoredEvent>& events() const = 0;
    virtual std::uint64_t last_seq() const = 0;

    // Appends new events, in the order of their seq, and the checkpoint after them. Once it has succeeded, they survive
    // the death of the process. If it fails, the next call also writes what is missing.
    virtual Result<void> append(std::span<const StoredEvent>, std::string_view checkpoint, const Now&) = 0;

    // Describes what was wrong when the state was read; empty if nothing was.
    virtual const std::string& damage() const = 0;
    // Bytes of an unfinished record that were dropped on reading.
    virtual std::size_t tail_dropped() const = 0;
    // Checks that the state is still in its place. True: it was lost since the last call, and is written again.
    virtual Result<bool> keep() = 0;

    // The inventory maps the names in the journal to rows and ports.
    virtual Result<std::unique_ptr<KeptJournal>> open_journal(const watchdog::Inventory&) = 0;
    // How many treatments are in force by the journal. Needs neither the device nor the worker, which may hang.
    virtual Result<std::size_t> journaled() const = 0;

    // Where state and journal are, for messages.
    virtual std::string state_name() const = 0;
    virtual std::string journal_name() const = 0;
};

}  // namespace petrel::runner
