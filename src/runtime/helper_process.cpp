#include "runtime/helper_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <system_error>

#include "base/complaint_text.hpp"

namespace petrel::runtime {

namespace {

constexpr std::size_t kErrTail = 4096;
constexpr int kMostErrReads = 16;  // at once, so that a helper that never stops writing does not hold the caller

// A helper closes its stdout when it ends: its exit code follows within this time.
constexpr int kEndPatienceMs = 1000;

// The helpers that may still run.
struct Living {
    std::mutex mutex;
    std::set<pid_t> pids;
};

Living& living()
{
    static Living all;
    return all;
}

struct PipeEnds {
    FileDescriptor reader;
    FileDescriptor writer;
};

Result<PipeEnds> make_helper_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return tl::unexpected(Error{ErrorKind::exhausted, "no pipe: " + std::generic_category().message(errno)});
    }
    return PipeEnds{FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

void do_not_block(const FileDescriptor& file)
{
    ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

// The child gets its three files, no others, its own process group, and signals as a new program expects them.
Result<pid_t> spawn(std::vector<std::string> words, int in, int out, int err)
{
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    pid_t pid{};
    const auto problem = ::posix_spawn(&pid, argv.front(), &files, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (problem != 0) {
        return tl::unexpected(file_error("start", words.front(), problem));
    }
    return pid;
}

}  // namespace

Result<std::unique_ptr<device::exec::Helper>> HelperProcess::start(const std::vector<std::string>& words,
                                                                   std::size_t longest_line)
{
    auto in = make_helper_pipe();
    auto out = make_helper_pipe();
    auto err = make_helper_pipe();
    for (const auto* pipe : {&in, &out, &err}) {
        if (!*pipe) {
            return tl::unexpected(pipe->error());
        }
    }
    const auto pid = spawn(words, in->reader.get(), out->writer.get(), err->writer.get());
    if (!pid) {
        return tl::unexpected(pid.error());
    }
    {
        const std::lock_guard lock{living().mutex};
        living().pids.insert(*pid);
    }
    do_not_block(in->writer);
    do_not_block(out->reader);
    do_not_block(err->reader);
    Files files{std::move(in->writer),
                std::move(in->reader),
                std::move(out->reader),
                std::move(err->reader),
                FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0))},
                FileDescriptor{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)}};
    std::unique_ptr<HelperProcess> helper{new HelperProcess{*pid, std::move(files), longest_line}};
    if (helper->files_.process.get() < 0 || helper->files_.deadline.get() < 0) {
        return tl::unexpected(Error{ErrorKind::exhausted, "no file descriptor: too many are open"});
    }
    return helper;
}

HelperProcess::~HelperProcess() { kill(); }

void HelperProcess::kill()
{
    if (!status_) {
        {
            const std::lock_guard lock{living().mutex};
            ::kill(-pid_, SIGKILL);     // the group, also if the helper itself has ended
            living().pids.erase(pid_);  // another process may get this number once it is reaped
        }
        int status{};
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        status_ = status;
    }
}

void HelperProcess::kill_all()
{
    const std::lock_guard lock{living().mutex};
    for (const auto pid : living().pids) {
        ::kill(-pid, SIGKILL);
    }
}

void HelperProcess::set_deadline(Duration from_now)
{
    allowed_ = from_now;
    late_ = false;
    const auto ns = std::max<std::int64_t>(from_now.count(), 1);
    constexpr std::int64_t kSecond = 1'000'000'000;
    itimerspec timer{};
    timer.it_value = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
    ::timerfd_settime(files_.deadline.get(), 0, &timer, nullptr);
}

// Waits until a file is ready or the deadline has passed, and reads what the helper has written. It also reads while a
// request is written: a helper that waits for room in its own output would not read the request.
void HelperProcess::wait(bool to_write)
{
    constexpr int kNone = -1;
    std::array<pollfd, 4> ready{
        pollfd{out_closed_ || read_.size() > longest_line_ ? kNone : files_.out.get(), POLLIN, 0},
        pollfd{files_.err.get(), POLLIN, 0}, pollfd{files_.deadline.get(), POLLIN, 0},
        pollfd{to_write ? files_.in.get() : kNone, POLLOUT, 0}};
    ::poll(ready.data(), ready.size(), -1);
    if (ready[0].revents != 0) {
        read_out();
    }
    if (ready[1].revents != 0) {
        read_err();
    }
    late_ = late_ || ready[2].revents != 0;
}

