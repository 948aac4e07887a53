// Writes lines of a system log: to a socket where somebody collects them (/dev/log), one datagram each, or to the end
// of a file. Blocks while the collector is behind; a collector that was started anew is found again.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::runtime {

class LogWriter {
public:
    // What is there decides: a unix datagram socket is spoken to, everything else is a file, made if it is missing.
    static Result<LogWriter> open(const std::filesystem::path&);

    Result<void> write(const wire::LogLine&);

private:
    LogWriter(std::filesystem::path path, FileDescriptor target, bool socket)
        : path_(std::move(path)), target_(std::move(target)), socket_(socket)
    {}
    Result<void> send(const std::string& line);

    std::filesystem::path path_;
    FileDescriptor target_;
    bool socket_{};
};

}  // namespace petrel::runtime
