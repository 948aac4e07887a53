// The journal in a file. When open() or close() succeeds, the record is durable. After a failure the file is as before,
// or it is rewritten before the next record.
//
// The process locks the file exclusively, through <path>.lock because compaction replaces the file itself. A second
// process that opens the same journal gets an error. Only one thread uses it. Format: file_journal_format.hpp.
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
    // Opens the journal of a device, or creates an empty one. The inventory maps stored names to port ids.
    static Result<std::unique_ptr<FileJournal>> open_file(const std::filesystem::path&, std::string_view device,
                                                          const watchdog::Inventory&);

    // If another process has removed or replaced the file, its lock or the folder, writes everything anew. open() and
    // close() check this, too; call it periodically to notice earlier. Costs a few system calls.
    Result<void> keep_name();
    Result<bool> keep() override;

    std::size_t tail_dropped() const override { return tail_dropped_; }

private:
    FileJournal(HeldFile, std::string_view device);

    Result<void> load();
    Result<void> write(std::span<const std::byte>) override;
    Result<void> rewrite();
    void changed() override;  // rewrites the file if it has grown too much

    HeldFile held_;
    std::filesystem::path path_;
    FileDescriptor file_;
    std::uint64_t size_{};
    std::size_t tail_dropped_{};
    bool lost_{};  // the file was lost, and keep() has not reported it yet
    // Rewrite before the next record: the content beyond size_ or its durability is unknown, or an earlier version of
    // the program wrote the file.
    bool doubtful_{};
};

}  // namespace petrel::runtime
