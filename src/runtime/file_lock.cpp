#include "runtime/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

namespace petrel::runtime {

Result<FileDescriptor> hold_alone(const std::filesystem::path& path)
{
    auto lock_path = path;
    lock_path += ".lock";
    auto lock = open_path(lock_path, O_RDWR | O_CREAT, 0644);
    if (!lock) {
        return lock;
    }
    leave_to_owner(*lock, path);
    if (::flock(lock->get(), LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK) {
            return tl::unexpected(
                Error{ErrorKind::unreachable,
                      fmt::format("{} is in use by another process: stop it first, or ask it instead", path.string())});
        }
        return tl::unexpected(file_error("lock", lock_path, errno));
    }
    return lock;
}

}  // namespace petrel::runtime
