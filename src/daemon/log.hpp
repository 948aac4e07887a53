// The agent's log: one line for every transition of a storm and for everything the service has to say. Whoever writes
// never waits: lines go into a bounded queue, a thread of the log's own takes them to stderr, a file or a syslog
// socket. How a line reads: log_text.hpp.
//
// Contract: write() and dropped() from any thread. The thread inherits the signal mask of whoever opens the log.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/agent_config.hpp"
#include "runner/log_line.hpp"

namespace petrel::daemon {

class Log {
public:
    using Level = runner::LogLevel;
    using Line = runner::LogLine;

    // `to`: "stderr", a file (made if it is missing, and again when somebody moved it away) or a socket.
    static Result<std::unique_ptr<Log>> open(codec::LogFormat, std::string_view to, std::string_view agent_name);

    // What waits is still written, unless nobody takes it.
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void write(const Line&, const Now&);

    // Lines that were overtaken by newer ones in a full queue, or that could not be written.
    std::uint64_t dropped() const;

private:
    struct Parts;
    explicit Log(std::unique_ptr<Parts>);

    std::unique_ptr<Parts> parts_;
};

}  // namespace petrel::daemon
