#include "syslog/log_listener.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "http/listening_socket.hpp"
#include "runtime/local_socket.hpp"

namespace petrel::syslog {
namespace {

constexpr auto kPurpose = "log lines";
constexpr int kDatagramsInATurn = 256;
constexpr int kAcceptedInATurn = 16;
constexpr std::size_t kPiece = std::size_t{16} * 1024;
constexpr mode_t kSocketMode = 0660;

tl::unexpected<Error> not_listening(const std::string& at, int error_number)
{
    return tl::unexpected(runtime::file_error("listen for log lines at", at, error_number));
}

// Removes the socket of a process that has died.
Result<void> free_name(const std::string& path, const sockaddr_un& address)
{
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0) {
        return {};  // any other error than a missing file is reported by bind()
    }
    if (!S_ISSOCK(found.st_mode)) {
        return not_listening(path, EEXIST);
    }
    const runtime::FileDescriptor probe{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (runtime::connect_local(probe, address) != ECONNREFUSED) {
        return not_listening(path, EADDRINUSE);
    }
    return ::unlink(path.c_str()) == 0 ? Result<void>{} : not_listening(path, errno);
}

Result<runtime::FileDescriptor> unix_socket(const std::string& path)
{
    const auto address = runtime::local_address(path);
    if (!address) {
        return tl::unexpected(address.error());
    }
    if (const auto freed = free_name(path, *address); !freed) {
        return tl::unexpected(freed.error());
    }
    runtime::FileDescriptor made{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (const int problem = made.get() < 0 ? errno : runtime::bind_local(made, *address); problem != 0) {
        return not_listening(path, problem);
    }
    if (::chmod(path.c_str(), kSocketMode) != 0) {
        return not_listening(path, errno);
    }
    return made;
}

Result<runtime::FileDescriptor> open_socket(const LogAddress& address)
{
    switch (address.transport) {
    case Transport::udp: return http::datagram_socket(kPurpose, address.at);
    case Transport::tcp: return http::listening_socket(kPurpose, address.at);
    case Transport::unix_socket: break;
    }
    return unix_socket(address.at);
}

// ::1 for the sender of a Unix socket.
IpAddress ip_of(const sockaddr_storage& from)
{
    IpAddress address{};
    if (from.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from).sin_addr;
        address[10] = address[11] = 0xff;
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&v4), sizeof v4, address.begin() + 12);
    } else if (from.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&v6), sizeof v6, address.begin());
    } else {
        address[15] = 1;
    }
    return address;
}

bool is_this_machine(const IpAddress& address)
{
    constexpr std::uint8_t kLoopbackNet = 127;
    static constexpr IpAddress kLoopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    static constexpr Network kV4{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, kLoopbackNet}, 104};
    return address == kLoopback || kV4.contains(address);
}

}  // namespace

Result<std::unique_ptr<LogListener>> LogListener::listen(runtime::EventLoop& loop, const LogAddress& address,
                                                         std::vector<Network> from, Take take)
{
    auto file = open_socket(address);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (address.transport != Transport::unix_socket && from.empty() && !http::loopback_only(*file)) {
        return tl::unexpected(
            http::listen_error(kPurpose, address.at, ErrorKind::invalid,
                               "other machines reach this address: allowed with --syslog-from NETWORK, or 127.0.0.1"));
    }
    if (::fcntl(file->get(), F_SETFL, O_NONBLOCK) != 0) {
        return not_listening(address.at, errno);
    }
    std::unique_ptr<LogListener> listener{
        new LogListener{loop, address, std::move(*file), std::move(from), std::move(take)}};
    auto* self = listener.get();
    const auto watched = loop.watch(self->file_.get(), EPOLLIN, [self](std::uint32_t) {
        self->address_.transport == Transport::tcp ? self->accept_some() : self->receive();
    });
    return watched ? Result<std::unique_ptr<LogListener>>{std::move(listener)} : tl::unexpected(watched.error());
}

LogListener::LogListener(runtime::EventLoop& loop, LogAddress address, runtime::FileDescriptor file,
                         std::vector<Network> from, Take take)
    : loop_(loop), address_(std::move(address)), file_(std::move(file)), from_(std::move(from)), take_(std::move(take))
{}

LogListener::~LogListener()
{
    for (const auto& [fd, connection] : connections_) {
        loop_.unwatch(fd);
    }
    loop_.unwatch(file_.get());
    if (address_.transport == Transport::unix_socket) {
        ::unlink(address_.at.c_str());
    }
}

std::string LogListener::where() const
{
    if (address_.transport == Transport::unix_socket) {
        return "unix:" + address_.at;
    }
    return fmt::format("{}:{}:{}", name(address_.transport), address_.at.substr(0, address_.at.rfind(':')),
                       http::port_of(file_));
}

bool LogListener::accepts(const IpAddress& sender) const
{
    return is_this_machine(sender) ||
           std::any_of(from_.begin(), from_.end(), [&](const Network& network) { return network.contains(sender); });
}

void LogListener::receive()
{
    std::array<char, wire::kLongestLogLine + 1> bytes;
    for (int i = 0; i < kDatagramsInATurn; ++i) {
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        const auto got =
            ::recvfrom(file_.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
        if (got < 0) {
            return;
        }
        if (static_cast<std::size_t>(got) > wire::kLongestLogLine || !accepts(ip_of(from))) {
            ++refused_;
            continue;
        }
        std::string_view line{bytes.data(), static_cast<std::size_t>(got)};
        line = line.substr(0, line.find_last_not_of(std::string_view{"\r\n\0", 3}) + 1);
        if (!line.empty()) {
            take_(line);
        }
    }
}

void LogListener::accept_some()
{
    for (int i = 0; i < kAcceptedInATurn; ++i) {
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        runtime::FileDescriptor file{
            ::accept4(file_.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (file.get() < 0) {
            return;
        }
        const int fd = file.get();
        if (connections_.size() >= kMostConnections || !accepts(ip_of(from)) ||
            !loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t) { read(fd); })) {
            ++refused_;
            continue;
        }
        connections_[fd].file = std::move(file);
    }
}

// One piece in a turn, so that a fast sender does not occupy the loop.
void LogListener::read(int fd)
{
    auto& connection = connections_.at(fd);
    std::array<char, kPiece> piece;
    const auto got = ::recv(fd, piece.data(), piece.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        loop_.unwatch(fd);
        connections_.erase(fd);
        return;
    }
    const auto skipped = connection.frames.skipped();
    for (const auto& line : connection.frames.feed({piece.data(), static_cast<std::size_t>(got)})) {
        take_(line);
    }
    refused_ += connection.frames.skipped() - skipped;
}

}  // namespace petrel::syslog
