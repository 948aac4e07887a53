// What SONiC last configured, in a file that outlives the agent: after a start, queues are watched by it until
// CONFIG_DB can be read. In the form of SONiC's own config_db.json, with the tables that are followed and no others.
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

    // The file is written if it says something else.
    Result<void> keep(const sonic::Config&);
    // What was kept is still right.
    void confirm() const;

    struct Kept {
        sonic::Config config;
        WallTime right_at;  // CONFIG_DB was like that then
    };
    // None: nothing was ever kept.
    Result<std::optional<Kept>> recall() const;

private:
    std::string name() const { return file_.filename().string(); }
    Result<std::optional<runtime::FileDescriptor>> open() const;  // none: there is no such file

    std::filesystem::path file_;
};

}  // namespace petrel::daemon
