// The checkpoint and the history of events of one device, for the next start. Both are written to one file in one
// write, so that a process that dies never leaves one without the other.
//
// Appended data survives the death of the process, but maybe not a crash of the machine: append() does not wait for the
// disk, except when the file has grown and is rewritten. After a crash of the machine, journal and device are enough to
// reconcile. A damaged file does not prevent a start: the readable part is used, the file is set aside, and damage()
// describes it. The process locks the file exclusively. Only one thread uses it. Format: state_format.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/file_lock.hpp"
#include "runtime/open_events.hpp"
#include "runtime/state_format.hpp"

namespace petrel::runtime {

class StateFile {
public:
    // Fails only if another process holds the file, or if the file exists and cannot be read and written. A full disk
    // is reported by the first append(). At least one event is kept, because the next process continues from its seq.
    static Result<std::unique_ptr<StateFile>> open(const std::filesystem::path&, std::string_view device,
                                                   std::uint32_t most_events);

    // Appends new events, in the order of their seq, and the checkpoint after them. If the write fails, the file is as
    // before, and the next call also writes what is missing.
    Result<void> append(std::span<const StoredEvent>, std::string_view checkpoint, const Now&);

    // If another process has removed or replaced the file, its lock or the folder, writes everything anew. append()
    // checks this, too; call it periodically to notice earlier. Costs a few system calls.
    Result<void> keep_name();
    // The same. True: the file was lost since the last call of keep(), and is written again.
    Result<bool> keep();
    const std::filesystem::path& path() const { return path_; }

    // The last checkpoint, of this process or an earlier one, and the newest events, oldest first. The event that
    // opened what is still open stays longer than others.
    const std::optional<Remembered>& remembered() const { return remembered_; }
    const std::deque<StoredEvent>& events() const { return events_; }
    std::uint64_t last_seq() const { return last_seq_; }

    // Describes what was wrong when the file was opened, and where that file is now; empty if nothing was.
    const std::string& damage() const { return damage_; }
    // Bytes of an unfinished record that were dropped on opening: the process or the machine died during a write.
    std::size_t tail_dropped() const { return tail_dropped_; }

private:
    StateFile(HeldFile, std::string_view device, std::uint32_t most_events);

    Result<void> load();
    void replace_damaged(std::string_view why, const std::optional<std::string>& text);
    void take(std::span<const StoredEvent>);
    void forget_one();
    Result<void> write_missing();
    Result<void> cut_back();
    Bytes whole_file() const;
    Result<void> rewrite();

    HeldFile held_;
    std::filesystem::path path_;
    std::string device_;
    std::size_t most_events_{};
    FileDescriptor file_;
    std::uint64_t size_{};        // bytes of the valid part; 0: write the whole file
    bool more_behind_{};          // the file is longer than size_
    std::uint64_t rewrite_at_{};  // the size at which to rewrite the file
    std::optional<Remembered> remembered_;
    std::deque<StoredEvent> events_;
    OpenEvents open_;          // of events_
    std::size_t unwritten_{};  // number of the last events that are not in the file yet
    std::uint64_t last_seq_{};
    std::string damage_;
    std::size_t tail_dropped_{};
    bool lost_{};  // the file was lost, and keep() has not reported it yet
};

}  // namespace petrel::runtime
