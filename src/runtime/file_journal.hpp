// The journal on a disk. open() and close() return when the record is durable, or when the file is as it was before.
//
// The file is held exclusively (through <path>.lock, since compaction replaces the file itself): of two processes that
// want the same journal, the second is told so. One thread. What the bytes are: file_journal_format.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/file_descriptor.hpp"
#include "runtime/file_lock.hpp"
#include "runtime/named_journal.hpp"

namespace petrel::runtime {

class FileJournal final : public NamedJournal {
public:
    // Opens the journal of a device, and makes an empty one if there is none. The inventory turns stored names into
    // ids.
    static Result<std::unique_ptr<FileJournal>> open_file(const std::filesystem::path&, std::string_view device,
                                                          const watchdog::Inventory&);

    // Another process may remove or replace the file, its lock or the folder: then all of it is written anew. A change
    // does that by itself; the caller who wants it earlier asks now and then (a few system calls).
    Result<void> keep_name();
    Result<bool> keep() override;

    std::size_t tail_dropped() const override { return tail_dropped_; }

private:
    FileJournal(HeldFile, std::string_view device);

    Result<void> load();
    Result<void> write(std::span<const std::byte>) override;
    Result<void> rewrite();
    void changed() override;  // writes the file anew if it has grown

    HeldFile held_;
    std::filesystem::path path_;
    FileDescriptor file_;
    std::uint64_t size_{};
    std::size_t tail_dropped_{};
    bool lost_{};      // and keep() has not said so
    bool doubtful_{};  // what the file holds beyond size_, or whether it is durable, is not known: rewrite it first
};

}  // namespace petrel::runtime
