// The log: the text of its lines in each format, that they arrive, and that a writing thread never waits.
#include "daemon/log.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <thread>

#include "daemon/log_text.hpp"
#include "runtime/file_descriptor.hpp"
#include "support/golden.hpp"
#include "support/temporary_folder.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using config::LogFormat;
using runtime::FileDescriptor;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using watchdog::EventKind;
using watchdog::Reason;

constexpr LogFormat kFormats[] = {LogFormat::text, LogFormat::json, LogFormat::rfc5424};
const WallTime kTime{std::chrono::sys_days{std::chrono::year{2026} / 3 / 9} + 7h + 5min + 1s + 42us};
const Now kNow{Instant{}, kTime};
const LogSource kSource{"tor-17", 4711};

watchdog::Watchlist watchlist()
{
    watchdog::Watchlist list;
    list.inventory.ports = {{"Ethernet0", {}, {}}, {"Ethernet4", {}, {}}};
    list.policies.resize(1);
    list.policies[0].name = "tor";
    list.max_mitigated = 8;
    return list;
}

watchdog::Event storm(std::uint64_t seq, EventKind kind, Reason reason)
{
    watchdog::Event event;
    event.seq = seq;
    event.kind = kind;
    event.reason = reason;
    event.target = {{DeviceId{}, 1}, Priority{3}};
    event.action = watchdog::Treatment::drop;
    event.evidence.proven = 400'100us;
    event.evidence.limit = 400ms;
    event.evidence.looks = 4;
    return event;
}

std::vector<Log::Line> some_lines()
{
    const auto list = watchlist();
    auto restored = storm(8, EventKind::storm_restored, Reason::quiet);
    restored.cause = 7;
    auto failed = storm(9, EventKind::mitigation_failed, Reason::failed);
    failed.by = "register 0x40: \"busy\" [5]\nsee \x1b[31mmanual";
    auto order = storm(10, EventKind::order_taken, Reason::operator_);
    order.whole_device = true;
    order.policy = watchdog::kUnwatched;
    order.by = "root (uid 0, pid 99): release";
    return {event_line(storm(7, EventKind::storm_detected, Reason::proven), list, "sw1"),
            event_line(restored, list, "sw1"),
            event_line(failed, list, "sw1"),
            event_line(order, list, "sw1"),
            {.level = Log::Level::info, .event = "started", .message = "petrel 1.2.3 watches 2 devices"},
            {.level = Log::Level::error,
             .event = "reload_bad",
             .message = "the configuration stays as it was",
             .fields = {{"file", "/etc/petrel/my agent.toml"}, {"empty", ""}}}};
}

std::string in(LogFormat format)
{
    std::string text;
    for (const auto& line : some_lines()) {
        text += log_text(format, line, kTime, kSource) + '\n';
    }
    return text;
}

TEST(LogText, ReadsLikeThis) { test::expect_golden(test::golden("daemon/log.txt"), in(LogFormat::text)); }
TEST(LogText, ReadsLikeThisInJson) { test::expect_golden(test::golden("daemon/log.jsonl"), in(LogFormat::json)); }
TEST(LogText, ReadsLikeThisForSyslog)
{
    test::expect_golden(test::golden("daemon/log.rfc5424"), in(LogFormat::rfc5424));
}

TEST(LogText, WritesTheSeverityBeforeTheLine)
{
    EXPECT_EQ(journal_prefix(Log::Level::info), "<6>");
    EXPECT_EQ(journal_prefix(Log::Level::error), "<3>");
    EXPECT_EQ(syslog_prefix(Log::Level::warning, kSource), "<28>petrel-agent[4711]: ");
}

std::string_view name(Log::Level level)
{
    constexpr std::array<std::string_view, 4> kNames{"info", "notice", "warning", "error"};
    return kNames.at(static_cast<std::size_t>(level));
}

using Levels = std::map<std::string, std::string>;  // by event

void find_levels(const std::filesystem::path& file, const std::regex& what, int event, int level, Levels& into)
{
    const auto text = test::content(file);
    for (std::sregex_iterator it{text.begin(), text.end(), what}, end; it != end; ++it) {
        into[(*it)[static_cast<std::size_t>(event)]] = (*it)[static_cast<std::size_t>(level)];
    }
}

TEST(LogText, EveryLineIsDocumented)
{
    const std::filesystem::path root = std::filesystem::path{PETREL_TEST_DATA} / "..";
    Levels logged;
    for (std::size_t kind = 0; kind < static_cast<std::size_t>(EventKind::count_); ++kind) {
        const auto line = event_line(storm(1, static_cast<EventKind>(kind), Reason::proven), watchlist(), "sw1");
        logged[line.event] = name(line.level);
    }
    for (const auto* folder : {"daemon", "runner"}) {
        for (const auto& source : std::filesystem::recursive_directory_iterator{root / "src" / folder}) {
            if (source.is_regular_file()) {
                find_levels(source, std::regex{"Level::(\\w+),\\s*\"(\\w+)\""}, 2, 1, logged);
            }
        }
    }
    Levels documented;
    find_levels(root / "docs" / "log.md", std::regex{"\n\\| `(\\w+)` \\| (\\w+) \\| "}, 1, 2, documented);
    EXPECT_EQ(logged, documented);
}

