// Owns a file descriptor. The functions below wrap system calls: they handle EINTR and short writes, and return
// failures as Errors that name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/result.hpp"

namespace petrel::runtime {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        reset();
        fd_ = std::exchange(other.fd_, -1);
        return *this;
    }

    int get() const { return fd_; }

private:
    void reset() noexcept;

    int fd_{-1};
};

// "cannot <doing> <path>: <why>", with the ErrorKind of the error number.
Error file_error(std::string_view doing, const std::filesystem::path&, int error_number);

Result<FileDescriptor> open_path(const std::filesystem::path&, int flags, unsigned mode = 0);
// The same, but errors show `known_as` instead of the path: the name by which users know the file.
Result<FileDescriptor> open_path(const std::filesystem::path&, int flags, unsigned mode,
                                 const std::filesystem::path& known_as);
Result<void> write_at(const FileDescriptor&, const std::filesystem::path&, std::uint64_t offset,
                      std::span<const std::byte>);
Result<void> sync_data(const FileDescriptor&, const std::filesystem::path&);

}  // namespace petrel::runtime
