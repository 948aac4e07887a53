// A real redis-server for one test, on a socket in its own folder: it can be killed and started again.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "redis/connection.hpp"
#include "support/find_program.hpp"
#include "support/subprocess.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {

class RedisServer {
public:
    RedisServer() { start(); }
    ~RedisServer() { kill(); }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    redis::Address address() const { return {(folder_ / "redis.sock").string(), {}, 0}; }

    // Starts with the data of the last SAVE, or empty. Returns when the server accepts connections.
    void start()
    {
        auto pipe = detail::make_pipe();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an aborted test leaves no server behind
            ::dup2(pipe.write_end, STDOUT_FILENO);
            ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
            std::vector<std::string> words{find_program("redis-server"),
                                           "--port",
                                           "0",
                                           "--unixsocket",
                                           address().path,
                                           "--dir",
                                           folder_.path().string(),
                                           "--save",
                                           "",
                                           "--notify-keyspace-events",
                                           "AKE"};
            std::vector<char*> argv;
            for (auto& word : words) {
                argv.push_back(word.data());
            }
            argv.push_back(nullptr);
            ::execv(argv.front(), argv.data());
            ::_exit(127);
        }
        detail::close_end(pipe.write_end);
        log_ = pipe.read_end;
        std::string output;
        while (output.find("ready to accept connections") == std::string::npos) {
            if (!detail::read_some(log_, output)) {
                throw std::runtime_error("redis-server ended: " + output);
            }
        }
    }

    void kill()
    {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
            ::close(log_);
            pid_ = -1;
        }
    }

    // The server hangs: the kernel accepts connections, but no command is answered.
    void freeze() const { ::kill(pid_, SIGSTOP); }
    void thaw() const { ::kill(pid_, SIGCONT); }

    // A connection for the test itself.
    std::unique_ptr<redis::Connection> connect(int database) const
    {
        auto connection = redis::Connection::open(address(), database, std::chrono::seconds{60});
        if (!connection) {
            throw std::runtime_error(connection.error().what);
        }
        return std::move(*connection);
    }

private:
    TemporaryFolder folder_;
    pid_t pid_{-1};
    int log_{-1};
};

}  // namespace petrel::test

// The first line of a test that needs a server.
#define PETREL_NEEDS_REDIS()                                                                                           \
    if (petrel::test::find_program("redis-server").empty()) {                                                          \
        GTEST_SKIP() << "redis-server is not installed (./dev test installs it)";                                      \
    }
