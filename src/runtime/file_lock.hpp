// A file that only one process holds at a time. The lock is a separate file, because the held file may be replaced
// while it is in use. The kernel releases the lock when the process ends, however it ends.
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
    // Locks <path>.lock for the lifetime of the result. If another process holds it, fails with `unreachable` and that
    // process's pid. Removes temporary files (drafts) that killed processes left in StateFolder::replace().
    static Result<HeldFile> take(const std::filesystem::path&);

    const StateFolder& folder() const { return folder_; }
    const std::string& name() const { return name_; }
    std::filesystem::path path() const { return folder_.path_of(name_); }

    // Whether the file, its lock or the folder was removed or replaced. Then later processes would not find the data
    // written to `file`, and another process could take the lock.
    bool lost(const FileDescriptor& file) const;
    // After lost(): locks the name again. The caller must write the file anew.
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
