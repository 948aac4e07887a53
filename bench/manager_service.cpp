#include "manager_service.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "agent_process.hpp"
#include "api/service.hpp"
#include "base/assert.hpp"
#include "manager/manager.hpp"
#include "runtime/event_loop.hpp"
#include "service_config.hpp"

namespace petrel::bench {

ServiceProcess::ServiceProcess() : folder_(new_folder())
{
    std::array<int, 2> ends{};
    PETREL_ASSERT(::pipe(ends.data()) == 0, "no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
        auto loop = runtime::EventLoop::make();
        auto store = manager::Store::open(folder_ / "manager.db");
        PETREL_ASSERT(store, "{}", store.error().what);
        auto made = manager::Manager::start(std::move(*store));
        PETREL_ASSERT(made, "{}", made.error().what);
        auto service = api::Service::start(**loop, std::move(*made), {.listen = "127.0.0.1:0"});
        PETREL_ASSERT(service, "{}", service.error().what);
        const auto port = (*service)->port();
        static_cast<void>(::write(ends[1], &port, sizeof port));
        (*loop)->run();
        ::_exit(0);
    }
    PETREL_ASSERT(::read(ends[0], &port_, sizeof port_) == sizeof port_, "the service does not start");
    ::close(ends[0]);
    ::close(ends[1]);
}

ServiceProcess::~ServiceProcess()
{
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
}

runtime::FileDescriptor ServiceProcess::connect() const
{
    runtime::FileDescriptor file{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    PETREL_ASSERT(::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
                  "no connection");
    const int yes = 1;
    ::setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return file;
}

double ServiceProcess::processor_s() const { return cpu_s_of(pid_); }

double ServiceProcess::resident_bytes() const
{
    std::ifstream file{fmt::format("/proc/{}/statm", pid_)};
    double all = 0;
    double resident = 0;
    file >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void send_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const auto sent = ::send(file, text.data(), text.size(), MSG_NOSIGNAL);
        PETREL_ASSERT(sent > 0, "the service is gone");
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void post_report(int file, unsigned agent, std::string_view body)
{
    send_all(file, fmt::format("POST /api/v1/agents/{}/reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               "application/x-ndjson\r\nContent-Length: {}\r\n\r\n{}",
                               agent_name(agent), body.size(), body));
}

std::size_t read_answer(int file)
{
    std::string text;
    std::array<char, 65536> piece{};
    std::size_t whole = 0;
    while (whole == 0 || text.size() < whole) {
        const auto got = ::recv(file, piece.data(), piece.size(), 0);
        PETREL_ASSERT(got > 0, "the service ended the connection");
        text.append(piece.data(), static_cast<std::size_t>(got));
        const auto end = text.find("\r\n\r\n");
        const auto length = text.find("Content-Length: ");
        if (whole == 0 && end != text.npos && length != text.npos) {
            whole = end + 4 + std::strtoul(text.c_str() + length + 16, nullptr, 10);
            PETREL_ASSERT(text.starts_with("HTTP/1.1 200"), "{}", text);
        }
    }
    return whole;
}

runtime::FileDescriptor open_stream(const ServiceProcess& service)
{
    auto file = service.connect();
    send_all(file.get(), "GET /api/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return file;
}

}  // namespace petrel::bench
