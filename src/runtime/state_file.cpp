#include "runtime/state_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "runtime/atomic_file.hpp"

namespace petrel::runtime {
namespace {

// The file is rewritten when it has grown by three times the size of its live content, within these bounds.
constexpr std::uint64_t kLeastGrowth = 1U << 20U;
constexpr std::uint64_t kMostGrowth = 1U << 26U;
// State files are much smaller. A larger file is not a state file, and is not read.
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30U;
// How many damaged files are kept. Further ones replace the last.
constexpr int kMostSetAside = 9;

std::uint64_t grown(std::uint64_t live) { return live + std::clamp(3 * live, kLeastGrowth, kMostGrowth); }

}  // namespace

Result<std::unique_ptr<StateFile>> StateFile::open(const std::filesystem::path& path, std::string_view device,
                                                   std::uint32_t most_events)
{
    if (device.size() > kLongestStoredName) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("device name of {} bytes, at most {} are allowed",
                                                                    device.size(), kLongestStoredName)});
    }
    auto held = HeldFile::take(path);
    if (!held) {
        return tl::unexpected(held.error());
    }
    std::unique_ptr<StateFile> state{new StateFile{std::move(*held), device, most_events}};
    return state->load().map([&] { return std::move(state); });
}

StateFile::StateFile(HeldFile held, std::string_view device, std::uint32_t most_events)
    : held_(std::move(held)), path_(held_.path()), device_(device), most_events_(std::max(most_events, 1U))
{}

Result<void> StateFile::load()
{
    auto file = held_.folder().find(held_.name(), O_RDWR);
    if (file && !*file) {
        return {};
    }
    const auto text = file ? read_all(**file, path_, kLargestFile) : tl::unexpected(file.error());
    if (!text && text.error().kind == ErrorKind::invalid) {
        replace_damaged(text.error().what, std::nullopt);
        return {};
    }
    if (!text) {
        return tl::unexpected(text.error());
    }
    auto content = parse_state(std::as_bytes(std::span{*text}), device_);
    remembered_ = std::move(content.remembered);
    take(content.events);
    if (!content.damage.empty()) {
        replace_damaged(fmt::format("{}: {}", path_.string(), content.damage), *text);
        return {};
    }
    unwritten_ = 0;
    size_ = content.size;
    tail_dropped_ = content.dropped;
    more_behind_ = tail_dropped_ != 0;
    file_ = std::move(**file);
    rewrite_at_ = grown(whole_file().size());
    return {};
}

// Copies a damaged file: it keeps its name until a good one replaces it, so that a process that dies in between loses
// nothing. Moves what cannot be read (a folder, a FIFO, a link).
void StateFile::replace_damaged(std::string_view why, const std::optional<std::string>& text)
{
    const auto& folder = held_.folder();
    int n = 1;
    std::string aside;
    do {
        aside = fmt::format("{}.bad-{}", held_.name(), n);
    } while (folder.is_taken(aside) && n++ < kMostSetAside);
    folder.remove(aside);
    const auto set_aside =
        text ? folder.replace(aside, std::as_bytes(std::span{*text}), kOwnersFile).map([](const FileDescriptor&) {})
             : folder.rename(held_.name(), aside);
    damage_ = set_aside ? fmt::format("{}; set aside as {}", why, folder.path_of(aside).string())
                        : fmt::format("{}; it cannot be set aside: {}", why, set_aside.error().what);
    // Rewrite at once, or every later start would find the damage again. If it fails, the next append() tries again.
    static_cast<void>(rewrite());
}

void StateFile::take(std::span<const StoredEvent> events)
{
    for (const auto& event : events) {
        events_.push_back(event);
        open_.add(event);
        last_seq_ = event.seq;
    }
    unwritten_ += events.size();
    while (events_.size() > most_events_) {
        forget_one();
    }
}

// The oldest event that opened nothing that is still open. Those that did fill at most half of the history.
void StateFile::forget_one()
{
    const bool most_are_open = 2 * open_.size() > most_events_;
    const auto closed = std::ranges::find_if(events_, [&](const auto& event) { return !open_.contains(event.seq); });
    const auto goes = most_are_open || closed == events_.end() ? events_.begin() : closed;
    unwritten_ -= static_cast<std::size_t>(events_.end() - goes) <= unwritten_ ? 1U : 0U;
    open_.forget(*goes);
    events_.erase(goes);
}

Result<void> StateFile::append(std::span<const StoredEvent> events, std::string_view checkpoint, const Now& now)
{
    auto last = last_seq_;
    for (const auto& event : events) {
        if (event.seq <= std::exchange(last, event.seq)) {
            return tl::unexpected(Error{ErrorKind::invalid,
                                        fmt::format("{}: event {} is in the file already", path_.string(), event.seq)});
        }
    }
    auto boot = this_boot();
    remembered_ = Remembered{std::string{checkpoint}, now.wall, std::move(boot.id), boot.age};
    take(events);
    return write_missing();
}

Result<void> StateFile::keep_name()
{
    if (size_ == 0 || !held_.lost(file_)) {
        return {};
    }
    return held_.take_again().and_then([&] { return rewrite(); }).map([&] { lost_ = true; });
}

Result<bool> StateFile::keep()
{
    return keep_name().map([&] { return std::exchange(lost_, false); });
}

Result<void> StateFile::write_missing()
{
    if (size_ == 0) {
        return rewrite();
    }
    if (auto kept = keep_name(); !kept) {
        return kept;
    }
    if (auto good = cut_back(); !good) {
        return good;
    }
    const std::vector<StoredEvent> missing{events_.end() - static_cast<std::ptrdiff_t>(unwritten_), events_.end()};
    const auto record = state_record(device_, *remembered_, missing);
    if (auto written = write_at(file_, path_, size_, record); !written) {
        more_behind_ = true;
        static_cast<void>(cut_back());  // if it fails, the next write tries again
        return written;
    }
    size_ += record.size();
    unwritten_ = 0;
    if (size_ >= rewrite_at_) {
        // The record is written already. If the rewrite fails, the file stays as it is; try again after more growth.
        rewrite_at_ = size_ + kLeastGrowth;
        static_cast<void>(rewrite());
    }
    return {};
}

// Removes the unfinished record that a failed write or a dead process left after the good part, so that the next record
// follows the good part directly.
Result<void> StateFile::cut_back()
{
    if (more_behind_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) < 0) {
        return tl::unexpected(file_error("cut the unfinished record off", path_, errno));
    }
    more_behind_ = false;
    return {};
}

Bytes StateFile::whole_file() const
{
    auto bytes = state_header(device_);
    if (remembered_) {
        const auto record = state_record(device_, *remembered_, std::vector(events_.begin(), events_.end()));
        bytes.insert(bytes.end(), record.begin(), record.end());
    }
    return bytes;
}

Result<void> StateFile::rewrite()
{
    const auto bytes = whole_file();
    auto file = held_.folder().replace(held_.name(), bytes, kOwnersFile);
    if (!file) {
        return tl::unexpected(file.error());
    }
    file_ = std::move(*file);
    size_ = bytes.size();
    more_behind_ = false;
    unwritten_ = 0;
    rewrite_at_ = grown(size_);
    return held_.folder().sync();
}

}  // namespace petrel::runtime
