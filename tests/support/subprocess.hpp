// Runs a real program and waits for its end: returns its output and exit code. No shell, no timeout (ctest has a hang
// guard), no sleeps: it waits on the pipes.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace petrel::test {

struct Invocation {
    std::string program;
    std::vector<std::string> arguments{};
    std::string input{};                                             // its stdin
    std::vector<std::pair<std::string, std::string>> environment{};  // added to ours
    std::filesystem::path folder{"."};                               // its working directory
    std::string stdout_path{};                                       // instead of a pipe: /dev/full
    bool stdout_is_terminal{};
    bool stderr_is_terminal{};  // the same terminal as stdout: its text is in `out`
    bool nobody_reads_stdout{};
    int interrupt_after_bytes{-1};  // sends SIGINT after this many bytes of its stdout
};

struct Ended {
    int exit_code{-1};  // -1: killed by a signal
    int signal{};
    std::string out;
    std::string err;
};

namespace detail {

struct Pipe {
    int read_end{-1};
    int write_end{-1};
};

inline Pipe make_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    return {ends[0], ends[1]};
}

inline void close_end(int& fd)
{
    if (fd >= 0) {
        ::close(fd);
        fd = -1;
    }
}

inline Pipe make_stdout(const Invocation& call)
{
    Pipe out;
    if (!call.stdout_path.empty()) {
        out.write_end = ::open(call.stdout_path.c_str(), O_WRONLY | O_CLOEXEC);
    } else if (call.stdout_is_terminal) {
        if (::openpty(&out.read_end, &out.write_end, nullptr, nullptr, nullptr) != 0) {
            throw std::runtime_error("no terminal");
        }
    } else {
        out = make_pipe();
    }
    if (call.nobody_reads_stdout) {
        close_end(out.read_end);
    }
    return out;
}

// In the child, between fork and exec.
[[noreturn]] inline void become(const Invocation& call, int in, int out, int err)
{
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (::chdir(call.folder.c_str()) != 0) {
        ::_exit(127);
    }
    for (const auto& [name, value] : call.environment) {
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    std::vector<char*> argv{const_cast<char*>(call.program.c_str())};
    for (const auto& argument : call.arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    ::execv(call.program.c_str(), argv.data());
    ::_exit(127);
}

// False: the other side has closed the pipe.
inline bool read_some(int fd, std::string& into)
{
    std::array<char, 65536> piece;
    const auto got = ::read(fd, piece.data(), piece.size());
    if (got > 0) {
        into.append(piece.data(), static_cast<std::size_t>(got));
    }
    return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace detail

inline Ended run(const Invocation& call)
{
    ::signal(SIGPIPE, SIG_IGN);  // a program need not read all its input
    auto in = detail::make_pipe();
    auto out = detail::make_stdout(call);
    auto err = detail::make_pipe();
    const auto child = ::fork();
    if (child < 0) {
        throw std::runtime_error("cannot fork");
    }
    if (child == 0) {
        ::signal(SIGPIPE, SIG_DFL);
        detail::become(call, in.read_end, out.write_end, call.stderr_is_terminal ? out.write_end : err.write_end);
    }
    detail::close_end(in.read_end);
    detail::close_end(out.write_end);
    detail::close_end(err.write_end);

    Ended ended;
    std::string_view left = call.input;
    bool interrupted = call.interrupt_after_bytes < 0;
    while (out.read_end >= 0 || err.read_end >= 0 || in.write_end >= 0) {
        if (left.empty()) {
            detail::close_end(in.write_end);
        }
        std::array<pollfd, 3> ready{pollfd{in.write_end, POLLOUT, 0}, pollfd{out.read_end, POLLIN, 0},
                                    pollfd{err.read_end, POLLIN, 0}};
        ::poll(ready.data(), ready.size(), -1);
        if (ready[0].revents != 0) {
            const auto written = ::write(in.write_end, left.data(), left.size());
            left.remove_prefix(written < 0 ? left.size() : static_cast<std::size_t>(written));
        }
        if (ready[1].revents != 0 && !detail::read_some(out.read_end, ended.out)) {
            detail::close_end(out.read_end);
        }
        if (ready[2].revents != 0 && !detail::read_some(err.read_end, ended.err)) {
            detail::close_end(err.read_end);
        }
        if (!interrupted && ended.out.size() >= static_cast<std::size_t>(call.interrupt_after_bytes)) {
            interrupted = true;
            ::kill(child, SIGINT);
        }
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return ended;
}

}  // namespace petrel::test