void HelperProcess::read_out()
{
    std::array<char, 65536> piece;
    const auto got = ::read(files_.out.get(), piece.data(), piece.size());
    if (got > 0) {
        read_.append(piece.data(), static_cast<std::size_t>(got));
    }
    out_closed_ = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void HelperProcess::read_err()
{
    std::array<char, kErrTail> piece;
    for (int i = 0; i != kMostErrReads && files_.err.get() >= 0; ++i) {
        const auto got = ::read(files_.err.get(), piece.data(), piece.size());
        if (got == 0) {
            files_.err = FileDescriptor{};  // closed: poll() would return at once
        }
        if (got <= 0) {
            return;
        }
        err_tail_.append(piece.data(), static_cast<std::size_t>(got));
        err_tail_.erase(0, err_tail_.size() - std::min(err_tail_.size(), kErrTail));
    }
}

std::optional<std::string> HelperProcess::take_line()
{
    const auto end = read_.find('\n', searched_);
    if (end == std::string::npos || end > longest_line_) {
        searched_ = read_.size();
        return std::nullopt;
    }
    auto line = read_.substr(0, end);
    read_.erase(0, end + 1);
    searched_ = 0;
    return line;
}

// Why no further line can be received now; none = one still may.
std::optional<Error> HelperProcess::failure()
{
    if (searched_ > longest_line_) {
        return Error{ErrorKind::exhausted,
                     fmt::format("a line is longer than {} bytes and begins with '{}'", longest_line_, excerpt(read_))};
    }
    if (out_closed_) {
        return describe_end();
    }
    if (late_) {
        return Error{ErrorKind::timed_out, fmt::format("no answer within {} ms{}", whole_ms(allowed_), last_words())};
    }
    return std::nullopt;
}

Result<void> HelperProcess::send(std::string_view line)
{
    std::string text{line};
    text += '\n';
    for (std::string_view left = text; !left.empty();) {
        const auto written = status_ ? -1 : ::write(files_.in.get(), left.data(), left.size());
        left.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
        if (left.empty()) {
            break;
        }
        if (const auto why = failure()) {
            return tl::unexpected(*why);
        }
        wait(true);
    }
    return {};
}

Result<std::string> HelperProcess::receive()
{
    for (;;) {
        if (auto line = take_line()) {
            return *line;
        }
        if (const auto why = failure()) {
            return tl::unexpected(*why);
        }
        wait(false);
    }
}

Result<std::optional<std::string>> HelperProcess::receive_at_once()
{
    late_ = false;
    read_err();
    auto line = take_line();
    if (!line && !out_closed_) {
        read_out();
        line = take_line();
    }
    if (const auto why = line ? std::nullopt : failure()) {
        return tl::unexpected(*why);
    }
    return line;
}

Result<void> HelperProcess::finish()
{
    files_.in = FileDescriptor{};
    files_.in_reader = FileDescriptor{};
    std::array<pollfd, 2> ready{pollfd{files_.process.get(), POLLIN, 0}, pollfd{files_.deadline.get(), POLLIN, 0}};
    while (::poll(ready.data(), ready.size(), -1) < 0) {
    }
    if (ready[0].revents == 0) {
        kill();
        return tl::unexpected(Error{ErrorKind::timed_out, fmt::format("has not ended within {} ms after close and the "
                                                                      "end of its input{}",
                                                                      whole_ms(allowed_), last_words())});
    }
    kill();
    if (!WIFEXITED(*status_) || WEXITSTATUS(*status_) != 0) {
        return tl::unexpected(describe_end());
    }
    return {};
}

Error HelperProcess::describe_end()
{
    pollfd ended{files_.process.get(), POLLIN, 0};
    const bool by_itself = status_ || ::poll(&ended, 1, kEndPatienceMs) == 1;
    kill();
    read_err();
    std::string how = "has closed its output";
    if (by_itself) {
        how = WIFEXITED(*status_) ? fmt::format("has ended with exit code {}", WEXITSTATUS(*status_))
                                  : fmt::format("has ended by signal {}", WTERMSIG(*status_));
    }
    return {ErrorKind::unreachable, how + last_words()};
}

// The last line of its stderr.
std::string HelperProcess::last_words() const
{
    const auto end = err_tail_.find_last_not_of(" \r\n\t");
    if (end == std::string::npos) {
        return "";
    }
    const auto begin = err_tail_.rfind('\n', end);
    const auto line = std::string_view{err_tail_}.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
    return fmt::format("; its stderr ends with '{}'", excerpt(line));
}

}  // namespace petrel::runtime
