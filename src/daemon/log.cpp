#include "daemon/log.hpp"

#include <fmt/format.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/sink.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "daemon/log_text.hpp"
#include "runtime/log_writer.hpp"

namespace petrel::daemon {

enum class LogPrefix : std::uint8_t { none, journal, syslog };

// Only the log's thread calls log().
class LogSink final : public spdlog::sinks::sink {
public:
    explicit LogSink(runtime::LogWriter writer) : writer_(std::move(writer)) {}

    void log(const spdlog::details::log_msg& line) override
    {
        const bool written =
            !given_up_ && writer_.write({line.payload.data(), line.payload.size()}, [this] { return !closing_; });
        lost_ += written ? 0 : 1;
        given_up_ = !written && closing_;  // the end must not wait once for every line that is left
    }
    void flush() override {}
    void set_pattern(const std::string&) override {}
    void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

    void close() { closing_ = true; }
    std::uint64_t lost() const { return lost_; }

private:
    runtime::LogWriter writer_;
    bool given_up_{};
    std::atomic<bool> closing_{};
    std::atomic<std::uint64_t> lost_{};
};

namespace {

constexpr std::size_t kMostWaitingLines = 4096;  // lines: every queue of a large switch may log at once

// systemd sets JOURNAL_STREAM to "device:inode" of the stream by which it reads a service's stderr.
bool is_journal(const runtime::LogWriter& writer)
{
    const char* stream = std::getenv("JOURNAL_STREAM");
    const std::string_view text{stream == nullptr ? "" : stream};
    const auto colon = std::min(text.find(':'), text.size());
    std::uint64_t device{};
    std::uint64_t inode{};
    std::from_chars(text.data(), text.data() + colon, device);
    std::from_chars(text.data() + std::min(colon + 1, text.size()), text.data() + text.size(), inode);
    return inode != 0 && writer.is_open_at(device, inode);
}

// A line in RFC 5424 contains its severity. In the other formats a prefix adds the severity for journald and syslog.
LogPrefix prefix_for(config::LogFormat format, const runtime::LogWriter& writer)
{
    if (writer.is_socket()) {
        return format == config::LogFormat::rfc5424 ? LogPrefix::none : LogPrefix::syslog;
    }
    return is_journal(writer) && format != config::LogFormat::rfc5424 ? LogPrefix::journal : LogPrefix::none;
}

// Does not create a file in /dev: a log collector creates its socket there (/dev/log), and a file of the agent would be
// in its place.
Result<runtime::LogWriter> open_writer(std::string_view to)
{
    if (to == "stderr") {
        return runtime::LogWriter::to_stderr();
    }
    const std::filesystem::path path{to};
    std::error_code unknown;
    if (path.parent_path() == "/dev" && !std::filesystem::exists(path, unknown)) {
        return tl::unexpected(Error{ErrorKind::unreachable, fmt::format("no process collects a log at {}", to)});
    }
    return runtime::LogWriter::open(path);
}

class ThreadLog final : public Log {
public:
    ThreadLog(config::LogFormat format, std::string_view agent_name, runtime::LogWriter writer)
        : format_(format),
          source_{std::string{agent_name}, ::getpid()},
          prefix_(prefix_for(format, writer)),
          sink_(std::make_shared<LogSink>(std::move(writer))),
          thread_(std::make_shared<spdlog::details::thread_pool>(kMostWaitingLines, 1)),
          logger_(std::make_shared<spdlog::async_logger>("petrel", sink_, thread_,
                                                         spdlog::async_overflow_policy::overrun_oldest))
    {}
    ~ThreadLog() override
    {
        sink_->close();
        thread_.reset();  // waits for the thread
    }
    ThreadLog(const ThreadLog&) = delete;
    ThreadLog& operator=(const ThreadLog&) = delete;

    void write(const Line& line, const Now& now) override
    {
        std::string text;
        switch (prefix_) {
        case LogPrefix::none: break;
        case LogPrefix::journal: text = journal_prefix(line.level); break;
        case LogPrefix::syslog: text = syslog_prefix(line.level, source_); break;
        }
        text += log_text(format_, line, now.wall, source_);
        logger_->log(spdlog::level::info, spdlog::string_view_t{text});
    }

    std::uint64_t dropped() const override { return thread_->overrun_counter() + sink_->lost(); }

private:
    config::LogFormat format_;
    LogSource source_;
    LogPrefix prefix_;
    std::shared_ptr<LogSink> sink_;
    std::shared_ptr<spdlog::details::thread_pool> thread_;
    std::shared_ptr<spdlog::async_logger> logger_;
};

}  // namespace

Result<std::unique_ptr<Log>> Log::open(config::LogFormat format, std::string_view to, std::string_view agent_name)
{
    return open_writer(to).and_then([&](runtime::LogWriter writer) -> Result<std::unique_ptr<Log>> {
        try {
            return std::make_unique<ThreadLog>(format, agent_name, std::move(writer));
        } catch (const std::system_error& failed) {
            return tl::unexpected(Error{ErrorKind::exhausted, std::string{"cannot start the log: "} + failed.what()});
        }
    });
}

}  // namespace petrel::daemon
