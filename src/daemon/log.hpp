// The agent's log: one line for every transition of a storm and for every message of the service. write() never waits:
// lines go into a bounded queue, and the log's thread writes them to stderr, a file or a syslog socket. log_text.hpp
// formats the lines.
//
// Contract: any thread may call write() and dropped(). The log's thread inherits the signal mask of the thread that
// calls open().
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/agent_config.hpp"
#include "runner/log_line.hpp"

namespace petrel::daemon {

class Log {
public:
    using Level = runner::LogLevel;
    using Line = runner::LogLine;

    // `to`: "stderr", a socket, or a file. A file is created if it is missing, and again after it was moved away. The
    // destructor writes the lines that wait, unless the receiver does not take them.
    static Result<std::unique_ptr<Log>> open(config::LogFormat, std::string_view to, std::string_view agent_name);

    virtual ~Log() = default;

    virtual void write(const Line&, const Now&) = 0;

    // The number of lines that newer ones replaced in a full queue, or that could not be written.
    virtual std::uint64_t dropped() const = 0;
};

}  // namespace petrel::daemon
