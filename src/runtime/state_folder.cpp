#include "runtime/state_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

namespace petrel::runtime {
namespace {

constexpr std::string_view kDraftEnd = ".tmp";
constexpr int kDraftAttempts = 3;

struct Owners {
    uid_t ours{};
    uid_t folders{};
};

std::string_view kind_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR: return "a folder";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    case S_IFLNK: return "a symbolic link";
    case S_IFCHR:
    case S_IFBLK: return "a device";
    default: return "no regular file";
    }
}

Error unfit(ErrorKind kind, const std::filesystem::path& path, std::string_view what, std::string_view allowed)
{
    return {kind, fmt::format("cannot open {}: it is {}; allowed: {}", path.string(), what, allowed)};
}

Result<void> check_regular(const struct stat& found, const std::filesystem::path& path)
{
    if (!S_ISREG(found.st_mode)) {
        return tl::unexpected(unfit(ErrorKind::invalid, path, kind_name(found.st_mode), "a regular file"));
    }
    return {};
}

Result<void> check(const struct stat& found, const std::filesystem::path& path, const Owners& owners)
{
    if (auto regular = check_regular(found, path); !regular) {
        return regular;
    }
    if (found.st_nlink > 1) {
        return tl::unexpected(unfit(ErrorKind::denied, path,
                                    fmt::format("a file with {} names (hard links)", found.st_nlink), "one name"));
    }
    if (found.st_uid != owners.ours && found.st_uid != owners.folders) {
        return tl::unexpected(unfit(ErrorKind::denied, path, fmt::format("a file of uid {}", found.st_uid),
                                    owners.ours == owners.folders
                                        ? fmt::format("one of uid {}", owners.ours)
                                        : fmt::format("one of uid {} or {}", owners.ours, owners.folders)));
    }
    return {};
}

