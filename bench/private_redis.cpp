#include "private_redis.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

#include "agent_process.hpp"
#include "base/assert.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;

}  // namespace

// The server prints on its standard output when it is ready. Its later output is not read.
std::optional<PrivateRedis> PrivateRedis::start()
{
    auto pattern = (std::filesystem::temp_directory_path() / "petrel-bench-XXXXXX").string();
    const std::filesystem::path folder{::mkdtemp(pattern.data())};
    std::array<int, 2> ends{};
    PETREL_ASSERT(::pipe(ends.data()) == 0, "no pipe");
    const auto child = ::fork();
    PETREL_ASSERT(child >= 0, "cannot fork");
    const auto socket = (folder / "redis.sock").string();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the server ends if the bench aborts
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--dir", folder.c_str(),
                 "--save", "", "--notify-keyspace-events", "AKE", nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    std::string output;
    std::array<char, 4096> piece{};
    while (output.find("ready to accept connections") == std::string::npos) {
        const auto got = ::read(ends[0], piece.data(), piece.size());
        if (got <= 0) {
            ::waitpid(child, nullptr, 0);
            ::close(ends[0]);
            std::filesystem::remove_all(folder);
            return std::nullopt;
        }
        output.append(piece.data(), static_cast<std::size_t>(got));
    }
    return PrivateRedis{folder, child};  // the pipe stays open, because the server still writes to it
}

PrivateRedis::PrivateRedis(PrivateRedis&& other) noexcept
    : folder_(std::move(other.folder_)), pid_(std::exchange(other.pid_, -1))
{}

PrivateRedis::~PrivateRedis()
{
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        std::filesystem::remove_all(folder_);
    }
}

std::unique_ptr<redis::Connection> PrivateRedis::connect(int database) const
{
    auto connection = redis::Connection::open(address(), database, 60s);
    PETREL_ASSERT(connection, "{}", connection.error().what);
    return std::move(*connection);
}

double PrivateRedis::cpu_s() const { return cpu_s_of(pid_); }

}  // namespace petrel::bench
