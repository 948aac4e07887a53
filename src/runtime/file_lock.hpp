// A file that one process holds at a time. The lock is a file of its own beside the one that is held, since that one
// may be replaced while it is in use; it goes with the process, however that ends.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::runtime {

class HeldFile {
public:
    // Held through <path>.lock for as long as the result lives; unreachable if another process has it, with its pid.
    // Drafts of the file that killed processes left are removed.
    static Result<HeldFile> take(const std::filesystem::path&);

    const StateFolder& folder() const { return folder_; }
    const std::string& name() const { return name_; }
    std::filesystem::path path() const { return folder_.path_of(name_); }

    // The file, its lock or the folder was removed or replaced: what is written to `file` would not be found again, and
    // another process could take the lock.
    bool lost(const FileDescriptor& file) const;
    // After that: holds it again. The caller writes the file anew.
    Result<void> take_again();

private:
    HeldFile(StateFolder folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

    std::string lock_name() const { return name_ + ".lock"; }
    Result<FileDescriptor> open_lock() const;
    Result<void> lock();

    StateFolder folder_;
    std::string name_;
    FileDescriptor lock_;
};

}  // namespace petrel::runtime
