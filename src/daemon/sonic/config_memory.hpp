// The last configuration of SONiC in a file. After a start the agent watches queues by this file until CONFIG_DB can be
// read. Its format is that of SONiC's config_db.json, with only the tables that the agent follows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/time.hpp"
#include "runtime/file_descriptor.hpp"
#include "sonic/config.hpp"

namespace petrel::daemon {

class ConfigMemory {
public:
    explicit ConfigMemory(std::filesystem::path file) : file_(std::move(file)) {}

    const std::filesystem::path& file() const { return file_; }

    // Writes the file if its content differs; otherwise calls confirm().
    Result<void> keep(const sonic::Config&);
    // Sets the file's time to now: its content still equals CONFIG_DB.
    void confirm() const;

    struct Kept {
        sonic::Config config;
        WallTime right_at;  // when CONFIG_DB was last seen with this content
    };
    // None: there is no file.
    Result<std::optional<Kept>> recall() const;

private:
    std::string name() const { return file_.filename().string(); }
    Result<std::optional<runtime::FileDescriptor>> open() const;  // none: there is no file

    std::filesystem::path file_;
};

}  // namespace petrel::daemon
