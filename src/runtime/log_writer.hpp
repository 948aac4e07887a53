// Writes lines of a log: to a socket where somebody collects them (/dev/log), one datagram each, to the end of a file,
// or to stderr. Waits while nobody takes them, as long as the caller is patient. A collector that was started anew is
// found again; a file that was moved away or deleted is made anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::runtime {

class LogWriter {
public:
    // Asked each time that nobody took anything for a while: false = give up.
    using Patience = std::function<bool()>;

    // What is there decides: a unix datagram socket is spoken to, everything else is a file, made if it is missing.
    static Result<LogWriter> open(const std::filesystem::path&);
    static Result<LogWriter> to_stderr();

    bool is_socket() const { return kind_ == Kind::socket; }
    bool is_open_at(std::uint64_t device, std::uint64_t inode) const;

    Result<void> write(const wire::LogLine& line) { return write(build(line)); }
    Result<void> write(std::string_view line, const Patience& = [] { return true; });  // without its end

private:
    enum class Kind : std::uint8_t { socket, file, stream };

    LogWriter(std::filesystem::path path, FileDescriptor target, Kind kind)
        : path_(std::move(path)), target_(std::move(target)), kind_(kind)
    {}
    Result<void> send(std::string_view line, const Patience&);
    Result<void> append(std::string_view line, const Patience&);
    Result<void> follow_name();

    std::filesystem::path path_;
    FileDescriptor target_;
    Kind kind_{};
};

}  // namespace petrel::runtime
