// Writes lines of a log: to the socket of a log collector (/dev/log), one datagram per line, to the end of a file, or
// to stderr. While the receiver takes no data, write() waits until `Patience` returns false. It connects again to a
// collector that was restarted, creates a file again that was moved away or deleted, and connects to a collector that
// has put its socket in the place of the file.
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
    // Called each time the receiver has taken nothing for 100 ms. False = give up.
    using Patience = std::function<bool()>;

    // If the path is a socket, connects to it as a Unix datagram socket. Otherwise opens a file, and creates it if it
    // is missing.
    static Result<LogWriter> open(const std::filesystem::path&);
    // Connects to a Unix datagram socket when it is there. Until then writing fails.
    static Result<LogWriter> to_socket(const std::filesystem::path&);
    static Result<LogWriter> to_stderr();

    bool is_socket() const { return kind_ == Kind::socket; }
    bool is_open_at(std::uint64_t device, std::uint64_t inode) const;

    Result<void> write(const wire::LogLine& line) { return write(build(line)); }
    Result<void> write(std::string_view line, const Patience& = [] { return true; });  // without the line feed

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
