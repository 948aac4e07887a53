// A real server of NATS with JetStream on loopback, with its data in a folder. It can be killed and started again.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/file_descriptor.hpp"
#include "support/find_program.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {

template <std::size_t Count>
std::array<std::uint16_t, Count> free_ports()
{
    std::array<std::uint16_t, Count> ports{};
    std::array<runtime::FileDescriptor, Count> sockets;
    for (std::size_t i = 0; i != Count; ++i) {
        sockets.at(i) = runtime::FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(sockets.at(i).get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
        EXPECT_EQ(::getsockname(sockets.at(i).get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        ports.at(i) = ntohs(address.sin_port);
    }
    return ports;
}

class NatsServer {
public:
    // `configuration`: lines of the server's file, besides its address and its folder.
    explicit NatsServer(const std::string& configuration = "max_payload: 8MB",
                        std::uint16_t port = free_ports<1>().front())
        : port_(port)
    {
        std::ofstream{file()} << fmt::format("listen: 127.0.0.1:{}\njetstream {{ store_dir: \"{}\" }}\n{}\n", port_,
                                             (folder_ / "data").string(), configuration);
        start();
    }
    ~NatsServer() { kill(); }
    NatsServer(const NatsServer&) = delete;
    NatsServer& operator=(const NatsServer&) = delete;

    std::string url() const { return fmt::format("nats://127.0.0.1:{}", port_); }
    const std::filesystem::path& folder() const { return folder_.path(); }

    void start()
    {
        auto program = find_program("nats-server");
        program = program.empty() ? "/usr/sbin/nats-server" : program;
        const auto log = (folder_ / "log").string();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an aborted test leaves no server behind
            ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), STDERR_FILENO);
            ::execl(program.c_str(), "nats-server", "-c", file().c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
    }
    void kill()
    {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
            pid_ = -1;
        }
    }

    void wait_for_log(const std::string& words) const
    {
        for (std::string text; text.find(words) == text.npos;) {
            std::ifstream log{folder_ / "log"};
            text.assign(std::istreambuf_iterator{log}, {});
        }
    }

private:
    std::string file() const { return (folder_ / "nats.conf").string(); }

    TemporaryFolder folder_;
    std::uint16_t port_;
    pid_t pid_{-1};
};

}  // namespace petrel::test
