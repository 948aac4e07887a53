#include "runtime/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "runtime/lock_holder.hpp"

namespace petrel::runtime {
namespace {

constexpr unsigned kLockMode = 0600;  // every user who can open the file could lock it
constexpr int kLockAttempts = 3;      // the name may be removed between two calls

}  // namespace

Result<HeldFile> HeldFile::take(const std::filesystem::path& path)
{
    auto folder = StateFolder::of(path);
    if (!folder) {
        return tl::unexpected(std::move(folder.error()));
    }
    HeldFile held{std::move(*folder), path.filename().string()};
    if (auto locked = held.lock(); !locked) {
        return tl::unexpected(std::move(locked.error()));
    }
    held.folder_.remove_drafts(held.name_);
    return held;
}

bool HeldFile::lost(const FileDescriptor& file) const
{
    return !folder_.leads_to(name_, file) || !folder_.leads_to(lock_name(), lock_);
}

Result<void> HeldFile::take_again()
{
    return folder_.reopen().and_then([&] { return folder_.leads_to(lock_name(), lock_) ? Result<void>{} : lock(); });
}

Result<FileDescriptor> HeldFile::open_lock() const
{
    for (int attempt = 0; attempt != kLockAttempts; ++attempt) {
        for (const bool make : {false, true}) {
            auto file = make ? folder_.create(lock_name(), kLockMode) : folder_.find(lock_name(), O_RDWR);
            if (!file) {
                return tl::unexpected(std::move(file.error()));
            }
            if (*file) {
                return std::move(**file);
            }
        }
    }
    return tl::unexpected(file_error("lock", folder_.path_of(lock_name()), EBUSY));
}

Result<void> HeldFile::lock()
{
    auto file = open_lock();
    if (!file) {
        return tl::unexpected(std::move(file.error()));
    }
    if (::flock(file->get(), LOCK_EX | LOCK_NB) == 0) {
        if (!folder_.leads_to(lock_name(), *file)) {  // removed meanwhile: another process may lock a new file
            return tl::unexpected(file_error("lock", folder_.path_of(lock_name()), EBUSY));
        }
        lock_ = std::move(*file);
        return {};
    }
    if (errno != EWOULDBLOCK) {
        return tl::unexpected(file_error("lock", folder_.path_of(lock_name()), errno));
    }
    const auto holder = lock_holder(path());
    return tl::unexpected(
        Error{ErrorKind::unreachable,
              fmt::format("{} is in use by {}: stop it first, or use its control socket", path().string(),
                          holder ? fmt::format("process {}", *holder) : std::string{"another process"})});
}

}  // namespace petrel::runtime
