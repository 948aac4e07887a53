#include "runtime/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace petrel::runtime {
namespace {

ErrorKind kind_of(int error_number)
{
    switch (error_number) {
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE: return ErrorKind::exhausted;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP: return ErrorKind::invalid;
    case EIO: return ErrorKind::corrupt;
    default: return ErrorKind::unreachable;
    }
}

template <class Call>
auto again_if_interrupted(Call call)
{
    decltype(call()) result{};
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

}  // namespace

void FileDescriptor::reset() noexcept
{
    if (fd_ >= 0) {
        ::close(fd_);
    }
    fd_ = -1;
}

Error file_error(std::string_view doing, const std::filesystem::path& path, int error_number)
{
    return {kind_of(error_number),
            fmt::format("cannot {} {}: {}", doing, path.string(), std::generic_category().message(error_number))};
}

Result<FileDescriptor> open_path(const std::filesystem::path& path, int flags, unsigned mode)
{
    return open_path(path, flags, mode, path);
}

Result<FileDescriptor> open_path(const std::filesystem::path& path, int flags, unsigned mode,
                                 const std::filesystem::path& known_as)
{
    const int fd = again_if_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
    if (fd < 0) {
        return tl::unexpected(file_error("open", known_as, errno));
    }
    return FileDescriptor{fd};
}

Result<void> write_at(const FileDescriptor& file, const std::filesystem::path& path, std::uint64_t offset,
                      std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const auto written = again_if_interrupted(
            [&] { return ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
        if (written < 0) {
            return tl::unexpected(file_error("write", path, errno));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

Result<void> sync_data(const FileDescriptor& file, const std::filesystem::path& path)
{
    if (again_if_interrupted([&] { return ::fdatasync(file.get()); }) < 0) {
        return tl::unexpected(file_error("make durable", path, errno));
    }
    return {};
}

}  // namespace petrel::runtime
