// The journal on a disk. open() and close() return when the record is durable, or when the file is as it was before.
//
// The file is held exclusively (through <path>.lock, since compaction replaces the file itself): of two processes that
// want the same journal, the second is told so. One thread. What the bytes are: file_journal_format.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/journal.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/file_journal_format.hpp"
#include "runtime/file_lock.hpp"
#include "watchdog/observation.hpp"

namespace petrel::runtime {

class FileJournal final : public device::Journal {
public:
    // Opens the journal of a device, and makes an empty one if there is none. The inventory turns stored names into
    // ids.
    static Result<std::unique_ptr<FileJournal>> open_file(const std::filesystem::path&, std::string_view device,
                                                          const watchdog::Inventory&);

    Result<void> open(const device::Active&) override;
    Result<void> close(const Target&) override;
    Result<std::vector<device::Active>> active() override;
    void renumber(const watchdog::Inventory& before, const watchdog::Inventory& after) override;

    // Entries of ports that the inventory does not have now. They are kept until the port is back.
    std::vector<JournalEntry> strangers() const;

    // Another process may remove or replace the file, its lock or the folder: then all of it is written anew. A change
    // does that by itself; the caller who wants it earlier asks now and then (a few system calls).
    Result<void> keep_name();
    unsigned times_lost() const { return times_lost_; }  // so often it was written anew

    // Bytes of an unfinished record that were dropped on opening: a process or a machine died while it wrote.
    std::size_t tail_dropped() const { return tail_dropped_; }

private:
    FileJournal(HeldFile, std::string_view device);

    Result<void> load();
    void learn(const watchdog::Inventory&);
    Result<NamedTarget> named(const Target&) const;
    std::optional<Target> known(const NamedTarget&) const;
    Result<void> append(std::span<const std::byte>);
    Result<void> rewrite();
    void compact_if_grown();

    HeldFile held_;
    std::filesystem::path path_;
    std::string device_;
    DeviceId device_id_;
    std::vector<std::string> ports_;                          // names, by PortId::index
    std::unordered_map<std::string, std::uint16_t> numbers_;  // the other way round
    FileDescriptor file_;
    std::uint64_t size_{};
    std::vector<JournalEntry> entries_;
    std::size_t tail_dropped_{};
    unsigned times_lost_{};
    bool doubtful_{};  // what the file holds beyond size_, or whether it is durable, is not known: rewrite it first
};

}  // namespace petrel::runtime
