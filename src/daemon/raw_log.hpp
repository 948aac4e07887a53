// Lines for a log that are complete as they are. write() never waits: lines go into a bounded queue, and the log's
// thread writes them to stderr, a file or a syslog socket.
//
// Contract: any thread may call write() and dropped(). The log's thread inherits the signal mask of the thread that
// calls open().
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"

namespace petrel::daemon {

class RawLog {
public:
    // What reads the lines.
    enum class Reader : std::uint8_t { file, socket, journal };

    // `to`: "stderr", a socket, a file, or "unix:SOCKET", which may appear later: until then lines are dropped. A file
    // is created if it is missing, and again after it was moved away. A socket that takes the place of the file gets
    // the lines. The destructor writes the lines that wait, unless the receiver does not take them.
    static Result<std::unique_ptr<RawLog>> open(std::string_view to);

    virtual ~RawLog() = default;

    virtual void write(std::string_view line) = 0;  // without the line feed

    // The number of lines that newer ones replaced in a full queue, or that could not be written.
    virtual std::uint64_t dropped() const = 0;

    virtual Reader reader() const { return Reader::file; }
};

}  // namespace petrel::daemon
