#include "runtime/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace petrel::runtime {

Result<FileDescriptor> replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes, unsigned mode)
{
    // Named by process, so that two of them never write to the same one; a leftover of a dead process is overwritten.
    auto draft = path;
    draft += fmt::format(".{}.tmp", ::getpid());
    auto file = open_path(draft, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, mode, path);
    if (!file) {
        return file;
    }
    struct stat before{};
    if (::stat(path.c_str(), &before) == 0) {
        ::fchmod(file->get(), before.st_mode & 07777U);  // one who may not do that goes on with the mode of a new file
    }
    leave_to_owner(*file, path);
    auto written = write_at(*file, path, 0, bytes).and_then([&] { return sync_data(*file, path); });
    if (written && ::rename(draft.c_str(), path.c_str()) < 0) {
        written = tl::unexpected(file_error("replace", path, errno));
    }
    if (!written) {
        ::unlink(draft.c_str());
        return tl::unexpected(written.error());
    }
    return file;
}

Result<void> write_atomically(const std::filesystem::path& path, std::string_view text, unsigned mode)
{
    return replace_file(path, std::as_bytes(std::span{text}), mode).and_then([&](const FileDescriptor&) {
        return sync_folder_of(path);
    });
}

Result<std::string> read_whole_file(const std::filesystem::path& path)
{
    const auto file = open_path(path, O_RDONLY);
    if (!file) {
        return tl::unexpected(file.error());
    }
    std::string text;
    std::array<char, 65536> piece;
    for (;;) {
        const auto got = ::read(file->get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return tl::unexpected(file_error("read", path, errno));
        }
        if (got == 0) {
            return text;
        }
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace petrel::runtime