TEST(LogText, CutsLongTexts)
{
    const std::string huge(104'857'600, 'A');
    const Log::Line line{.event = "x", .device = huge, .queue = huge, .message = huge, .fields = {{"key", huge}}};
    for (const auto format : kFormats) {
        const auto text = log_text(format, line, kTime, kSource);
        EXPECT_LT(text.size(), 8192U);
        EXPECT_THAT(text, HasSubstr("A… and 104853504 more bytes"));
        EXPECT_THAT(text, HasSubstr("A… and 104856576 more bytes"));
    }
}

RC_GTEST_PROP(LogText, EveryMessageIsOneLine,
              (const std::string& device, const std::string& words, const std::string& value))
{
    const Log::Line line{.event = "x", .device = device, .queue = words, .message = words, .fields = {{"key", value}}};
    for (const auto format : kFormats) {
        const auto text = log_text(format, line, kTime, {device, 1});
        RC_ASSERT(std::none_of(text.begin(), text.end(), [](char c) { return c >= '\0' && c < ' '; }));
    }
}

RC_GTEST_PROP(LogText, SyslogReadsItBack,
              (const std::string& agent, const std::string& words, const std::string& value))
{
    const Log::Line line{.level = Log::Level::notice, .event = words, .message = words, .fields = {{"key", value}}};
    const auto read = wire::parse_log_line(log_text(LogFormat::rfc5424, line, kTime, {agent, 1}));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->at == kTime);
    RC_ASSERT(read->severity == 5);
    RC_ASSERT(read->structured_data.starts_with("[petrel@32473 key=\""));
}

std::unique_ptr<Log> must_open(LogFormat format, const std::filesystem::path& to)
{
    auto log = Log::open(format, to.string(), "tor-17");
    EXPECT_TRUE(log.has_value()) << log.error().what;
    return std::move(*log);
}

std::vector<std::string> lines_of(const std::filesystem::path& path)
{
    std::ifstream file{path};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

Log::Line logged(std::string words)
{
    return {.level = Log::Level::warning, .event = "said", .message = std::move(words)};
}

TEST(Log, WritesWaitingLinesBeforeItEnds)
{
    const TemporaryFolder folder;
    {
        const auto log = must_open(LogFormat::text, folder / "log");
        for (int i = 0; i < 1000; ++i) {
            log->write(logged(std::to_string(i)), kNow);
        }
        EXPECT_EQ(log->dropped(), 0U);
    }
    const auto lines = lines_of(folder / "log");
    ASSERT_THAT(lines, SizeIs(1000));
    EXPECT_EQ(lines[0], "2026-03-09T07:05:01.000042+00:00 tor-17 warning said: 0");
    EXPECT_THAT(lines[999], EndsWith(" said: 999"));
}

TEST(Log, LinesOfManyThreadsDoNotMix)
{
    const TemporaryFolder folder;
    {
        const auto log = must_open(LogFormat::json, folder / "log");
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 250; ++i) {
                    log->write(logged(std::string(300, 'x')), kNow);
                }
            });
        }
    }
    const auto lines = lines_of(folder / "log");
    EXPECT_THAT(lines, SizeIs(1000));
    EXPECT_TRUE(std::ranges::all_of(lines, [](const auto& line) { return line.ends_with("x\"}"); }));
}

// The reader of the pipe does not read: write() does not block, lines beyond the limit are counted, and the destructor
// does not wait.
TEST(Log, NeverWaitsForAReader)
{
    const TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const auto reader = runtime::open_path(pipe, O_RDONLY | O_NONBLOCK);
    ASSERT_TRUE(reader.has_value());
    auto log = must_open(LogFormat::text, pipe);
    constexpr std::uint64_t kLines = 6000;
    for (std::uint64_t i = 0; i < kLines; ++i) {
        log->write(logged(std::string(200, 'x')), kNow);
    }
    const auto dropped = log->dropped();
    EXPECT_GT(dropped, 0U);
    EXPECT_LT(dropped, kLines);
    log.reset();
}

// The reader starts late: it receives all lines, because fewer wait than the limit allows.
TEST(Log, WaitsForAReaderInItsOwnThread)
{
    const TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const auto reader = runtime::open_path(pipe, O_RDONLY | O_NONBLOCK);
    ASSERT_TRUE(reader.has_value());
    auto log = must_open(LogFormat::text, pipe);
    constexpr std::size_t kLines = 2000;  // more than a pipe holds, fewer than the log may queue
    for (std::size_t i = 0; i < kLines; ++i) {
        log->write(logged(std::string(200, 'x')), kNow);
    }
    ::fcntl(reader->get(), F_SETFL, 0);
    std::size_t seen = 0;
    std::array<char, 65536> piece{};
    while (seen < kLines) {
        const auto got = ::read(reader->get(), piece.data(), piece.size());
        ASSERT_GT(got, 0);
        seen += static_cast<std::size_t>(std::count(piece.data(), piece.data() + got, '\n'));
    }
    EXPECT_EQ(seen, kLines);
    EXPECT_EQ(log->dropped(), 0U);
}

