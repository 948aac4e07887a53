// What a service must know of one device after a restart: what its watchdog remembers, and the history of its events.
// Both are in one file and in one write, so that no death leaves one without the other.
//
// What was appended outlives the process. It may not outlive the machine: nothing waits for the disk here, except when
// the file has grown and is written anew, and the journal and the device are witnesses enough after a crash. A damaged
// file keeps nobody from starting: what can be read is taken, the file is set aside, and damage() says so. The file is
// held alone. One thread. What the bytes are: state_format.hpp.
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
#include "runtime/state_format.hpp"

namespace petrel::runtime {

class StateFile {
public:
    // Fails only if another process holds the file, or if it is there and may not be read and written. A disk that is
    // full now is met at the first append. At least one event is kept: its seq is where the next process goes on.
    static Result<std::unique_ptr<StateFile>> open(const std::filesystem::path&, std::string_view device,
                                                   std::uint32_t most_events);

    // Takes new events (their seq goes on growing) and the checkpoint after them. If they cannot be written, the file
    // is as it was, and the next call writes what is missing.
    Result<void> append(std::span<const StoredEvent>, std::string_view checkpoint, const Now&);

    // Another process may remove or replace the file, its lock or the folder: then all of it is written anew. append()
    // does that by itself; the caller who wants it earlier asks now and then (a few system calls).
    Result<void> keep_name();
    // The same. True: it was written anew since the last call.
    Result<bool> keep();
    const std::filesystem::path& path() const { return path_; }

    // What was handed over last, by this process or an earlier one, and the newest events, oldest first.
    const std::optional<Remembered>& remembered() const { return remembered_; }
    const std::deque<StoredEvent>& events() const { return events_; }
    std::uint64_t last_seq() const { return last_seq_; }

    // What was wrong when the file was opened, and where it is now; empty: nothing was.
    const std::string& damage() const { return damage_; }
    // Bytes of an unfinished record that were dropped on opening: a process or a machine died while it wrote.
    std::size_t tail_dropped() const { return tail_dropped_; }

private:
    StateFile(HeldFile, std::string_view device, std::uint32_t most_events);

    Result<void> load();
    void replace_damaged(std::string_view why, const std::optional<std::string>& text);
    void take(std::span<const StoredEvent>);
    Result<void> write_missing();
    Result<void> cut_back();
    Bytes whole_file() const;
    Result<void> rewrite();

    HeldFile held_;
    std::filesystem::path path_;
    std::string device_;
    std::size_t most_events_{};
    FileDescriptor file_;
    std::uint64_t size_{};        // of what is good; 0: the file is to be written as a whole
    bool more_behind_{};          // the file is longer than that
    std::uint64_t rewrite_at_{};  // the size at which it has grown enough
    std::optional<Remembered> remembered_;
    std::deque<StoredEvent> events_;
    std::size_t unwritten_{};  // so many of the last of them
    std::uint64_t last_seq_{};
    std::string damage_;
    std::size_t tail_dropped_{};
    bool lost_{};  // and keep() has not said so
};

}  // namespace petrel::runtime
