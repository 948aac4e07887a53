#include "daemon/sample_spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace petrel::daemon {
namespace {

constexpr auto kNewest = "manager.samples";
constexpr auto kOldest = "manager.samples.1";
constexpr unsigned kSpoolMode = 0600;
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

std::uint64_t size_of_file(const runtime::FileDescriptor& file)
{
    struct stat about{};
    return ::fstat(file.get(), &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

// The line at this place without its line feed; empty: there is no whole line.
std::string line_at(const runtime::FileDescriptor& file, std::uint64_t at)
{
    std::string text(kLongestLine, '\0');
    const auto got = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(at));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    const auto end = text.find('\n');
    text.resize(end == std::string::npos ? 0 : end);
    return text;
}

// Removes the line that a process that died left unfinished.
void cut_to_whole_lines(const runtime::FileDescriptor& file)
{
    const auto size = size_of_file(file);
    const auto from = size > kLongestLine ? size - kLongestLine : 0;
    std::string tail(static_cast<std::size_t>(size - from), '\0');
    const auto got = ::pread(file.get(), tail.data(), tail.size(), static_cast<off_t>(from));
    tail.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    const auto end = tail.rfind('\n');
    static_cast<void>(::ftruncate(file.get(), static_cast<off_t>(end == std::string::npos ? from : from + end + 1)));
}

}  // namespace

SampleSpool::SampleSpool(const runtime::StateFolder& folder, std::uint64_t most_bytes)
    : folder_(folder), most_bytes_(most_bytes)
{
    if (auto left = folder_.find(kNewest, O_RDWR | O_APPEND); left && *left) {
        newest_ = std::move(**left);
        cut_to_whole_lines(newest_);
    }
    empty_ = size_of(kOldest) == 0 && size_of(kNewest) == 0;
}

std::uint64_t SampleSpool::size_of(const char* name) const
{
    const auto file = folder_.find(name, O_RDONLY);
    return file && *file ? size_of_file(**file) : 0;
}

Result<void> SampleSpool::open_newest()
{
    return folder_.create(kNewest, kSpoolMode).and_then([&](auto made) -> Result<void> {
        auto file =
            made ? Result<std::optional<runtime::FileDescriptor>>{std::move(made)} : folder_.find(kNewest, O_RDWR);
        if (!file || !*file) {
            return tl::unexpected(file ? Error{ErrorKind::unreachable, "manager.samples is gone"} : file.error());
        }
        newest_ = std::move(**file);
        return {};
    });
}

Result<bool> SampleSpool::append(std::string_view line)
{
    bool dropped = false;
    if (newest_.get() >= 0 && size_of_file(newest_) + line.size() >= most_bytes_ / 2) {
        dropped = folder_.is_taken(kOldest);
        read_to_ = dropped ? 0 : read_to_;
        size_of_next_ = dropped ? 0 : size_of_next_;
        if (const auto moved = folder_.rename(kNewest, kOldest); !moved) {
            return tl::unexpected(moved.error());
        }
        newest_ = {};
    }
    if (newest_.get() < 0) {
        if (const auto opened = open_newest(); !opened) {
            return tl::unexpected(opened.error());
        }
    }
    const auto before = size_of_file(newest_);
    auto text = std::string{line} + '\n';
    const auto written = ::pwrite(newest_.get(), text.data(), text.size(), static_cast<off_t>(before));
    if (written != static_cast<ssize_t>(text.size())) {
        const int why = written < 0 ? errno : ENOSPC;
        static_cast<void>(::ftruncate(newest_.get(), static_cast<off_t>(before)));
        return tl::unexpected(Error{ErrorKind::exhausted, fmt::format("{}: {}", folder_.path_of(kNewest).string(),
                                                                      std::generic_category().message(why))});
    }
    empty_ = false;
    return dropped;
}

std::optional<std::string> SampleSpool::line_in(const char* name) const
{
    const auto file = folder_.find(name, O_RDONLY);
    if (!file || !*file) {
        return std::nullopt;
    }
    auto line = line_at(**file, read_to_);
    return line.empty() ? std::nullopt : std::optional{std::move(line)};
}

std::optional<std::string> SampleSpool::next()
{
    auto line = line_in(kOldest);
    if (!line && folder_.is_taken(kOldest)) {
        folder_.remove(kOldest);
        read_to_ = 0;
    }
    if (!line) {
        line = line_in(kNewest);
    }
    if (!line) {
        newest_ = {};
        folder_.remove(kNewest);
        read_to_ = 0;
        empty_ = true;
    }
    size_of_next_ = line ? line->size() + 1 : 0;
    return line;
}

void SampleSpool::sent() { read_to_ += std::exchange(size_of_next_, 0); }

}  // namespace petrel::daemon