struct stat status_of(const FileDescriptor& file)
{
    struct stat found{};
    ::fstat(file.get(), &found);
    return found;
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

Result<FileDescriptor> open_folder(const std::filesystem::path& folder, const std::filesystem::path& known_as)
{
    return open_path(folder, O_RDONLY | O_DIRECTORY, 0, known_as);
}

// A draft of "sw.state" is "sw.state.4711.tmp", with the pid of its writer.
bool is_draft_of(std::string_view name, std::string_view of)
{
    if (!name.starts_with(of) || !name.ends_with(kDraftEnd) || name.size() < of.size() + kDraftEnd.size() + 2) {
        return false;
    }
    const auto pid = name.substr(of.size(), name.size() - of.size() - kDraftEnd.size());
    return pid.front() == '.' && std::ranges::all_of(pid.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> names_in(const FileDescriptor& folder)
{
    std::vector<std::string> names;
    const int own = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> list{own < 0 ? nullptr : ::fdopendir(own), &::closedir};
    while (const auto* entry = list ? ::readdir(list.get()) : nullptr) {
        names.emplace_back(entry->d_name);
    }
    return names;
}

}  // namespace

Result<StateFolder> StateFolder::of(const std::filesystem::path& file)
{
    auto path = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    return open_folder(path, file).map([&](FileDescriptor&& folder) {
        return StateFolder{std::move(path), std::move(folder)};
    });
}

// Checks twice. The check before openat() gives a good error and avoids opening anything but a file. The check of the
// open file decides, because another process may have replaced the name in between.
Result<std::optional<FileDescriptor>> StateFolder::find(const std::string& name, int access) const
{
    const auto path = path_of(name);
    const Owners owners{::geteuid(), status_of(folder_).st_uid};
    struct stat found{};
    if (::fstatat(folder_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) {
            return std::nullopt;
        }
        return tl::unexpected(file_error("find", path, errno));
    }
    if (auto good = check(found, path, owners); !good) {
        return tl::unexpected(std::move(good.error()));
    }
    FileDescriptor file{::openat(folder_.get(), name.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
    if (file.get() < 0) {
        return tl::unexpected(file_error("open", path, errno));
    }
    return check(status_of(file), path, owners).map([&] { return std::optional{std::move(file)}; });
}

Result<std::optional<std::string>> StateFolder::read(const std::string& name, std::uint64_t most) const
{
    return find(name, O_RDONLY).and_then([&](const auto& file) -> Result<std::optional<std::string>> {
        if (!file) {
            return std::nullopt;
        }
        return read_all(*file, path_of(name), most).map([](std::string text) {
            return std::optional{std::move(text)};
        });
    });
}

Result<std::optional<FileDescriptor>> StateFolder::create(const std::string& name, unsigned mode) const
{
    return create(name, mode, path_of(name));
}

Result<std::optional<FileDescriptor>> StateFolder::create(const std::string& name, unsigned mode,
                                                          const std::filesystem::path& known_as) const
{
    FileDescriptor file{
        ::openat(folder_.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
    if (file.get() >= 0) {
        leave_to_owner(file);
        return file;
    }
    if (errno == EEXIST) {
        return std::nullopt;
    }
    return tl::unexpected(file_error("open", known_as, errno));
}

// A service that does not run as root must be able to use files that root created here. In a folder with the sticky bit
// (like /tmp) root keeps its files.
void StateFolder::leave_to_owner(const FileDescriptor& created) const
{
    const auto folder = status_of(folder_);
    if (::geteuid() == 0 && (folder.st_mode & S_ISVTX) == 0) {
        [[maybe_unused]] const auto done = ::fchown(created.get(), folder.st_uid, folder.st_gid);
    }
}

// Removes any file of this name first, for example the draft of a dead process with the same pid.
Result<FileDescriptor> StateFolder::create_draft(const std::string& draft, unsigned mode,
                                                 const std::filesystem::path& known_as) const
{
    for (int attempt = 0; attempt != kDraftAttempts; ++attempt) {
        auto file = create(draft, mode, known_as);
        if (!file) {
            return tl::unexpected(std::move(file.error()));
        }
        if (*file) {
            return std::move(**file);
        }
        remove(draft);
    }
    return tl::unexpected(file_error("open", path_of(draft), EEXIST));
}

Result<FileDescriptor> StateFolder::replace(const std::string& name, std::span<const std::byte> bytes,
                                            unsigned mode) const
{
    // The name contains the pid, so that two processes never write to the same draft.
    const auto draft = fmt::format("{}.{}{}", name, ::getpid(), kDraftEnd);
    const auto path = path_of(name);
    auto file = create_draft(draft, mode, path);
    if (!file) {
        return file;
    }
    struct stat before{};
    if (::fstatat(folder_.get(), name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(before.st_mode)) {
        ::fchmod(file->get(), before.st_mode & 0777U);  // if it fails, the file has the mode of a new one
    }
    auto written = write_at(*file, path, 0, bytes).and_then([&] { return sync_data(*file, path); });
    if (written && ::renameat(folder_.get(), draft.c_str(), folder_.get(), name.c_str()) != 0) {
        written = tl::unexpected(file_error("replace", path, errno));
    }
    if (!written) {
        remove(draft);
        return tl::unexpected(std::move(written.error()));
    }
    return file;
}

Result<void> StateFolder::sync() const
{
    if (::fsync(folder_.get()) != 0) {
        return tl::unexpected(file_error("make durable", path_, errno));
    }
    return {};
}

bool StateFolder::is_taken(const std::string& name) const
{
    struct stat found{};
    return ::fstatat(folder_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<void> StateFolder::rename(const std::string& from, const std::string& to) const
{
    if (::renameat(folder_.get(), from.c_str(), folder_.get(), to.c_str()) != 0) {
        return tl::unexpected(file_error("rename", path_of(from), errno));
    }
    return {};
}

void StateFolder::remove(const std::string& name) const { ::unlinkat(folder_.get(), name.c_str(), 0); }

void StateFolder::remove_drafts(const std::string& name) const
{
    for (const auto& entry : names_in(folder_)) {
        struct stat found{};
        if (is_draft_of(entry, name) && ::fstatat(folder_.get(), entry.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(found.st_mode)) {
            ::unlinkat(folder_.get(), entry.c_str(), 0);
        }
    }
}

bool StateFolder::leads_to(const std::string& name, const FileDescriptor& file) const
{
    struct stat folder{};
    struct stat found{};
    return ::stat(path_.c_str(), &folder) == 0 && same_file(folder, status_of(folder_)) &&
           ::fstatat(folder_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           same_file(found, status_of(file));
}

Result<void> StateFolder::reopen()
{
    std::error_code denied;  // open_folder() reports it
    std::filesystem::create_directories(path_, denied);
    return open_folder(path_, path_).map([&](FileDescriptor&& folder) { folder_ = std::move(folder); });
}

// Checks the size after each piece, because a file may grow while it is read.
Result<std::string> read_all(const FileDescriptor& file, const std::filesystem::path& path, std::uint64_t most)
{
    std::string text;
    std::array<char, 65536> piece;
    for (auto size = static_cast<std::uint64_t>(status_of(file).st_size); size <= most; size = text.size()) {
        const auto got = ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
        if (got == 0) {
            return text;
        }
        if (got < 0 && errno != EINTR) {
            return tl::unexpected(file_error("read", path, errno));
        }
        text.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    return tl::unexpected(Error{
        ErrorKind::invalid, fmt::format("cannot read {}: it is too large; allowed: {} bytes", path.string(), most)});
}

Result<std::string> read_regular_file(const std::filesystem::path& path)
{
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) {
        return tl::unexpected(file_error("open", path, errno));
    }
    return check_regular(found, path)
        .and_then([&] { return open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY); })
        .and_then([&](const FileDescriptor& file) {
            return check_regular(status_of(file), path).and_then([&] { return read_all(file, path); });
        });
}

Result<int> link_flag(const std::filesystem::path& path)
{
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) {
        return O_NOFOLLOW;
    }
    if (found.st_uid != 0 && found.st_uid != ::geteuid()) {
        return tl::unexpected(unfit(ErrorKind::denied, path, fmt::format("a symbolic link of uid {}", found.st_uid),
                                    "a link of root or of the user who runs this"));
    }
    return 0;
}

}  // namespace petrel::runtime
