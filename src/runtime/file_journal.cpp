#include "runtime/file_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "runtime/atomic_file.hpp"

namespace petrel::runtime {
namespace {

// The journal is rewritten when it is at least this large and at least this many times as large as its open entries.
constexpr std::uint64_t kCompactFrom = 65'536;  // bytes
constexpr std::uint64_t kCompactAtTimesLive = 4;

}  // namespace

Result<std::unique_ptr<FileJournal>> FileJournal::open_file(const std::filesystem::path& path, std::string_view device,
                                                            const watchdog::Inventory& inventory)
{
    if (device.size() > kLongestStoredName) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("device name of {} bytes, at most {} are allowed",
                                                                    device.size(), kLongestStoredName)});
    }
    auto held = HeldFile::take(path);
    if (!held) {
        return tl::unexpected(held.error());
    }
    std::unique_ptr<FileJournal> journal{new FileJournal{std::move(*held), device}};
    journal->learn(inventory);
    return journal->load().map([&] { return std::move(journal); });
}

FileJournal::FileJournal(HeldFile held, std::string_view device)
    : NamedJournal(device), held_(std::move(held)), path_(held_.path())
{}

Result<void> FileJournal::load()
{
    auto file = held_.folder().find(held_.name(), O_RDWR);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (!*file) {
        return rewrite();
    }
    const auto text = read_all(**file, path_);
    if (!text) {
        return tl::unexpected(text.error());
    }
    auto content = parse_journal(std::as_bytes(std::span{*text}));
    if (!content) {
        return tl::unexpected(Error{content.error().kind, fmt::format("{}: {}", path_.string(), content.error().what)});
    }
    if (content->device != device()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{}: the journal of device '{}', not of '{}'",
                                                                    path_.string(), content->device, device())});
    }
    file_ = std::move(**file);
    size_ = content->size;
    entries_ = std::move(content->entries);
    tail_dropped_ = content->dropped;
    doubtful_ = content->version != kJournalVersion;
    if (tail_dropped_ != 0 && ::ftruncate(file_.get(), static_cast<off_t>(size_)) < 0) {
        return tl::unexpected(file_error("cut the unfinished record off", path_, errno));
    }
    return {};
}

Result<void> FileJournal::keep_name()
{
    if (!held_.lost(file_)) {
        return {};
    }
    return held_.take_again().and_then([&] { return rewrite(); }).map([&] { lost_ = true; });
}

Result<bool> FileJournal::keep()
{
    return keep_name().map([&] { return std::exchange(lost_, false); });
}

Result<void> FileJournal::write(std::span<const std::byte> record)
{
    if (auto kept = keep_name(); !kept) {
        return kept;
    }
    if (doubtful_) {
        if (auto rewritten = rewrite(); !rewritten) {
            return rewritten;
        }
    }
    auto written = write_at(file_, path_, size_, record);
    if (written) {
        written = sync_data(file_, path_);
        // After a failed sync, a later one may succeed although these bytes never reached the disk.
        doubtful_ = !written;
    }
    if (!written) {
        doubtful_ |= ::ftruncate(file_.get(), static_cast<off_t>(size_)) < 0;
        return written;
    }
    size_ += record.size();
    return {};
}

Result<void> FileJournal::rewrite()
{
    const auto bytes = journal_bytes(device(), entries_);
    auto file = held_.folder().replace(held_.name(), bytes, kOwnersFile);
    if (!file) {
        return tl::unexpected(file.error());
    }
    // The path now leads to the new file. So append to the new file, even if the sync of the folder fails.
    file_ = std::move(*file);
    size_ = bytes.size();
    const auto durable = held_.folder().sync();
    doubtful_ = !durable;
    return durable;
}

void FileJournal::changed()
{
    if (size_ < kCompactFrom || size_ < kCompactAtTimesLive * journal_bytes(device(), entries_).size()) {
        return;
    }
    // The requested change is durable already. If the rewrite fails, the file stays as it is, and the next change tries
    // again.
    static_cast<void>(rewrite());
}

}  // namespace petrel::runtime
