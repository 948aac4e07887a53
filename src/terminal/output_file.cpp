#include "terminal/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "runtime/atomic_file.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/state_folder.hpp"
#include "terminal/terminal.hpp"

namespace petrel {

namespace {

constexpr int kMostLinks = 16;

Error cannot_write(const std::filesystem::path& path, std::string_view why)
{
    return {ErrorKind::denied, fmt::format("cannot write {}: {}", path.string(), why)};
}

Error cannot_write(const std::filesystem::path& path, int error_number)
{
    return cannot_write(path, std::generic_category().message(error_number));
}

// Root does not write through a symbolic link of another user in the path: it may lead anywhere.
Result<void> check_folders(const std::filesystem::path& file)
{
    if (::geteuid() != 0) {
        return {};
    }
    std::filesystem::path folder;
    for (const auto& part : file.parent_path()) {
        folder /= part;
        if (const auto link = runtime::link_flag(folder); !link) {
            return tl::unexpected(link.error());
        }
    }
    return {};
}

// The file behind a path, after following its symbolic links. The descriptor (O_PATH) pins the file, so that another
// user cannot exchange it meanwhile; without a descriptor the file does not exist yet.
struct Destination {
    std::filesystem::path path;
    runtime::FileDescriptor place;
    struct stat status{};
};

Result<Destination> destination_of(std::filesystem::path path)
{
    for (int links = 0; links <= kMostLinks; ++links) {
        if (const auto good = check_folders(path); !good) {
            return tl::unexpected(good.error());
        }
        runtime::FileDescriptor place{::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
        struct stat status{};
        if (place.get() < 0 && errno == ENOENT) {
            return Destination{std::move(path), {}, {}};
        }
        if (place.get() < 0 || ::fstat(place.get(), &status) != 0) {
            return tl::unexpected(cannot_write(path, errno));
        }
        if (!S_ISLNK(status.st_mode)) {
            return Destination{std::move(path), std::move(place), status};
        }
        if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
            return tl::unexpected(cannot_write(path, fmt::format("it is a symbolic link of uid {}, allowed a link of "
                                                                 "root or of the user who runs this",
                                                                 status.st_uid)));
        }
        struct statfs system{};
        if (::fstatfs(place.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC) {
            // The kernel's links to open files, as behind /dev/stdout, cannot be followed by their text.
            runtime::FileDescriptor open_file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
            if (open_file.get() < 0 || ::fstat(open_file.get(), &status) != 0) {
                return tl::unexpected(cannot_write(path, errno));
            }
            return Destination{std::move(path), std::move(open_file), status};
        }
        std::array<char, 4096> target{};
        const auto size = ::readlinkat(place.get(), "", target.data(), target.size());
        if (size <= 0) {
            return tl::unexpected(cannot_write(path, errno));
        }
        path = path.parent_path() / std::string_view{target.data(), static_cast<std::size_t>(size)};
    }
    return tl::unexpected(cannot_write(path, ELOOP));
}

// A device or a pipe: writes the whole text to it.
Result<void> write_through(const Destination& to, std::string_view text)
{
    const auto by_descriptor = fmt::format("/proc/self/fd/{}", to.place.get());
    const runtime::FileDescriptor file{::open(by_descriptor.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
    while (file.get() >= 0 && !text.empty()) {
        const auto written = ::write(file.get(), text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            break;
        }
    }
    if (file.get() < 0 || !text.empty()) {
        return tl::unexpected(Error{ErrorKind::exhausted, fmt::format("cannot write to {}: {}", to.path.string(),
                                                                      std::generic_category().message(errno))});
    }
    return {};
}

}  // namespace

Result<void> write_output_file(const std::filesystem::path& path, std::string_view text)
{
    const HoldInterrupts hold;
    std::error_code ignored;
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
    if (!std::filesystem::is_directory(folder, ignored)) {
        return tl::unexpected(
            Error{ErrorKind::unreachable, fmt::format("cannot write {}: no such folder", path.string())});
    }
    return destination_of(path).and_then([&](const Destination& to) {
        return to.place.get() >= 0 && !S_ISREG(to.status.st_mode) && !S_ISDIR(to.status.st_mode)
                   ? write_through(to, text)
                   : runtime::write_atomically(to.path, text, runtime::kEverybodysFile);
    });
}

}  // namespace petrel
