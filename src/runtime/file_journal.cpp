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

// A journal is rewritten when it is this large and mostly history.
constexpr std::uint64_t kCompactFrom = 65'536;  // bytes
constexpr std::uint64_t kCompactAtTimesLive = 4;

DeviceId device_of(const watchdog::Inventory& inventory)
{
    return inventory.rows.empty() ? DeviceId{} : inventory.rows.front().target.port.device;
}

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
    : held_(std::move(held)), path_(held_.path()), device_(device)
{}

void FileJournal::learn(const watchdog::Inventory& inventory)
{
    device_id_ = device_of(inventory);
    ports_.clear();
    numbers_.clear();
    for (const auto& port : inventory.ports) {
        numbers_.emplace(port.name, static_cast<std::uint16_t>(ports_.size()));
        ports_.push_back(port.name);
    }
}

// Names are what is stored, so there is nothing to rewrite.
void FileJournal::renumber(const watchdog::Inventory&, const watchdog::Inventory& after) { learn(after); }

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
    if (content->device != device_) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{}: the journal of device '{}', not of '{}'",
                                                                    path_.string(), content->device, device_)});
    }
    file_ = std::move(**file);
    size_ = content->size;
    entries_ = std::move(content->entries);
    tail_dropped_ = content->dropped;
    if (tail_dropped_ != 0 && ::ftruncate(file_.get(), static_cast<off_t>(size_)) < 0) {
        return tl::unexpected(file_error("cut the unfinished record off", path_, errno));
    }
    return {};
}

Result<void> FileJournal::open(const device::Active& active)
{
    if (active.undo.size > active.undo.bytes.size()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("undo of {} bytes, at most {} are allowed",
                                                                    active.undo.size, active.undo.bytes.size())});
    }
    auto target = named(active.target);
    if (!target) {
        return tl::unexpected(target.error());
    }
    const JournalEntry entry{std::move(*target), active.treatment, active.undo, active.since};
    auto after = entries_;
    enter(after, entry);
    if (after == entries_) {
        return {};
    }
    return append(open_record(entry)).map([&] {
        entries_ = std::move(after);
        compact_if_grown();
    });
}

Result<void> FileJournal::close(const Target& target)
{
    const auto name = named(target);
    if (!name) {
        return tl::unexpected(name.error());
    }
    auto after = entries_;
    remove(after, *name);
    if (after == entries_) {
        return {};
    }
    return append(close_record(*name)).map([&] {
        entries_ = std::move(after);
        compact_if_grown();
    });
}

Result<std::vector<device::Active>> FileJournal::active()
{
    std::vector<device::Active> all;
    for (const auto& entry : entries_) {
        if (const auto target = known(entry.target)) {
            all.push_back({*target, entry.treatment, entry.undo, entry.since});
        }
    }
    return all;
}

std::vector<JournalEntry> FileJournal::strangers() const
{
    std::vector<JournalEntry> unknown;
    std::ranges::copy_if(entries_, std::back_inserter(unknown),
                         [&](const auto& entry) { return !known(entry.target); });
    return unknown;
}

Result<NamedTarget> FileJournal::named(const Target& target) const
{
    if (target.port.index >= ports_.size() || ports_[target.port.index].size() > kLongestStoredName) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("port {} has no name that can be stored", target.port.index)});
    }
    return NamedTarget{ports_[target.port.index], target.priority};
}

std::optional<Target> FileJournal::known(const NamedTarget& target) const
{
    const auto port = numbers_.find(target.port);
    if (port == numbers_.end()) {
        return std::nullopt;
    }
    return Target{{device_id_, port->second}, target.priority};
}

Result<void> FileJournal::keep_name()
{
    if (!held_.lost(file_)) {
        return {};
    }
    return held_.take_again().and_then([&] { return rewrite(); }).map([&] { ++times_lost_; });
}

Result<void> FileJournal::append(std::span<const std::byte> record)
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
    const auto bytes = journal_bytes(device_, entries_);
    auto file = held_.folder().replace(held_.name(), bytes, kOwnersFile);
    if (!file) {
        return tl::unexpected(file.error());
    }
    // From here on the path leads to the new file, so this is the one to append to, whatever the folder's sync says.
    file_ = std::move(*file);
    size_ = bytes.size();
    const auto durable = held_.folder().sync();
    doubtful_ = !durable;
    return durable;
}

void FileJournal::compact_if_grown()
{
    if (size_ < kCompactFrom || size_ < kCompactAtTimesLive * journal_bytes(device_, entries_).size()) {
        return;
    }
    // What was asked for is durable already. A rewrite that fails leaves the file as it is, for the next change to try
    // again.
    static_cast<void>(rewrite());
}

}  // namespace petrel::runtime