TEST(Log, CountsLostLines)
{
    const TemporaryFolder folder;
    auto log = must_open(LogFormat::text, "/dev/full");
    std::uint64_t before_end = 0;
    log->write(logged("there is no room"), kNow);
    while (before_end == 0) {
        std::this_thread::yield();
        before_end = log->dropped();
    }
    EXPECT_EQ(before_end, 1U);
}

TEST(Log, CreatesAFileAgainThatWasMovedAway)
{
    const TemporaryFolder folder;
    const auto path = folder / "log";
    const auto log = must_open(LogFormat::text, path);
    const auto wait_for = [&](const std::string& end) {
        for (;;) {
            if (const auto lines = lines_of(path); !lines.empty() && lines.back().ends_with(end)) {
                return lines.size();
            }
            std::this_thread::yield();
        }
    };
    log->write(logged("before"), kNow);
    EXPECT_EQ(wait_for("before"), 1U);
    std::filesystem::rename(path, folder / "log.1");
    log->write(logged("after"), kNow);
    EXPECT_EQ(wait_for("after"), 1U);
    EXPECT_THAT(lines_of(folder / "log.1"), ElementsAre(EndsWith("before")));
}

TEST(Log, WritesToStderr)
{
    const TemporaryFolder folder;
    const auto path = folder / "stderr";
    const auto file = runtime::open_path(path, O_WRONLY | O_CREAT, 0600);
    ASSERT_TRUE(file.has_value());
    const FileDescriptor before{::dup(STDERR_FILENO)};
    ::dup2(file->get(), STDERR_FILENO);
    must_open(LogFormat::text, "stderr")->write(logged("x"), kNow);
    ::dup2(before.get(), STDERR_FILENO);
    EXPECT_THAT(lines_of(path), ElementsAre(EndsWith("warning said: x")));
}

TEST(Log, SendsTheSeverityToASyslogSocket)
{
    const TemporaryFolder folder;
    const FileDescriptor collector{::socket(AF_UNIX, SOCK_DGRAM, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = (folder / "socket").string();
    std::copy(path.begin(), path.end(), address.sun_path);
    ASSERT_EQ(::bind(collector.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const auto received = [&] {
        std::array<char, 4096> buffer{};
        const auto size = ::recv(collector.get(), buffer.data(), buffer.size(), 0);
        return std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    };
    const auto pid = std::to_string(::getpid());
    must_open(LogFormat::text, path)->write(logged("x"), kNow);
    EXPECT_EQ(received(), "<28>petrel-agent[" + pid + "]: 2026-03-09T07:05:01.000042+00:00 tor-17 warning said: x");
    must_open(LogFormat::rfc5424, path)->write(logged("x"), kNow);
    EXPECT_EQ(received(), "<28>1 2026-03-09T07:05:01.000042+00:00 tor-17 petrel-agent " + pid + " said - x");
}

TEST(Log, SendsTheSeverityToTheJournal)
{
    const TemporaryFolder folder;
    const auto path = folder / "log";
    const auto write_one = [&] { must_open(LogFormat::text, path)->write(logged("x"), kNow); };
    write_one();
    struct stat state{};
    ASSERT_EQ(::stat(path.c_str(), &state), 0);
    ::setenv("JOURNAL_STREAM", (std::to_string(state.st_dev) + ":" + std::to_string(state.st_ino)).c_str(), 1);
    write_one();
    for (const auto* other : {"1:1", "nonsense", ""}) {
        ::setenv("JOURNAL_STREAM", other, 1);
        write_one();
    }
    ::unsetenv("JOURNAL_STREAM");
    const auto lines = lines_of(path);
    ASSERT_THAT(lines, SizeIs(5));
    EXPECT_THAT(lines[1], StartsWith("<4>2026-"));
    for (const auto i : {0U, 2U, 3U, 4U}) {
        EXPECT_THAT(lines[i], StartsWith("2026-"));
    }
}

TEST(Log, NamesThePathThatCannotBeWritten)
{
    const TemporaryFolder folder;
    EXPECT_THAT(Log::open(LogFormat::text, (folder / "no" / "log").string(), "x").error().what,
                HasSubstr("cannot open"));
    EXPECT_EQ(Log::open(LogFormat::text, "/dev/petrel-log", "x").error().what,
              "no process collects a log at /dev/petrel-log");
    EXPECT_FALSE(std::filesystem::exists("/dev/petrel-log"));
}

}  // namespace
}  // namespace petrel::daemon
