// A folder whose files another user may replace: the state folder belongs to the service user, and commands of root
// work in it. The folder is opened once. Every call goes through that descriptor, follows no link in the folder and
// does not wait. Only a regular file with one name, of this process's user or of the folder's owner, is opened; an
// error describes what was found instead. Only a file that this process created is given to the folder's owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

inline constexpr std::uint64_t kLargestReadFile = std::uint64_t{256} << 20U;

class StateFolder {
public:
    // The folder that holds `file`. An error names the file.
    static Result<StateFolder> of(const std::filesystem::path& file);

    std::filesystem::path path_of(std::string_view name) const { return path_ / name; }

    // None: the name does not exist.
    Result<std::optional<FileDescriptor>> find(const std::string& name, int access) const;
    Result<std::optional<std::string>> read(const std::string& name, std::uint64_t most = kLargestReadFile) const;

    // Creates a new file. None: the name exists, as a file or as anything else.
    Result<std::optional<FileDescriptor>> create(const std::string& name, unsigned mode) const;
    // Replaces the file atomically. The content is durable, but the name may be lost in a crash before sync(). The mode
    // of an existing regular file is kept.
    Result<FileDescriptor> replace(const std::string& name, std::span<const std::byte>, unsigned mode) const;
    Result<void> sync() const;  // makes names durable

    bool is_taken(const std::string& name) const;
    Result<void> rename(const std::string& from, const std::string& to) const;
    void remove(const std::string& name) const;  // does not remove a folder
    // Removes the drafts of processes that were killed in replace(). No other process may be in replace() for this
    // name.
    void remove_drafts(const std::string& name) const;

    // Whether the name still refers to this open file, and the folder's path to this folder.
    bool leads_to(const std::string& name, const FileDescriptor&) const;
    // Opens the folder by its path again, and creates it if it is missing.
    Result<void> reopen();

private:
    StateFolder(std::filesystem::path path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder))
    {}

    // Errors show `known_as`.
    Result<std::optional<FileDescriptor>> create(const std::string& name, unsigned mode,
                                                 const std::filesystem::path& known_as) const;
    Result<FileDescriptor> create_draft(const std::string& draft, unsigned mode,
                                        const std::filesystem::path& known_as) const;
    void leave_to_owner(const FileDescriptor&) const;

    std::filesystem::path path_;
    FileDescriptor folder_;
};

// Reads a whole open regular file. Fails if it is larger than `most` bytes.
Result<std::string> read_all(const FileDescriptor&, const std::filesystem::path&,
                             std::uint64_t most = kLargestReadFile);

// Reads a configuration file. Follows links, because the operator chooses the path. Refuses anything but a regular
// file, without waiting for it.
Result<std::string> read_regular_file(const std::filesystem::path&);

// The flag for open(): O_NOFOLLOW if `path` is not a link, 0 if it is a link of root or of this process's user. Fails
// for a link of another user, because it may lead anywhere.
Result<int> link_flag(const std::filesystem::path&);

}  // namespace petrel::runtime
