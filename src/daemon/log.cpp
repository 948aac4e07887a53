#include "daemon/log.hpp"

#include <unistd.h>

#include <string>
#include <utility>

#include "daemon/log_text.hpp"
#include "daemon/raw_log.hpp"

namespace petrel::daemon {

namespace {

class TextLog final : public Log {
public:
    TextLog(config::LogFormat format, std::string_view agent_name, std::unique_ptr<RawLog> raw)
        : format_(format), source_{std::string{agent_name}, ::getpid()}, raw_(std::move(raw))
    {}

    void write(const Line& line, const Now& now) override
    {
        raw_->write(prefix(line.level) + log_text(format_, line, now.wall, source_));
    }

    std::uint64_t dropped() const override { return raw_->dropped(); }

private:
    // A line in RFC 5424 contains its severity. In the other formats a prefix adds the severity for journald and
    // syslog.
    std::string prefix(Level level) const
    {
        if (format_ == config::LogFormat::rfc5424) {
            return {};
        }
        switch (raw_->reader()) {
        case RawLog::Reader::file: break;
        case RawLog::Reader::journal: return journal_prefix(level);
        case RawLog::Reader::socket: return syslog_prefix(level, source_);
        }
        return {};
    }

    config::LogFormat format_;
    LogSource source_;
    std::unique_ptr<RawLog> raw_;
};

}  // namespace

Result<std::unique_ptr<Log>> Log::open(config::LogFormat format, std::string_view to, std::string_view agent_name)
{
    return RawLog::open(to).map([&](std::unique_ptr<RawLog> raw) -> std::unique_ptr<Log> {
        return std::make_unique<TextLog>(format, agent_name, std::move(raw));
    });
}

}  // namespace petrel::daemon
