#include "daemon/raw_log.hpp"

#include <fmt/format.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/sink.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "runtime/log_writer.hpp"

namespace petrel::daemon {

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

RawLog::Reader reader_of(const runtime::LogWriter& writer)
{
    return writer.is_socket()   ? RawLog::Reader::socket
           : is_journal(writer) ? RawLog::Reader::journal
                                : RawLog::Reader::file;
}

// Does not create a file in /dev: a log collector creates its socket there (/dev/log), and a file of the agent would be
// in its place.
Result<runtime::LogWriter> open_writer(std::string_view to)
{
    if (to == "stderr") {
        return runtime::LogWriter::to_stderr();
    }
    constexpr std::string_view kSocket = "unix:";
    if (to.starts_with(kSocket)) {
        return runtime::LogWriter::to_socket(to.substr(kSocket.size()));
    }
    const std::filesystem::path path{to};
    std::error_code unknown;
    if (path.parent_path() == "/dev" && !std::filesystem::exists(path, unknown)) {
        return tl::unexpected(Error{ErrorKind::unreachable, fmt::format("no process collects a log at {}", to)});
    }
    return runtime::LogWriter::open(path);
}

class LogThread final : public RawLog {
public:
    explicit LogThread(runtime::LogWriter writer)
        : reader_(reader_of(writer)),
          sink_(std::make_shared<LogSink>(std::move(writer))),
          thread_(std::make_shared<spdlog::details::thread_pool>(kMostWaitingLines, 1)),
          logger_(std::make_shared<spdlog::async_logger>("petrel", sink_, thread_,
                                                         spdlog::async_overflow_policy::overrun_oldest))
    {}
    ~LogThread() override
    {
        sink_->close();
        thread_.reset();  // waits for the thread
    }
    LogThread(const LogThread&) = delete;
    LogThread& operator=(const LogThread&) = delete;

    void write(std::string_view line) override
    {
        logger_->log(spdlog::level::info, spdlog::string_view_t{line.data(), line.size()});
    }
    std::uint64_t dropped() const override { return thread_->overrun_counter() + sink_->lost(); }
    Reader reader() const override { return reader_; }

private:
    Reader reader_;
    std::shared_ptr<LogSink> sink_;
    std::shared_ptr<spdlog::details::thread_pool> thread_;
    std::shared_ptr<spdlog::async_logger> logger_;
};

}  // namespace

Result<std::unique_ptr<RawLog>> RawLog::open(std::string_view to)
{
    return open_writer(to).and_then([](runtime::LogWriter writer) -> Result<std::unique_ptr<RawLog>> {
        try {
            return std::make_unique<LogThread>(std::move(writer));
        } catch (const std::system_error& failed) {
            return tl::unexpected(Error{ErrorKind::exhausted, std::string{"cannot start the log: "} + failed.what()});
        }
    });
}

}  // namespace petrel::daemon
