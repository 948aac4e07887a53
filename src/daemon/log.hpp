// The agent's log: one line for every transition of a storm and for every message of the service. log_text.hpp formats
// the lines, raw_log.hpp writes them.
//
// Contract: as for RawLog.
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

    // `to`: as for RawLog::open().
    static Result<std::unique_ptr<Log>> open(config::LogFormat, std::string_view to, std::string_view agent_name);

    virtual ~Log() = default;

    virtual void write(const Line&, const Now&) = 0;

    virtual std::uint64_t dropped() const = 0;  // lines
};

}  // namespace petrel::daemon
